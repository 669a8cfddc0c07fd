// Unfailing Knuth-Bendix completion: equations are turned into rewrite rules, and the critical
// pairs of the rules into further ones, until the two sides of the goal have the same normal form.
//
// A *fact* is an equation that holds, with what it was made of: an axiom, an older fact, or the
// overlap of two facts, and the rewrites that simplified its sides. Facts are never changed, so a
// proof can be read off at any time. *Active* facts take part in rewriting and overlapping; the
// critical pairs wait in a queue as three numbers each, and are made again when their turn comes.
// (Bachmair, Dershowitz, Plaisted 1989; Smallbone: Twee, CADE 2021)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "control.hpp"
#include "flat.hpp"
#include "order.hpp"
#include "overlap.hpp"
#include "rewriting.hpp"

namespace threesil {

struct CompletionOptions {
    float larger_weight = 4;   // how much the larger side of a pair counts
    float smaller_weight = 1;  // and the smaller one
    float variable_weight = 6.0f / 7;
    float depth_weight = 2;       // for each generation
    uint32_t largest = 500;       // cells of a side; larger pairs are dropped
    uint64_t pairs = 50'000'000;  // critical pairs in the queue
};

struct Fact {
    enum class Origin : uint8_t { axiom, fact, overlap };
    Flat lhs, rhs;  // variables by first occurrence
    Origin origin = Origin::axiom;
    uint32_t first = 0;  // the axiom, the fact, or the outer fact of the overlap
    bool first_forward = true;
    uint32_t second = 0;  // the inner fact
    bool second_forward = true;
    uint32_t at = 0;         // cell of the peak
    Flat peak, left, right;  // before simplification, with variables of their own
    std::vector<TraceStep> left_steps, right_steps;
    bool flipped = false;        // lhs comes from `right`
    std::vector<int32_t> names;  // by variable of left and right: that of lhs and rhs, -1 if none
    uint32_t depth = 0;
};

struct CompletionResult {
    Status status = Status::exhausted;
    uint64_t pairs = 0;       // critical pairs made
    uint64_t considered = 0;  // taken from the queue
    uint64_t rewrites = 0;
    uint64_t active = 0;
    bool complete = false;  // exhausted, and nothing was dropped on the way
};

class Completion {
   public:
    Completion(Order order, const CompletionOptions& options, Control& control);

    // Equations hold for all values of their variables; a goal has none.
    void add_axiom(Flat lhs, Flat rhs);
    void set_goal(Flat lhs, Flat rhs);
    CompletionResult run(uint64_t expansions);

    // For reading out the proof.
    const std::vector<Fact>& facts() const { return facts_; }
    const Flat& goal(size_t side) const { return goal_[side]; }
    const std::vector<TraceStep>& goal_steps(size_t side) const { return goal_steps_[side]; }
    const Order& order() const { return order_; }
    // The facts that are active now, oriented ones first side larger.
    std::vector<uint32_t> active_facts() const;
    bool oriented(uint32_t fact) const;

   private:
    struct Active {
        uint32_t fact;
        bool alive, oriented;
        uint32_t rule[2];  // forwards, backwards (the same if oriented)
    };
    struct Passive {
        float score;
        uint32_t age;
        uint32_t outer, inner;  // rules
        uint32_t at;
        bool operator<(const Passive& other) const {
            return score != other.score ? score > other.score : age > other.age;
        }
    };

    void consider(Fact fact);
    void consider_one(Fact fact);
    void activate(uint32_t fact, bool oriented);
    void interreduce(uint32_t newest);
    void retire(uint32_t active);
    void make_pairs(uint32_t active);
    void make_pair(uint32_t outer, uint32_t at, uint32_t inner);
    bool take(const Passive& passive);
    bool redundant(FlatView s, FlatView t);
    float score(FlatView term);
    void simplify_goal();
    bool proved() const { return have_goal_ && same(goal_now_[0], goal_now_[1]); }

    const Order order_;
    const CompletionOptions options_;
    Control& control_;
    RuleSet rules_;
    Overlap overlap_;
    std::vector<Fact> facts_;
    std::vector<Active> actives_;
    std::vector<uint32_t> active_of_;             // by rule
    std::vector<Passive> queue_;                  // a heap
    std::vector<std::vector<uint32_t>> by_head_;  // rules by the head of their left side
    struct Place {
        uint32_t rule, at;
    };
    std::vector<std::vector<Place>> places_;  // of the heads inside left sides, root excluded
    std::vector<Fact> waiting_;
    Flat goal_[2], goal_now_[2];
    std::vector<TraceStep> goal_steps_[2];
    bool have_goal_ = false;
    bool dropped_ = false;
    uint32_t age_ = 0;
    CompletionResult result_;
    Flat scratch_[2];
    std::vector<uint64_t> hashes_;
};

}  // namespace threesil
