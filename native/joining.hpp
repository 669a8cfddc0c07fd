// Equations that are not needed though their sides have different normal forms.
//
// An equation is *ground joinable* if its sides join under every order that the values of its
// variables may have: then it says nothing about terms without variables that is not known.
// (Martin and Nipkow 1990) The sides of a critical pair are *connected* if a row of rewrites leads
// from one to the other through terms that are less than the peak. (Bachmair and Dershowitz 1988)
#pragma once

#include <cstdint>
#include <vector>

#include "control.hpp"
#include "rewriting.hpp"

namespace threesil {

class Joining {
   public:
    explicit Joining(RuleSet& rules) : rules_(rules) {}

    bool ground_joinable(FlatView s, FlatView t, Control& control);
    bool connected(FlatView s, FlatView t, FlatView peak, Control& control);

   private:
    static constexpr uint32_t kOrders = 150;  // that are tried; what needs more counts as needed

    bool joins_in_all(const Flat& s, const Flat& t, std::vector<uint32_t> row,
                      std::vector<uint32_t> others, Control& control);
    bool joins(const Flat& s, const Flat& t, Control& control);

    RuleSet& rules_;
    VariableOrder assumed_;
    uint32_t tried_ = 0;
    Flat left_, right_;
};

}  // namespace threesil
