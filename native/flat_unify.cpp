#include "flat_unify.hpp"

namespace threesil {

bool FlatUnifier::occurs(Ref variable, Ref in) {
    stack_.assign(1, in);
    while (!stack_.empty()) {
        const Ref top = stack_.back();
        stack_.pop_back();
        for (const Cell* cell = top.term; cell != top.term + top.term->length; ++cell) {
            if (!is_var(*cell)) continue;
            const Ref inner = deref({cell, top.space});
            if (is_var(*inner.term)) {
                if (inner.space == variable.space && inner.term->symbol == variable.term->symbol)
                    return true;
            } else if (inner.term != cell) {
                stack_.push_back(inner);
            }
        }
    }
    return false;
}

bool FlatUnifier::unify(Ref first, Ref second) {
    pairs_.assign(1, {first, second});
    while (!pairs_.empty()) {
        const Ref a = deref(pairs_.back().a), b = deref(pairs_.back().b);
        pairs_.pop_back();
        const bool var_a = is_var(*a.term), var_b = is_var(*b.term);
        if (var_a && var_b && a.space == b.space && a.term->symbol == b.term->symbol) continue;
        if (var_a) {
            if (!var_b && occurs(a, b)) return false;
            values_[a.space][var_of(*a.term)] = b;
        } else if (var_b) {
            if (occurs(b, a)) return false;
            values_[b.space][var_of(*b.term)] = a;
        } else {
            if (a.term->symbol != b.term->symbol) return false;
            const uint32_t end = a.term->length;
            uint32_t i = 1, j = 1;
            while (i < end) {
                pairs_.push_back({{a.term + i, a.space}, {b.term + j, b.space}});
                i += a.term[i].length;
                j += b.term[j].length;
            }
        }
    }
    return true;
}

}  // namespace threesil
