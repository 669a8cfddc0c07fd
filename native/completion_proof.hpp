// Proofs out of a completion: the facts that the goal needs, each as a chain of rewrites.
//
// Facts that are cited once, or whose chain is a single rewrite, are unfolded where they are
// cited; the others become lemmas. Symbols that were put in for the search alone are replaced by
// what they stand for; facts about those that stand for nothing are unfolded, whatever it takes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "chain.hpp"
#include "completion.hpp"

namespace threesil {

struct ReadOutOptions {
    size_t longest_lemma = 30;       // rewrites of a chain that is unfolded because it is used once
    size_t longest_proof = 200'000;  // rewrites in all; more are not read out
    std::map<int32_t, Flat> meaning;   // what a symbol stands for
    std::vector<uint8_t> scaffolding;  // by symbol: no lemma may mention it
};

// A chain whose steps cite axioms, or, from `axioms` on, the lemmas before it. Heads from
// order.arity().size() on are the variables of the lemma.
struct LemmaChain {
    Chain chain;
    uint32_t end = 0;  // node of the last term
    uint32_t variables = 0;
    uint32_t fact = 0;  // what a lemma proves
};

// The lemmas in order, then the goal's own chain.
std::vector<LemmaChain> read_proof(const Completion& completion, const ReadOutOptions& options,
                                   Control& control);
// The lemmas that prove these facts, which are among them unless they mention scaffolding.
std::vector<LemmaChain> read_facts(const Completion& completion, const std::vector<uint32_t>& facts,
                                   const ReadOutOptions& options, Control& control);

// The facts that the proof rests on, in the order in which they were made.
std::vector<uint32_t> needed_facts(const Completion& completion, Control& control);

}  // namespace threesil
