#include "goal_sets.hpp"

#include <algorithm>
#include <cassert>

namespace threesil {

void GoalSets::set(Flat lhs, Flat rhs) {
    assert(!is_set() && variables_of(lhs) == 0 && variables_of(rhs) == 0);
    given_[0] = std::move(lhs);
    given_[1] = std::move(rhs);
    for (size_t s = 0; s < 2; ++s) normal_[s] = sides_[s].give(given_[s]);
}

size_t GoalSets::distance() const {
    if (!is_set()) return 0;
    return sides_[0][normal_[0]].term.size() + sides_[1][normal_[1]].term.size();
}

// Looks for terms that are new on one side among those of the other.
bool GoalSets::meet() {
    for (size_t s = 0; s < 2; ++s) {
        const Reached &mine = sides_[s], &other = sides_[1 - s];
        for (; compared_[s] < mine.size(); ++compared_[s]) {
            const auto m = static_cast<uint32_t>(compared_[s]);
            const uint32_t met = other.find(mine[m].term);
            if (met == Reached::kNone) continue;
            meeting_[s] = m;
            meeting_[1 - s] = met;
            return true;
        }
    }
    return false;
}

void GoalSets::update(Control& control) {
    if (!is_set() || proved()) return;
    for (size_t s = 0; s < 2; ++s) normal_[s] = sides_[s].normal_form(normal_[s], control);
    if (meet()) return;
    while (!fresh_.empty()) {
        const uint32_t number = fresh_.back();
        if (!seeks_values()) {
            for (Reached& side : sides_) side.touch(number, control);
        } else {
            const DirectedRule& rule = rules_[number];
            variants_.touch(number, control);
            if (rule.from[0].symbol == equals_ && same(rule.to, given_[1])) {
                const size_t before = variants_.size();
                const uint32_t variant = variants_.give(rule.from);
                if (variants_.size() > before) roots_.emplace_back(variant, rule.fact);
            }
        }
        fresh_.pop_back();
    }
    for (size_t s = 0; s < 2; ++s) {
        Reached& set = seeks_values() ? variants_ : sides_[s];
        for (; due_[s] > 0; --due_[s]) set.explore(control);
    }
    meet();
}

bool GoalSets::closes(FlatView term) {
    if (term[0].symbol != equals_) return false;
    unifier_.clear(variables_of(term), 0);
    return unifier_.unify({&term[1], 0}, {&term[1 + term[1].length], 0});
}

std::optional<GoalSets::Closing> GoalSets::closing() {
    for (; looked_at_ < variants_.size(); ++looked_at_) {
        const auto variant = static_cast<uint32_t>(looked_at_);
        // What was given is a rule itself: it overlaps with eq(x, x) = true.
        if (variants_[variant].from == Reached::kNone || !closes(variants_[variant].term)) continue;
        ++looked_at_;
        const uint32_t root = variants_.root_of(variant);
        const auto of = std::find_if(roots_.begin(), roots_.end(),
                                     [&](const auto& pair) { return pair.first == root; });
        assert(of != roots_.end());
        return Closing{of->second, variants_[variant].term, variants_.path_to(variant)};
    }
    return std::nullopt;
}

}  // namespace threesil
