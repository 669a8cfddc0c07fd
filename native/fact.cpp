#include "fact.hpp"

#include <algorithm>

namespace threesil {

void rename(Fact& fact, uint32_t variables) {
    fact.names.assign(variables, -1);
    int32_t next = 0;
    for (Flat* side : {&fact.lhs, &fact.rhs})
        for (Cell& cell : *side) {
            if (!is_var(cell)) continue;
            int32_t& name = fact.names[var_of(cell)];
            if (name < 0) name = next++;
            cell = var_cell(static_cast<uint32_t>(name));
        }
}

std::vector<uint32_t> places_of(FlatView term) {
    std::vector<uint32_t> places;
    for (uint32_t at = 0; at < term.size(); ++at) {
        if (is_var(term[at])) continue;
        const auto again = [&](uint32_t other) {
            return same(subterm(term, other), subterm(term, at));
        };
        if (std::none_of(places.begin(), places.end(), again)) places.push_back(at);
    }
    return places;
}

DirectedRule directed(const Fact& fact, uint32_t number, bool forward, bool oriented) {
    DirectedRule rule;
    rule.from = forward ? fact.lhs : fact.rhs;
    rule.to = forward ? fact.rhs : fact.lhs;
    rule.fact = number;
    rule.forward = forward;
    rule.oriented = oriented;
    rule.depth = fact.depth;
    std::vector<int32_t> names(std::max(variables_of(rule.from), variables_of(rule.to)), -1);
    for (Flat* side : {&rule.from, &rule.to}) {
        for (Cell& cell : *side) {
            if (!is_var(cell)) continue;
            int32_t& name = names[var_of(cell)];
            if (name < 0) name = static_cast<int32_t>(rule.variables++);
            cell = var_cell(static_cast<uint32_t>(name));
        }
        if (side == &rule.from) rule.bound = rule.variables;
    }
    return rule;
}

}  // namespace threesil
