// A reduction order: Knuth and Bendix's, by weights of the symbols and a precedence; or, without
// weights, the lexicographic path order.
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

// Variables in a row, each less than the next: what is assumed of their values.
class VariableOrder {
   public:
    void assign(std::vector<uint32_t> row) {
        row_ = std::move(row);
        place_.clear();
        for (uint32_t i = 0; i < row_.size(); ++i) {
            if (row_[i] >= place_.size()) place_.resize(row_[i] + 1, -1);
            place_[row_[i]] = static_cast<int32_t>(i);
        }
    }
    const std::vector<uint32_t>& row() const { return row_; }
    // -1: nothing is assumed.
    int32_t place(uint32_t variable) const {
        return variable < place_.size() ? place_[variable] : -1;
    }

   private:
    std::vector<uint32_t> row_;
    std::vector<int32_t> place_;
};

enum class Compared : uint8_t { none, equal, greater, less };

class Order {
   public:
    // `weight` and `rank` by symbol; a higher rank comes later in the precedence. With `by_path`
    // it is the path order: of the weights only those of constants are looked at, for the least.
    Order(std::vector<uint8_t> arity, std::vector<uint32_t> weight, std::vector<uint32_t> rank,
          bool by_path = false);

    Compared compare(FlatView s, FlatView t) const;
    bool greater(FlatView s, FlatView t) const { return compare(s, t) == Compared::greater; }

    // Greater or equal under all values: those of a variable are never less than the least
    // constant.
    bool at_least(FlatView s, FlatView t) const;
    // Under all values of the variables for which the assumption holds.
    bool greater(FlatView s, FlatView t, const VariableOrder& assumed) const;

    const std::vector<uint8_t>& arity() const { return arity_; }
    const std::vector<uint32_t>& weights() const { return weight_; }
    const std::vector<uint32_t>& ranks() const { return rank_; }
    // The least constant, -1 if there is none.
    int32_t least() const { return least_; }

   private:
    std::vector<uint8_t> arity_;
    std::vector<uint32_t> weight_, rank_;
    bool by_path_;
    int32_t least_ = -1;
    uint32_t variable_weight_ = 1;
    // The weight of s less that of t, variables as light as can be; balances are left in balance_,
    // whose first `bound` entries the caller clears.
    int64_t weigh(FlatView s, FlatView t, uint32_t& bound) const;
    bool is_bounded(uint32_t bound, const VariableOrder& assumed) const;

    mutable std::vector<int32_t> balance_;  // of each variable: occurrences in s less those in t
};

}  // namespace threesil
