// Critical pairs: what comes of a term that two rules rewrite in different places.
//
// The outer rule rewrites the whole of the peak, the inner rule its subterm at a cell that is no
// variable of the outer rule.
#pragma once

#include <cstdint>
#include <vector>

#include "flat.hpp"
#include "flat_unify.hpp"
#include "rewriting.hpp"

namespace threesil {

class Overlap {
   public:
    explicit Overlap(const Order& order) : order_(order) {}

    // Unifies outer.from at the cell with inner.from; false if that can't be, or if the rules,
    // where they are not oriented, would make the peak larger. On success `left`, `right` and
    // `peak` are the two results and the term they come from, variables by first occurrence.
    bool make(const DirectedRule& outer, uint32_t at, const DirectedRule& inner);

    Flat left, right, peak;
    uint32_t place = 0;  // the cell of the peak, and of `right`, where the inner rule was used
    uint32_t variables = 0;

   private:
    void build(const Cell* term, size_t length, uint8_t space, Flat& out);

    const Order& order_;
    FlatUnifier unifier_;
    std::vector<int32_t> names_[2];
    struct Part {
        const Cell* next;
        const Cell* end;
        uint8_t space;
    };
    std::vector<Part> parts_;
};

}  // namespace threesil
