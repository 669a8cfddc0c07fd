// Unfailing Knuth-Bendix completion: equations are turned into rewrite rules, and the critical
// pairs of the rules into further ones, until the two sides of the goal have the same normal form.
//
// A *fact* is an equation that holds, with what it was made of: an axiom, an older fact, or the
// overlap of two facts, and the rewrites that simplified its sides. Facts are never changed, so a
// proof can be read off at any time. Where each side has variables of its own, instances of the
// fact take its place: what these variables stand for is of no account. *Active* facts take part in
// rewriting and overlapping; the critical pairs wait in a queue as three numbers each, and are made
// again when their turn comes. (Bachmair, Dershowitz, Plaisted 1989; Smallbone: Twee, CADE 2021)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "completion_score.hpp"
#include "control.hpp"
#include "fact.hpp"
#include "flat.hpp"
#include "goal_sets.hpp"
#include "joining.hpp"
#include "order.hpp"
#include "overlap.hpp"
#include "pair_queue.hpp"
#include "rewriting.hpp"

namespace threesil {

struct CompletionOptions {
    uint32_t largest = 500;       // cells of a side; larger pairs wait until no others are left
    uint64_t pairs = 50'000'000;  // critical pairs in the queue; then the worse half is dropped
    bool ground_joining = true, connectedness = true;
    int32_t equals = -1;  // the symbol that stands for the goal's equality where values are sought
    ReachedOptions reached;
};

struct CompletionStatistics {
    uint64_t pairs = 0;       // critical pairs made
    uint64_t considered = 0;  // taken from the queue
    uint64_t rewrites = 0;
    uint64_t active = 0;    // facts that are active
    uint64_t queue = 0;     // critical pairs that wait
    uint64_t distance = 0;  // cells of the goal's sides
    bool dropped = false;   // something was left out: an empty queue means nothing then
};

class Completion {
   public:
    // With a second scorer, `turns` pairs are taken by its score after `firsts` by the first's.
    Completion(Order order, const CompletionOptions& options, std::unique_ptr<Scorer> scorer,
               std::unique_ptr<Scorer> second = nullptr, uint32_t turns = 1, uint32_t firsts = 1);

    // Before the first run. Equations hold for all values of their variables; a goal has none.
    // `later`: it names a part of the goal, and is not needed if the other axioms are enough.
    void add_axiom(Flat lhs, Flat rhs, bool later = false);
    void set_goal(Flat lhs, Flat rhs);
    // Resumes where it ended the last time, for at most so many critical pairs.
    Status run(uint64_t expansions, Control& control);
    CompletionStatistics statistics() const;

    // For reading out proofs.
    const std::vector<Fact>& facts() const { return facts_; }
    uint32_t axioms() const { return axioms_; }
    const GoalSets& goal() const { return goal_; }
    const Order& order() const { return order_; }
    // The facts that are active now; the left side of an oriented one is the larger.
    struct ActiveFact {
        uint32_t fact;
        bool oriented;
    };
    std::vector<ActiveFact> active_facts() const;

   private:
    enum class Orientation : uint8_t { none, weak, full };
    struct Active {
        uint32_t fact;
        bool alive, oriented, weak;
        uint32_t rule[2];  // forwards, backwards (the same if oriented)
    };
    struct Parents {
        uint32_t outer, inner;  // rules
        uint32_t at;
    };

    // Work is done in pieces. One that is interrupted has changed nothing, or what it changed is
    // in order and it is done again.
    void step();
    void take();
    void consider();
    void activate(uint32_t fact, Orientation orientation);
    bool split(Fact& fact);
    bool needed(const Fact& fact);
    void interreduce(uint32_t older);
    void retire(uint32_t active);
    void list_pairs(uint32_t active);
    void make_pair(const Parents& parents);
    void lay_aside(const Parents& parents);
    bool take_larger();
    void update_goal();

    const Order order_;
    const CompletionOptions options_;
    const std::unique_ptr<Scorer> scorer_, second_;
    Control* control_ = nullptr;  // of the run that is under way
    RuleSet rules_;
    Overlap overlap_;
    Joining joining_;
    GoalSets goal_;
    uint32_t axioms_ = 0;
    std::vector<Fact> facts_;
    std::vector<Active> actives_;
    std::vector<uint32_t> active_of_;  // by rule
    size_t largest_;                   // cells of a side for now
    std::vector<Parents> aside_;       // pairs that are larger
    PairQueue<Parents> queue_;
    std::vector<std::vector<uint32_t>> by_head_;  // rules by the head of their left side
    struct Place {
        uint32_t rule, at;
    };
    std::vector<std::vector<Place>> places_;  // of the heads inside left sides, root excluded
    // What is still to do, the first that is not done comes next: the older facts have to be
    // simplified by the newest, the goal too, pairs have to be made, facts to be considered. In the
    // beginning all axioms but the later ones are considered first: they may be enough for the
    // goal, and pairs of those that others simplify need not be made.
    bool beginning_ = true;
    size_t later_ = 0;      // axioms
    uint32_t reduced_ = 0;  // active facts that are in order with the newest
    bool goal_is_old_ = true;
    std::vector<Parents> due_;
    size_t made_ = 0;            // of those due
    std::vector<Fact> waiting_;  // the last one first
    bool dropped_ = false, pruned_ = false;
    uint32_t age_ = 0;
    uint64_t pairs_ = 0, considered_ = 0;
};

}  // namespace threesil
