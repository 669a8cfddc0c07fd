// The slow checks of the self-check: what the core has done, verified by another way than the one
// that did it. A failure is a defect of the core, thrown as std::logic_error.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chain.hpp"
#include "rules.hpp"
#include "term_bank.hpp"

namespace threesil {

// The values that make a pattern a term are put where none are yet; false if there are none, or
// others than those that are known.
bool bind_pattern(const TermBank& bank, const Pattern& pattern, TermId term,
                  std::vector<TermId>& values);

// Whether the rule rewrites the whole of one term to the other.
bool is_instance(const TermBank& bank, const Rule& rule, TermId from, TermId to);

// Throws unless the chain begins with the start of the problem and each of its steps is an
// instance of its equation at its place; `closed`: it ends with the right side of an equation.
void check_chain(const Rules& rules, std::span<const int32_t> start, const Chain& chain,
                 bool closed);

}  // namespace threesil
