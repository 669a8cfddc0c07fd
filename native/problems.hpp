// Problems of a theory as prefix codes, checked once; shared by all that play or search them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rules.hpp"

namespace threesil {

// `target` is empty where the theory's goal needs none.
struct Problem {
    std::vector<int32_t> start, target;
};

// Throws unless the codes are a problem of the theory: whole terms of its symbols, the equality
// at the root of an equation and nowhere else, no cursor, no introduced variable. The problem's
// constants are numbered in the order in which they appear, so there are no more than codes.
void check_problem(const Rules& rules, const Problem& problem);
// The same for an equation that a search is to prove.
void check_equation(const Rules& rules, std::span<const int32_t> codes);

class Problems {
   public:
    explicit Problems(std::shared_ptr<const Rules> rules, std::vector<Problem> problems = {});

    size_t size() const { return all_.size(); }
    const Problem& operator[](size_t index) const { return all_[index]; }
    void replace(size_t index, Problem problem);
    // Whether the rules read the codes as those that they were checked for do.
    bool fits(const Rules& rules) const;

   private:
    std::shared_ptr<const Rules> rules_;
    std::vector<Problem> all_;
};

}  // namespace threesil
