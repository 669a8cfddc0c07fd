// Bidirectional best-first search over terms.
//
// One frontier grows from each side of the equation. A node is a term, an edge one rewrite at any
// position by matching, with rules that need no choice of a value. The equation is proved when
// the frontiers share a term. The cost of a node is depth_cost * depth + size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chain.hpp"
#include "control.hpp"
#include "gate.hpp"
#include "rules.hpp"
#include "state.hpp"
#include "term_bank.hpp"
#include "unify.hpp"

namespace threesil {

// Time is the control's.
struct SearchLimits {
    static constexpr uint32_t kMostGrowth = 1'000'000, kMostDepthCost = 10'000;

    uint64_t expansions = 1'000'000;
    uint32_t growth = 20;  // nodes that a term may have more than the larger side
    uint32_t depth_cost = 6;
    uint64_t terms = 20'000'000;    // distinct terms in memory
    uint32_t length = 0xffffffffu;  // rewrites of a proof
};

struct SearchResult {
    Status status = Status::exhausted;
    uint64_t expansions = 0;
    uint64_t terms = 0;
    // The rewrites of the left side in order, then those of the right side; the first element of
    // a path is the side.
    std::vector<RewriteRecord> rewrites;
    // Of a saturation or a guided search instead: the chain, after those of the lemmas that it
    // cites (explain.hpp).
    std::vector<Chain> chains;
};

class TermSearch {
   public:
    TermSearch(std::shared_ptr<const Rules> rules, bool self_check);
    const Rules& rules() const { return *rules_; }
    bool self_check() const { return self_check_; }
    Gate gate;

    // `codes` are the two sides joined by the equality symbol.
    SearchResult prove(std::span<const int32_t> codes, const SearchLimits& limits,
                       Control& control);

   private:
    static constexpr uint32_t kNone = 0xffffffffu;
    struct SearchNode {
        TermId term;
        uint32_t parent;
        uint32_t depth;
    };
    struct Side {
        std::vector<SearchNode> nodes;
        std::vector<uint32_t> node_of;               // by term
        std::vector<std::vector<uint32_t>> buckets;  // waiting nodes by cost
        size_t lowest = 0;
        uint32_t deepest = 0;  // nodes of this depth are not expanded
    };
    struct Range {
        uint32_t begin = kNone, end = 0;
    };

    void clear();
    void search(std::span<const int32_t> codes, const SearchLimits& limits, SearchResult& result);
    // The results of all rewrites of a term, at any position; computed once for each term.
    Range rewrites(TermId term);
    void rewrite_root(TermId term);
    bool add(Side& side, TermId term, uint32_t parent, uint32_t depth, const SearchLimits& limits);
    std::vector<RewriteRecord> explain(const Side& side, uint32_t node, uint32_t number);
    std::optional<RewriteRecord> single_step(TermId before, TermId after);

    std::shared_ptr<const Rules> rules_;
    const bool self_check_;
    TermBank bank_;
    Unifier unifier_;
    std::vector<uint8_t> usable_;  // by rule: the right side has no variable of its own
    std::vector<Range> ranges_;
    std::vector<TermId> results_;
    uint32_t growth_ = 0;
    size_t most_results_ = 0;
    std::array<Side, 2> sides_;
};

}  // namespace threesil
