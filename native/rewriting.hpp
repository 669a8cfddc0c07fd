// Normal forms with respect to a set of rules and equations that grows and shrinks.
//
// A rule is one direction of a fact. Where the fact is oriented its left side is the larger one
// under every substitution; elsewhere an instance is used only if it makes the term smaller.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "control.hpp"
#include "flat.hpp"
#include "index.hpp"
#include "order.hpp"

namespace threesil {

// A rewrite: with which fact, in which direction, at which cell of the term as it was.
struct TraceStep {
    uint32_t fact;
    bool forward;
    uint32_t at;
};

struct DirectedRule {
    Flat from, to;  // variables numbered by first occurrence in `from`, then in `to`
    uint32_t fact = 0;
    bool forward = true;
    bool oriented = true;
    bool weak = false;  // oriented, but the sides of an instance may be the same
    bool alive = true;
    uint32_t bound = 0;      // variables of `from`
    uint32_t variables = 0;  // of both sides
    uint32_t depth = 0;
};

class RuleSet {
   public:
    explicit RuleSet(const Order& order) : order_(order) {}

    uint32_t add(DirectedRule rule);
    void remove(uint32_t rule);

    const DirectedRule& operator[](uint32_t rule) const { return rules_[rule]; }
    DirectedRule& at(uint32_t rule) { return rules_[rule]; }
    size_t size() const { return rules_.size(); }

    // Brings a term to its normal form; appends what it did to `trace` if there is one. With
    // `all` the equations that are not oriented are used too, with `assumed` where the assumption
    // makes the term smaller. Counts rewrites. A term that becomes huge is left as it is then:
    // what is smaller for the order may have more cells.
    void normalise(Flat& term, bool all, std::vector<TraceStep>* trace, Control& control,
                   const VariableOrder* assumed = nullptr);
    // Rewrites as long as the whole of the term stays less than the peak.
    void connect(Flat& term, FlatView peak, const VariableOrder& assumed, Control& control);
    // Whether the rule makes some subterm smaller.
    bool reduces(uint32_t rule, FlatView term) const;
    // Whether the equation s = t is an instance of one that is known, in a context.
    bool subsumes(FlatView s, FlatView t) const;

    // What one rule makes of a term, used forwards or against its direction; false if nothing, or
    // if something in it would be open that a rule used forwards does not leave open.
    bool rewrite(uint32_t rule, bool backward, FlatView part, Flat& out) const;
    // Calls found(rule) for each rule whose left side has the term as an instance.
    template <typename Found>
    void each_matching(FlatView term, Found&& found) const {
        const auto tell = [&](uint32_t rule, FlatValues) {
            found(rule);
            return false;
        };
        oriented_.find(term, tell);
        others_.find(term, tell);
    }
    const Order& order() const { return order_; }

    static constexpr size_t kHuge = 2'000;  // cells
    uint64_t rewrites = 0;

   private:
    // Tries to rewrite the subterm at a cell; the instance is left in `instance_`.
    bool step(FlatView part, bool all, const VariableOrder* assumed, uint32_t& used);
    bool subsumes_at(FlatView s, FlatView t) const;

    const Order& order_;
    std::deque<DirectedRule> rules_;
    Index oriented_, others_;
    Flat instance_;
    std::vector<uint8_t> normal_;  // by cell of the term in work
    mutable FlatBindings scratch_;
    mutable Flat other_;
};

}  // namespace threesil
