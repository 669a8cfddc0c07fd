#include "order.hpp"

#include <algorithm>
#include <stdexcept>

#include "path_order.hpp"

namespace threesil {

Order::Order(std::vector<uint8_t> arity, std::vector<uint32_t> weight, std::vector<uint32_t> rank,
             bool by_path)
    : arity_(std::move(arity)),
      weight_(std::move(weight)),
      rank_(std::move(rank)),
      by_path_(by_path) {
    if (weight_.size() != arity_.size() || rank_.size() != arity_.size())
        throw std::invalid_argument("an order needs a weight and a rank for each symbol");
    uint32_t last = 0;
    for (const uint32_t rank_of : rank_) last = std::max(last, rank_of);
    bool light = false;
    for (size_t f = 0; f < arity_.size(); ++f) {
        if (arity_[f] == 0) {
            if (weight_[f] == 0) throw std::invalid_argument("a constant needs a weight");
            const auto symbol = static_cast<int32_t>(f);
            const auto lighter = [&](size_t other) {
                return weight_[f] != weight_[other] ? weight_[f] < weight_[other]
                                                    : rank_[f] < rank_[other];
            };
            if (least_ < 0 || lighter(static_cast<size_t>(least_))) least_ = symbol;
        }
        if (arity_[f] == 1 && weight_[f] == 0) {
            if (light || rank_[f] != last || std::count(rank_.begin(), rank_.end(), last) != 1)
                throw std::invalid_argument("only the last unary symbol may weigh nothing");
            light = true;
        }
    }
    if (least_ >= 0) variable_weight_ = weight_[static_cast<size_t>(least_)];
}

int64_t Order::weigh(FlatView s, FlatView t, uint32_t& bound) const {
    int64_t heavier = 0;
    const auto count = [&](FlatView term, int sign) {
        for (const Cell cell : term) {
            if (!is_var(cell)) {
                heavier += sign * static_cast<int64_t>(weight_[static_cast<size_t>(cell.symbol)]);
                continue;
            }
            heavier += sign * static_cast<int64_t>(variable_weight_);
            const uint32_t v = var_of(cell);
            if (v >= balance_.size()) balance_.resize(v + 1, 0);
            bound = std::max(bound, v + 1);
            balance_[v] += sign;
        }
    };
    count(s, 1);
    count(t, -1);
    return heavier;
}

// Whether s stays as heavy as it is against t when the values of the variables grow.
bool Order::is_bounded(uint32_t bound, const VariableOrder& assumed) const {
    for (uint32_t v = 0; v < bound; ++v)
        if (balance_[v] < 0 && assumed.place(v) < 0) return false;
    // A value grows with all that come after it in the row.
    int32_t after = 0;
    const auto& row = assumed.row();
    for (size_t i = row.size(); i-- > 0;) {
        if (row[i] < bound) after += balance_[row[i]];
        if (after < 0) return false;
    }
    return true;
}

bool Order::at_least(FlatView s, FlatView t) const {
    if (same(s, t) || (t.size() == 1 && t[0].symbol == least_)) return true;
    const Compared c = compare(s, t);
    if (c != Compared::none || by_path_ || is_var(s[0]) || is_var(t[0]))
        return c == Compared::greater;
    uint32_t bound = 0;
    const bool level = weigh(s, t, bound) == 0;
    const bool balanced =
        std::all_of(balance_.begin(), balance_.begin() + bound, [](int32_t b) { return b >= 0; });
    std::fill_n(balance_.begin(), bound, 0);
    if (!level || !balanced || s[0].symbol != t[0].symbol) return false;
    for (size_t i = 1, j = 1; i < s.size(); i += s[i].length, j += t[j].length) {
        if (!at_least(subterm(s, i), subterm(t, j))) return false;
        if (greater(subterm(s, i), subterm(t, j))) return true;
    }
    return true;
}

bool Order::greater(FlatView s, FlatView t, const VariableOrder& assumed) const {
    if (by_path_) return PathOrder(rank_, &assumed).greater(s, t);
    for (;;) {
        if (same(s, t)) return false;
        uint32_t bound = 0;
        const int64_t heavier = weigh(s, t, bound);
        const bool bounded = is_bounded(bound, assumed);
        std::fill_n(balance_.begin(), bound, 0);
        if (!bounded || heavier < 0) return false;
        if (heavier > 0) return true;
        if (is_var(t[0])) {
            if (!is_var(s[0])) return true;
            const int32_t a = assumed.place(var_of(s[0])), b = assumed.place(var_of(t[0]));
            return a >= 0 && b >= 0 && a > b;
        }
        if (is_var(s[0])) return false;
        if (s[0].symbol != t[0].symbol)
            return rank_[static_cast<size_t>(s[0].symbol)] >
                   rank_[static_cast<size_t>(t[0].symbol)];
        size_t i = 1, j = 1;
        while (same(subterm(s, i), subterm(t, j))) {
            i += s[i].length;
            j += t[j].length;
            assert(i < s.size() && j < t.size());
        }
        s = subterm(s, i);
        t = subterm(t, j);
    }
}

Compared Order::compare(FlatView s, FlatView t) const {
    if (by_path_) {
        if (same(s, t)) return Compared::equal;
        if (PathOrder(rank_, nullptr).greater(s, t)) return Compared::greater;
        return PathOrder(rank_, nullptr).greater(t, s) ? Compared::less : Compared::none;
    }
    bool greater = true, less = true;  // what is still possible
    for (;;) {
        if (same(s, t)) return Compared::equal;
        uint32_t bound = 0;
        const int64_t heavier = weigh(s, t, bound);
        for (uint32_t v = 0; v < bound; ++v) {
            greater = greater && balance_[v] >= 0;
            less = less && balance_[v] <= 0;
            balance_[v] = 0;
        }
        const auto if_greater = [&] { return greater ? Compared::greater : Compared::none; };
        const auto if_less = [&] { return less ? Compared::less : Compared::none; };
        if (!greater && !less) return Compared::none;
        if (heavier != 0) return heavier > 0 ? if_greater() : if_less();
        if (is_var(t[0])) return is_var(s[0]) ? Compared::none : if_greater();
        if (is_var(s[0])) return if_less();
        if (s[0].symbol != t[0].symbol) {
            const auto f = static_cast<size_t>(s[0].symbol), g = static_cast<size_t>(t[0].symbol);
            if (rank_[f] == rank_[g]) return Compared::none;
            return rank_[f] > rank_[g] ? if_greater() : if_less();
        }
        size_t i = 1, j = 1;
        while (same(subterm(s, i), subterm(t, j))) {
            i += s[i].length;
            j += t[j].length;
            assert(i < s.size() && j < t.size());
        }
        s = subterm(s, i);
        t = subterm(t, j);
    }
}

}  // namespace threesil
