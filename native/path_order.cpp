#include "path_order.hpp"

#include "order.hpp"

namespace threesil {

// Whether some argument of s is t or greater.
bool PathOrder::has_as_large(FlatView s, FlatView t) {
    for (size_t i = 1; i < s.size(); i += s[i].length)
        if (same(subterm(s, i), t) || greater(subterm(s, i), t)) return true;
    return false;
}

// Whether s is greater than the arguments of t from a cell on.
bool PathOrder::is_above(FlatView s, FlatView t, size_t from) {
    for (size_t j = from; j < t.size(); j += t[j].length)
        if (!greater(s, subterm(t, j))) return false;
    return true;
}

bool PathOrder::greater(FlatView s, FlatView t) {
    if (++compared_ > kMost) return false;
    if (is_var(s[0])) {
        if (!is_var(t[0]) || !assumed_) return false;
        const int32_t a = assumed_->place(var_of(s[0])), b = assumed_->place(var_of(t[0]));
        return a >= 0 && b >= 0 && a > b;
    }
    if (has_as_large(s, t)) return true;
    if (is_var(t[0])) return false;
    const auto f = static_cast<size_t>(s[0].symbol), g = static_cast<size_t>(t[0].symbol);
    if (f != g) return rank_[f] > rank_[g] && is_above(s, t, 1);
    size_t i = 1, j = 1;
    while (i < s.size() && same(subterm(s, i), subterm(t, j))) {
        i += s[i].length;
        j += t[j].length;
    }
    if (i == s.size()) return false;  // they are the same
    return greater(subterm(s, i), subterm(t, j)) && is_above(s, t, j + t[j].length);
}

}  // namespace threesil
