#include "ground_equalities.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "verify.hpp"

namespace threesil {

void GroundEqualities::begin(TermId left, TermId right) {
    graph_.add(left, 0);
    graph_.add(right, 0);
    left_ = left;
    right_ = right;
}

void GroundEqualities::add(const Action& action, TermId from, TermId to) {
    assert(bank_.ground(from) && bank_.ground(to));
    graph_.add(from, 0);
    graph_.add(to, 0);
    if (graph_.find(from) == graph_.find(to)) return;
    const auto rule = std::find_if(action.rules.begin(), action.rules.end(), [&](uint16_t r) {
        return is_instance(bank_, rules_.rules[r], from, to);
    });
    if (rule == action.rules.end()) throw std::logic_error("a rewrite is no instance of its rule");
    graph_.merge(from, to, *rule);
    graph_.rebuild();
}

}  // namespace threesil
