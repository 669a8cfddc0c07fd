// The lexicographic path order, by a precedence alone.
//
// f(s...) > t if some argument of it is t or greater; or t = g(t...), f(s...) is greater than all
// of them, and f comes later than g in the precedence, or is g and the first arguments that differ
// are so ordered. It turns x * (y + z) into x * y + x * z, which weights do not. (Kamin and Levy
// 1980; Baader and Nipkow 1998, section 5.4.2)
#pragma once

#include <cstdint>
#include <vector>

#include "flat.hpp"

namespace threesil {

class VariableOrder;

class PathOrder {
   public:
    // `assumed` of the variables, if anything is. What takes too long to find out counts as no.
    PathOrder(const std::vector<uint32_t>& rank, const VariableOrder* assumed)
        : rank_(rank), assumed_(assumed) {}

    bool greater(FlatView s, FlatView t);

   private:
    static constexpr uint32_t kMost = 2'000;  // subterms that are compared

    bool has_as_large(FlatView s, FlatView t);
    bool is_above(FlatView s, FlatView t, size_t from);

    const std::vector<uint32_t>& rank_;
    const VariableOrder* assumed_;
    uint32_t compared_ = 0;
};

}  // namespace threesil
