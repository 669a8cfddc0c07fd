// An equation that holds, with what it was made of, and the rules that it gives.
#pragma once

#include <cstdint>
#include <vector>

#include "rewriting.hpp"

namespace threesil {

struct Fact {
    enum class Origin : uint8_t { axiom, fact, overlap };
    Flat lhs, rhs;  // variables by first occurrence
    Origin origin = Origin::axiom;
    uint32_t first = 0;  // the axiom, the fact, or the outer fact of the overlap
    bool first_forward = true;
    uint32_t second = 0;  // the inner fact
    bool second_forward = true;
    uint32_t at = 0;         // cell of the peak
    Flat peak, left, right;  // before simplification, with variables of their own
    std::vector<TraceStep> left_steps, right_steps;
    bool flipped = false;        // lhs comes from `right`
    std::vector<int32_t> names;  // by variable of left and right: that of lhs and rhs, -1 if none
    uint32_t depth = 0;
    uint32_t pair = 0;      // of an overlap: the number of the critical pair
    uint32_t overlaps = 0;  // with others that it was tried for
    bool part = false;      // of one that was split; it is not split again
    bool closing = false;   // it closes the search for values, and is not simplified
};

// Numbers the variables by first occurrence in lhs, then in rhs; `variables` bounds those of left
// and right.
void rename(Fact& fact, uint32_t variables);
// The fact in one direction.
DirectedRule directed(const Fact& fact, uint32_t number, bool forward, bool oriented);
// Where rules can be used inside a term: each subterm that is no variable, once.
std::vector<uint32_t> places_of(FlatView term);

}  // namespace threesil
