// A theory as data: arities, rules compiled to flat patterns, actions, the goal.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

#include "term_bank.hpp"

namespace threesil {

enum class Goal : uint8_t { equation, normal_form, target };

// One side of an equation: nodes bottom-up, the root last; children are indices into the nodes.
// A head with kVariable is variable number `variable_index(head)` of the equation.
struct Pattern {
    struct PatternNode {
        Head head;
        uint32_t children;  // offset in `children`
        uint32_t arity;
    };
    std::vector<PatternNode> nodes;
    std::vector<uint32_t> children;

    // False if the pattern differs from the term at the root or right below it, where neither has
    // a variable: a cheap test that most pairs fail.
    bool may_match(const TermBank& bank, TermId term) const;

    uint32_t root() const {
        assert(!nodes.empty());
        return static_cast<uint32_t>(nodes.size()) - 1;
    }
    Head root_head() const { return nodes[root()].head; }
};

// An equation read in one direction. `from` and `to` share the numbers of their variables.
struct Rule {
    Pattern from;
    Pattern to;
    uint32_t variables;
    uint32_t equation;  // index in the theory
    bool left_to_right;
};

struct Action {
    bool move;
    uint32_t argument;            // of a move
    std::vector<uint16_t> rules;  // of a rewrite: the first one that applies
};

// A set of actions as bits.
using MaskWord = uint64_t;

class Rules {
   public:
    struct RuleSpec {
        std::vector<int32_t> from, to;  // prefix codes
        uint32_t variables, equation;
        bool left_to_right;
    };
    struct ActionSpec {
        bool move;
        uint32_t argument;
        std::vector<RuleSpec> rules;
    };

    // `equality` is the symbol that joins the two sides of a goal, -1 if there is none.
    Rules(std::vector<uint8_t> arity, std::vector<uint8_t> constructor,
          const std::vector<ActionSpec>& actions, Goal goal, int32_t equality, bool enter_leaves,
          bool no_repeats);

    // The symbol that marks the cursor where a state is written as one term: the last one.
    Head cursor() const { return static_cast<Head>(arity.size()) - 1; }
    size_t mask_words() const { return (actions.size() + 63) / 64; }
    // Rules whose left pattern can match a term with this head (a variable matches every rule).
    const std::vector<uint16_t>& candidates(Head head) const;
    // Actions whose result at the cursor can have this head.
    const MaskWord* can_yield(Head head) const;

    std::vector<uint8_t> arity;
    std::vector<uint8_t> constructor;
    std::vector<Action> actions;
    std::vector<Rule> rules;
    std::vector<uint16_t> action_of;  // action of each rule
    Goal goal;
    int32_t equality;
    bool enter_leaves;
    bool no_repeats;

   private:
    Pattern compile(const std::vector<int32_t>& codes, uint32_t variables) const;

    std::vector<std::vector<uint16_t>> by_head_;  // by symbol, then constants, then variables
    std::vector<MaskWord> yield_;                 // the same rows, mask_words() each
};

}  // namespace threesil
