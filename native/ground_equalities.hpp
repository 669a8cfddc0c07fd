// Equalities of ground terms that the rewrites of a search have proved, closed under congruence.
//
// A rewrite inside a term proves that two subterms are equal, wherever else they stand. Two terms
// that were never rewritten to the same one may so be known to be equal: because their arguments
// are, each by rewrites of its own.
#pragma once

#include <vector>

#include "egraph.hpp"
#include "explain.hpp"
#include "rules.hpp"
#include "term_bank.hpp"

namespace threesil {

class GroundEqualities {
   public:
    GroundEqualities(const Rules& rules, TermBank& bank)
        : rules_(rules), bank_(bank), graph_(bank) {
        graph_.clear();
    }
    // The two terms that are to be shown equal.
    void begin(TermId left, TermId right);
    // An action rewrites the whole of one ground term to the other.
    void add(const Action& action, TermId from, TermId to);
    bool proved() { return graph_.find(left_) == graph_.find(right_); }
    // From the first of the two terms to the second, with lemmas.
    std::vector<Chain> chains() const { return explain(rules_, bank_, graph_, left_, right_); }

   private:
    const Rules& rules_;
    TermBank& bank_;
    EGraph graph_;
    TermId left_ = kNoTerm, right_ = kNoTerm;
};

}  // namespace threesil
