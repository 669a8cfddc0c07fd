#include "overlap.hpp"

namespace threesil {

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
        const FlatUnifier::Ref value = unifier_.deref({part.next - 1, part.space});
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
    unifier_.clear(outer.variables, inner.variables);
    if (!unifier_.unify({outer.from.data() + at, 0}, {inner.from.data(), 1})) return false;
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
    if (!outer.oriented || outer.weak) {
        const Compared c = order_.compare(peak, left);
        if (c == Compared::less || c == Compared::equal) return false;
    }
    if (!inner.oriented || inner.weak) {
        const Compared c = order_.compare(peak, right);
        if (c == Compared::less || c == Compared::equal) return false;
    }
    return true;
}

}  // namespace threesil
