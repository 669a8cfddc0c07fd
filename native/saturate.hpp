// Proving an equation by saturation: a congruence closure that grows by the cheapest instances of
// the rules until both sides are in one class.
//
// In rounds, every rule is matched against all classes; the instances wait by their cost,
// depth_cost * generation + growth, and the cheapest are added. A rule's own variables on the right
// take the classes of the goal's subterms as values.
//
// When nothing is left to add, the search widens: terms may be larger by half, further classes
// become values, twice as many as before, and the smallest values are joined by the symbols to
// terms that nothing has led to. This is fair: below a bound on size there are finitely many
// instances, so that the queue runs dry; and each instance comes below the bounds at some time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "egraph.hpp"
#include "rules.hpp"
#include "search.hpp"
#include "unify.hpp"

namespace threesil {

class Saturation {
   public:
    Saturation(std::shared_ptr<const Rules> rules, bool self_check);
    const Rules& rules() const { return *rules_; }
    bool self_check() const { return self_check_; }
    Gate gate;

    // Extra cost of the instances of each rule; empty: none.
    const std::vector<float>& rule_cost() const { return rule_cost_; }
    void set_rule_cost(std::vector<float> cost);

    SearchResult prove(std::span<const int32_t> codes, const SearchLimits& limits,
                       Control& control);
    // Resumes the last problem where its expansions or its time ran out. Starts again if memory ran
    // out, or if a change of the graph was interrupted.
    SearchResult resume(const SearchLimits& limits, Control& control);
    // Equations between terms of the graph that no single step shows, the smallest first, both
    // sides of at most `size` nodes together; each as the chains that prove it. None where the
    // search can't be resumed; fewer where the time ends.
    std::vector<std::vector<Chain>> equations(size_t count, uint32_t size, Control& control);

   private:
    struct Instance {
        uint32_t rule;
        uint32_t generation;
        uint32_t values;  // offset in `values_`: a class for each variable of the rule
    };
    struct Choice {  // a backtracking point of the matcher
        uint32_t pc;
        TermId node;
    };
    struct Bind {  // take a node with this head of the class in `in`; its arguments go to `out`...
        uint32_t in, out;
        Head head;
    };
    struct Program {
        bool any;  // the pattern is a variable
        std::vector<Bind> binds;
        std::vector<uint32_t> registers;                   // of each variable, kNone if unbound
        std::vector<std::pair<uint32_t, uint32_t>> equal;  // registers that hold the same class
        uint32_t count;                                    // registers
        std::vector<uint32_t> open;                        // variables of the right side alone
    };

    static constexpr uint32_t kNone = 0xffffffffu;

    // The instances that have been offered, by rule and classes: an open-addressing table of their
    // places in `values_`, where the rule's number stands before the classes.
    struct Seen {
        uint32_t hash, place;
    };
    static constexpr uint32_t kFree = 0xffffffffu;

    void clear();
    void start();
    void search(const SearchLimits& limits, SearchResult& result);
    bool proved() { return graph_.find(left_) == graph_.find(right_); }
    // Fills the queue; false if nothing is left to be added, ever.
    bool refill(SearchResult& result);
    bool widen(SearchResult& result);
    void add_values(SearchResult& result);
    void list_equations(size_t count, uint32_t size, std::vector<std::vector<Chain>>& found);
    static size_t root_of(size_t most, size_t power);
    // Enters the rule with the classes in `current_`; false if they were there.
    bool enter(uint32_t rule);
    void grow_seen();
    void check_graph();
    Program compile(const Rule& rule) const;
    void match_all(bool with_own);
    size_t cheapest();
    void match(uint32_t rule, TermId node);
    void found(uint32_t rule, TermId root, uint32_t generation);
    // False if the instance is too large.
    bool offer(uint32_t rule, TermId root, uint32_t generation);
    TermId build(const Pattern& pattern, const TermId* values);
    bool apply(const Instance& instance);

    std::shared_ptr<const Rules> rules_;
    const bool self_check_;
    std::vector<float> rule_cost_;
    TermBank bank_;
    EGraph graph_;
    std::vector<Program> programs_;
    std::vector<std::vector<uint16_t>> by_head_;
    std::vector<Head> symbols_;   // with arguments: of the rules
    std::vector<TermId> seeds_;   // the values, by size
    std::vector<int32_t> codes_;  // of the problem
    TermId left_ = kNoTerm, right_ = kNoTerm;
    bool whole_ = false;  // the search can be resumed from this state
    uint32_t growth_ = 0, depth_cost_ = 0;
    uint32_t stage_ = 0;    // how often the search has widened
    size_t width_ = 0;      // choices of values for a rule, at the most
    bool refused_ = false;  // an instance was too large, since the search has widened
    bool all_ = false;      // all classes were values, and all joined are known
    size_t quota_ = 0;      // merges before the rules are matched again
    uint64_t merges_ = 0, next_check_ = 0;
    uint32_t largest_ = 0;
    size_t most_values_ = 0;
    uint32_t levels_ = 0;  // of nested symbols in a pattern, at the most
    double own_cost_ = 0;  // of the cheapest rule with variables of its own
    uint32_t last_match_ = 0, last_own_match_ = 0;  // by the graph's clock
    std::vector<std::vector<uint32_t>> recent_;     // by distance below, then by class
    std::vector<std::vector<Instance>> queue_;      // by cost
    size_t lowest_ = 0;                             // no cheaper instances wait
    std::vector<TermId> values_;
    std::vector<Seen> seen_;
    size_t entered_ = 0;
    std::vector<uint8_t> listed_;  // by class: matched with the rules whose left side is a variable
    std::vector<TermId> registers_, current_, classes_;
    std::vector<Choice> choices_;
    std::vector<TermId> node_values_;
};

}  // namespace threesil
