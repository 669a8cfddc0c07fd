// Congruence closure over the terms of a bank, with proofs.
//
// A class is a set of terms known to be equal, closed under congruence. Each merge has a reason: a
// rule whose instance the two terms are, or congruence of their arguments. The reasons form a
// forest, in which the path between two terms of a class is a proof that they are equal
// (Nieuwenhuis and Oliveras: Proof-producing congruence closure, RTA 2005). A change that takes
// very long may be ended half-way; then the graph is good for nothing but clear().
#pragma once

#include <cassert>
#include <cstdint>
#include <functional>
#include <vector>

#include "term_bank.hpp"

namespace threesil {

class EGraph {
   public:
    static constexpr uint32_t kCongruence = 0xffffffffu;

    explicit EGraph(TermBank& bank) : bank_(bank) {}
    void clear();
    // Clears, and gives the memory back.
    void release();

    // Makes a term and its subterms known. `generation` is kept for new ones.
    void add(TermId term, uint32_t generation);
    // Two known terms are equal because the rule `reason` rewrites the first to the second.
    void merge(TermId from, TermId to, uint32_t reason);
    // Closes under congruence; to be called after merges.
    void rebuild();

    TermId find(TermId term) {
        assert(term < parent_.size());
        while (parent_[term] != term) {
            parent_[term] = parent_[parent_[term]];
            term = parent_[term];
        }
        return term;
    }
    // The class of an application to classes, or kNoTerm if no known term is one.
    TermId lookup(Head head, const TermId* classes, uint32_t count);

    // Nodes: known terms, one for each signature (head and classes of the arguments).
    const std::vector<TermId>& nodes() const { return nodes_; }
    bool duplicate(TermId term) const { return duplicate_[term]; }
    // The nodes of a class, by find(): follow next() from the root until it is the root again.
    TermId next(TermId term) const { return next_[term]; }
    TermId smallest(TermId root) const {
        assert(parent_[root] == root);
        return smallest_[root];
    }
    uint64_t heads(TermId root) const {
        assert(parent_[root] == root);
        return heads_[root];
    }
    static uint64_t head_bit(Head head) {
        return uint64_t{1} << (is_variable(head) ? 63 : head % 63);
    }
    uint32_t generation(TermId term) const { return generation_[term]; }
    // When a class last took in a node, by the clock that the user sets.
    uint32_t clock = 1;
    uint32_t changed(TermId root) const { return changed_[root]; }
    bool known(TermId term) const { return term < known_.size() && known_[term]; }
    void compact();

    // A step of a proof: the terms are equal by a rule (forward: it rewrites `from` to `to`) or by
    // congruence.
    struct Edge {
        TermId from, to;
        uint32_t reason;
        bool forward;
    };
    std::vector<Edge> path(TermId from, TermId to) const;

    // Throws std::logic_error unless classes, signatures and proofs are as they must be when all
    // merges are done; slow. `reasoned` says whether a rule rewrites one term to the other.
    void check(const std::function<bool(TermId, TermId, uint32_t)>& reasoned);

   private:
    void grow();
    void unite(TermId a, TermId b, uint32_t reason, bool forward);
    // Enters a term by its signature; an equal one that was there before is returned.
    TermId enter(TermId term);
    uint64_t signature(TermId term);
    bool same_signature(TermId a, TermId b);
    void rehash(size_t slots);

    TermBank& bank_;
    std::vector<TermId> parent_, next_, smallest_;
    std::vector<uint32_t> count_, generation_, changed_;
    std::vector<uint64_t> heads_;
    std::vector<std::vector<TermId>> uses_;
    std::vector<uint8_t> known_, duplicate_;
    std::vector<TermId> nodes_;
    std::vector<TermId> table_;
    size_t entered_ = 0;
    std::vector<std::pair<TermId, TermId>> pending_;
    // The proof forest: an edge to a neighbour.
    std::vector<TermId> proof_;
    std::vector<uint32_t> reason_;
    std::vector<uint8_t> forward_;
    std::vector<TermId> stack_;
};

}  // namespace threesil
