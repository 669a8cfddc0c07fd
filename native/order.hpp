// A reduction order: Knuth and Bendix's, by weights of the symbols and a precedence.
//
// s > t if no variable occurs more often in t, and s weighs more; or as much, and its head comes
// later in the precedence, or is the same and the first arguments that differ are so ordered.
// Variables weigh as much as the lightest constant. A unary symbol may weigh nothing if it comes
// last in the precedence. (Knuth and Bendix 1970; Baader and Nipkow 1998, section 5.4.4)
#pragma once

#include <cstdint>
#include <vector>

#include "flat.hpp"

namespace threesil {

enum class Compared : uint8_t { none, equal, greater, less };

class Order {
   public:
    // `weight` and `rank` by symbol; a higher rank comes later in the precedence.
    Order(std::vector<uint8_t> arity, std::vector<uint32_t> weight, std::vector<uint32_t> rank);

    Compared compare(FlatView s, FlatView t) const;
    bool greater(FlatView s, FlatView t) const { return compare(s, t) == Compared::greater; }

    const std::vector<uint8_t>& arity() const { return arity_; }
    const std::vector<uint32_t>& weights() const { return weight_; }
    const std::vector<uint32_t>& ranks() const { return rank_; }
    // The least constant, -1 if there is none.
    int32_t least() const { return least_; }

   private:
    std::vector<uint8_t> arity_;
    std::vector<uint32_t> weight_, rank_;
    int32_t least_ = -1;
    uint32_t variable_weight_ = 1;
    mutable std::vector<int32_t> balance_;  // of each variable: occurrences in s less those in t
};

}  // namespace threesil
