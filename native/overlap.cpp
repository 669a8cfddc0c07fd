#include "overlap.hpp"

namespace threesil {

Overlap::Ref Overlap::deref(Ref ref) const {
    while (is_var(*ref.term)) {
        const Ref value = values_[ref.space][var_of(*ref.term)];
        if (!value.term) return ref;
        ref = value;
    }
    return ref;
}

bool Overlap::occurs(Ref variable, Ref in) {
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
            } else {
                stack_.push_back(inner);
            }
        }
    }
    return false;
}

bool Overlap::unify(Ref first, Ref second) {
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

void Overlap::build(const Cell* term, size_t length, uint8_t space, Flat& out) {
    parts_.assign(1, {term, term + length, space});
    while (!parts_.empty()) {
        Part& part = parts_.back();
        if (part.next == part.end) {
            parts_.pop_back();
            continue;
        }
        const Cell cell = *part.next++;
        if (!is_var(cell)) {
            out.push_back(cell);
            continue;
        }
        const Ref value = deref({part.next - 1, part.space});
        if (is_var(*value.term)) {
            int32_t& name = names_[value.space][var_of(*value.term)];
            if (name < 0) name = static_cast<int32_t>(variables++);
            out.push_back(var_cell(static_cast<uint32_t>(name)));
        } else {
            parts_.push_back({value.term, value.term + value.term->length, value.space});
        }
    }
}

bool Overlap::make(const DirectedRule& outer, uint32_t at, const DirectedRule& inner) {
    assert(at < outer.from.size() && !is_var(outer.from[at]));
    values_[0].assign(outer.variables, {});
    values_[1].assign(inner.variables, {});
    if (!unify({outer.from.data() + at, 0}, {inner.from.data(), 1})) return false;
    names_[0].assign(outer.variables, -1);
    names_[1].assign(inner.variables, -1);
    variables = 0;
    left.clear();
    right.clear();
    peak.clear();
    build(outer.to.data(), outer.to.size(), 0, left);
    const uint32_t end = at + outer.from[at].length;
    build(outer.from.data(), at, 0, right);
    place = static_cast<uint32_t>(right.size());
    build(inner.to.data(), inner.to.size(), 1, right);
    build(outer.from.data() + end, outer.from.size() - end, 0, right);
    measure(left, order_.arity());
    measure(right, order_.arity());
    if (same(left, right)) return false;
    build(outer.from.data(), outer.from.size(), 0, peak);
    measure(peak, order_.arity());
    if (!outer.oriented) {
        const Compared c = order_.compare(peak, left);
        if (c == Compared::less || c == Compared::equal) return false;
    }
    if (!inner.oriented) {
        const Compared c = order_.compare(peak, right);
        if (c == Compared::less || c == Compared::equal) return false;
    }
    return true;
}

}  // namespace threesil
