// From the rewrites of a proof to a closed chain from the problem's start to its end.
//
// The core narrows: a rewrite may instantiate variables that earlier ones introduced, and numbers
// of variables are used again. Here every rule gets variables of its own, the unifiers of all
// steps together with the last one (of both sides) give each of them its value, and what is still
// free gets a constant. Of an equation, the rewrites of the right side come last and backwards.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rules.hpp"
#include "state.hpp"

namespace threesil {

using Bindings = std::vector<std::pair<uint32_t, std::vector<int32_t>>>;

struct ChainStep {
    std::vector<uint32_t> path;
    uint32_t equation;
    bool left_to_right;
    std::vector<uint32_t> values;  // of the equation's variables: nodes
    uint32_t result;               // the whole term: a node
};

// Terms are nodes of one table, bottom-up: a head, then as many nodes as its arity says.
struct Chain {
    std::vector<uint32_t> heads;
    std::vector<uint32_t> args;
    uint32_t start = 0;
    std::vector<ChainStep> steps;
};

// `first_free`: variables that nothing determines become constants of the problem from this one
// on, in place of the filler.
inline constexpr Head kFill = kVariable;
Chain read_out(const Rules& rules, std::span<const int32_t> start,
               const std::vector<RewriteRecord>& records, const Bindings& solution, Head first_free,
               Control* control, bool self_check);

}  // namespace threesil
