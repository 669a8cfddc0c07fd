#include "joining.hpp"

#include <algorithm>

namespace threesil {

namespace {

// The variables of both terms, each once.
std::vector<uint32_t> variables_in(FlatView s, FlatView t) {
    std::vector<uint32_t> found;
    for (const FlatView term : {s, t})
        for (const Cell cell : term)
            if (is_var(cell) && std::find(found.begin(), found.end(), var_of(cell)) == found.end())
                found.push_back(var_of(cell));
    return found;
}

Flat renamed(const Flat& term, uint32_t variable, uint32_t to) {
    Flat result = term;
    for (Cell& cell : result)
        if (is_var(cell) && var_of(cell) == variable) cell = var_cell(to);
    return result;
}

}  // namespace

// Whether the sides join if the variables are as assumed.
bool Joining::joins(const Flat& s, const Flat& t, Control& control) {
    left_ = s;
    right_ = t;
    rules_.normalise(left_, true, nullptr, control, &assumed_);
    rules_.normalise(right_, true, nullptr, control, &assumed_);
    return same(left_, right_) || rules_.subsumes(left_, right_);
}

// Puts one variable after the other into the row, at each place and level with each other one. The
// first row that is whole is a fast test: most equations that are needed do not join there.
bool Joining::joins_in_all(const Flat& s, const Flat& t, std::vector<uint32_t> row,
                           std::vector<uint32_t> others, Control& control) {
    if (same(s, t)) return true;
    if (row.size() > 1) {
        if (++tried_ > kOrders) return false;
        control.spend(4 * (s.size() + t.size()));
        assumed_.assign(row);
        if (joins(s, t, control)) return true;
    }
    if (others.empty()) return false;
    const uint32_t variable = others.back();
    others.pop_back();
    for (size_t at = row.size() + 1; at-- > 0;) {
        std::vector<uint32_t> longer = row;
        longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at), variable);
        if (!joins_in_all(s, t, std::move(longer), others, control)) return false;
    }
    for (const uint32_t other : row)
        if (!joins_in_all(renamed(s, variable, other), renamed(t, variable, other), row, others,
                          control))
            return false;
    return true;
}

bool Joining::ground_joinable(FlatView s, FlatView t, Control& control) {
    std::vector<uint32_t> variables = variables_in(s, t);
    if (variables.size() < 2) return false;
    tried_ = 0;
    assumed_.assign(variables);
    const Flat left(s.begin(), s.end()), right(t.begin(), t.end());
    if (!joins(left, right, control)) return false;
    return joins_in_all(left, right, {}, std::move(variables), control);
}

bool Joining::connected(FlatView s, FlatView t, FlatView peak, Control& control) {
    std::vector<uint32_t> variables = variables_in(s, t);
    for (size_t direction = 0; direction < 2; ++direction) {
        control.spend(4 * (s.size() + t.size()));
        assumed_.assign(variables);
        left_.assign(s.begin(), s.end());
        right_.assign(t.begin(), t.end());
        rules_.connect(left_, peak, assumed_, control);
        rules_.connect(right_, peak, assumed_, control);
        if (same(left_, right_) || rules_.subsumes(left_, right_)) return true;
        if (variables.size() < 2) return false;
        std::reverse(variables.begin(), variables.end());
    }
    return false;
}

}  // namespace threesil
