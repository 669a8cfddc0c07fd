// Bidirectional best-first search over terms with learned costs.
//
// One frontier grows from each side of the equation. A node is a term; its rewrites, at any
// position and with any rule, are judged with the other side as the problem has it: the
// probability of a rewrite is the product of those of the cursor's moves to its place and of the
// action there. A rewrite costs - log p more than its node. A node costs log(1 + depth) on top,
// as in Levin tree search, and a little for the nodes that its term has grown by.
//
// Rules that introduce variables are used like all others. The frontiers meet where they share a
// term, where two terms with introduced variables unify, or where the two sides are congruent by
// what rewrites of ground terms have shown, whichever terms these were parts of.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "chain.hpp"
#include "policy.hpp"
#include "search.hpp"
#include "state.hpp"

namespace threesil {

struct GuidedOptions {
    float noise = 0.05f;      // share of a uniform policy that is mixed in
    float size_cost = 0.1f;   // of a node that a term has more than the start
    uint32_t variables = 4;   // introduced variables that a term may have
    uint32_t growth = 20;     // nodes that a term may have more than the larger side
    float lemma_size = 0.3f;  // how much log probability a node of a lemma is worth
};

// What a search has shown on its way: one side of the equation equals another term.
struct Lemma {
    Chain chain;
    float log_probability;
};

class GuidedSearch {
   public:
    // `outputs` says which output of the network judges an action of the rules, which may be
    // fewer than those that the network knows.
    GuidedSearch(std::shared_ptr<const Rules> rules, std::shared_ptr<TreeNet> net,
                 std::vector<uint32_t> outputs, bool self_check);

    const Rules& rules() const { return *rules_; }
    TreeNet& net() const { return *net_; }
    bool self_check() const { return self_check_; }
    Gate gate;
    void set_options(const GuidedOptions& options);

    SearchResult solve(const std::vector<int32_t>& codes, const SearchLimits& limits,
                       const Draw& draw, Control& control);
    // Continues where the frontiers meet; the `count` best terms that it came to, both short and
    // probable. Variables that a lemma leaves open are constants from `first_free` on.
    std::vector<Lemma> explore(const std::vector<int32_t>& codes, const SearchLimits& limits,
                               const Draw& draw, size_t count, Head first_free, Control& control);

   private:
    static constexpr uint32_t kNone = 0xffffffffu;
    static constexpr size_t kBatch = 4;  // nodes that the network judges together
    struct Node {
        TermId term;
        uint32_t parent;
        uint32_t depth;
        float log_probability;
        uint32_t path, length;  // where the rewrite that led here took place, in `paths_`
        uint16_t action;
    };
    struct Side {
        std::vector<Node> nodes;
        std::vector<uint32_t> node_of;  // by term
        // Nodes by the head of their term, those with introduced variables apart.
        std::vector<std::vector<uint32_t>> closed, open;
    };
    struct Choice {
        float cost;
        uint32_t order;  // ties: the earlier one first
        uint32_t side, node;
        uint32_t path, length;
        float log_probability;
        uint16_t action;
        bool operator<(const Choice& other) const {
            return cost != other.cost ? cost > other.cost : order > other.order;
        }
    };
    struct Fresh {
        uint32_t side, node;
    };
    class Run;

    std::shared_ptr<const Rules> rules_;
    std::shared_ptr<TreeNet> net_;
    const bool self_check_;
    GuidedOptions options_;
    std::vector<uint32_t> outputs_;
    std::vector<uint16_t> moves_;  // the action that moves to an argument
};

}  // namespace threesil
