// Proofs out of the proof forest of a congruence closure, with sharing.
//
// The path between two terms of a class proves that they are equal; an edge of congruence on it
// stands for the proofs that the arguments are equal. Unfolded into one chain this may be
// exponentially long: then a pair of terms that is needed more than once becomes a lemma.
#pragma once

#include <cstdint>
#include <vector>

#include "chain.hpp"
#include "egraph.hpp"
#include "rules.hpp"
#include "term_bank.hpp"

namespace threesil {

// The number of the equation of a step that cites the lemma number n is kCited + n.
inline constexpr uint32_t kCited = 0x80000000u;

// Chains without variables of their own: the lemmas, each after those that it cites, and last
// that from one term to the other. A lemma says that the ends of its chain are equal.
std::vector<Chain> explain(const Rules& rules, TermBank& bank, const EGraph& graph, TermId from,
                           TermId to);

}  // namespace threesil
