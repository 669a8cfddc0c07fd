#include "rewriting.hpp"

#include <algorithm>

namespace threesil {

namespace {

Cell filler_of(const Order& order) {
    assert(order.least() >= 0);
    return {order.least(), 1};
}

}  // namespace

uint32_t RuleSet::add(DirectedRule rule) {
    const auto number = static_cast<uint32_t>(rules_.size());
    (rule.oriented ? oriented_ : others_).insert(rule.from, number);
    rules_.push_back(std::move(rule));
    return number;
}

void RuleSet::remove(uint32_t rule) {
    DirectedRule& gone = rules_[rule];
    assert(gone.alive);
    (gone.oriented ? oriented_ : others_).remove(gone.from, rule);
    gone.alive = false;
}

bool RuleSet::step(FlatView part, bool all, const VariableOrder* assumed, uint32_t& used) {
    const auto take = [&](uint32_t rule, FlatValues values) {
        instance_.clear();
        append_instance(rules_[rule].to, values, filler_of(order_), instance_);
        used = rule;
        return !rules_[rule].weak || !same(part, instance_);
    };
    if (oriented_.find(part, take)) return true;
    if (!all) return false;
    return others_.find(part, [&](uint32_t rule, FlatValues values) {
        take(rule, values);
        measure(instance_, order_.arity());
        return assumed ? order_.greater(part, instance_, *assumed)
                       : order_.greater(part, instance_);
    });
}

void RuleSet::connect(Flat& term, FlatView peak, const VariableOrder& assumed, Control& control) {
    for (size_t i = 0; i < term.size(); ++i) {
        uint32_t used = 0;
        control.spend();
        if (is_var(term[i]) || !step(subterm(term, i), true, &assumed, used)) continue;
        Flat next(term.begin(), term.begin() + static_cast<std::ptrdiff_t>(i));
        next.insert(next.end(), instance_.begin(), instance_.end());
        next.insert(next.end(), term.begin() + static_cast<std::ptrdiff_t>(i + term[i].length),
                    term.end());
        measure(next, order_.arity());
        if (!order_.greater(peak, next)) continue;
        ++rewrites;
        term = std::move(next);
        i = static_cast<size_t>(-1);
    }
}

void RuleSet::normalise(Flat& term, bool all, std::vector<TraceStep>* trace, Control& control,
                        const VariableOrder* assumed) {
    normal_.assign(term.size(), 0);
    size_t i = term.size();
    while (i-- > 0) {
        if (normal_[i] || is_var(term[i])) continue;
        uint32_t used = 0;
        control.spend();
        if (!step(subterm(term, i), all, assumed, used)) {
            normal_[i] = 1;
            continue;
        }
        if (term.size() > kHuge) return;
        ++rewrites;
        const DirectedRule& rule = rules_[used];
        if (trace) trace->push_back({rule.fact, rule.forward, static_cast<uint32_t>(i)});
        // What comes from below the rule's variables is normal already.
        const size_t old = term[i].length, fresh = instance_.size();
        measure(instance_, order_.arity());
        std::vector<uint8_t>& marks = normal_;
        const auto grown = static_cast<std::ptrdiff_t>(fresh) - static_cast<std::ptrdiff_t>(old);
        for (size_t j = 0; j < i; ++j)
            if (j + term[j].length > i)
                term[j].length = static_cast<uint32_t>(term[j].length + grown);
        const auto place = static_cast<std::ptrdiff_t>(i);
        if (grown > 0) {
            term.insert(term.begin() + place, static_cast<size_t>(grown), Cell{0, 1});
            marks.insert(marks.begin() + place, static_cast<size_t>(grown), 0);
        } else if (grown < 0) {
            term.erase(term.begin() + place, term.begin() + place - grown);
            marks.erase(marks.begin() + place, marks.begin() + place - grown);
        }
        std::copy(instance_.begin(), instance_.end(), term.begin() + place);
        size_t at = i;
        for (const Cell cell : rule.to) {
            const size_t width = is_var(cell) ? term[at].length : 1;
            std::fill_n(marks.begin() + static_cast<std::ptrdiff_t>(at), width, is_var(cell));
            at += width;
        }
        assert(at == i + fresh);
        i = i + fresh;
    }
}

bool RuleSet::rewrite(uint32_t number, bool backward, FlatView part, Flat& out) const {
    const DirectedRule& rule = rules_[number];
    scratch_.assign(rule.variables, {});
    if (!match_flat(backward ? rule.to : rule.from, part, scratch_)) return false;
    const auto end = scratch_.begin() + rule.bound;
    if (backward && std::any_of(scratch_.begin(), end, [](FlatView v) { return v.empty(); }))
        return false;
    append_instance(backward ? rule.from : rule.to, scratch_, filler_of(order_), out);
    measure(out, order_.arity());
    return !same(part, out);
}

bool RuleSet::reduces(uint32_t number, FlatView term) const {
    const DirectedRule& rule = rules_[number];
    // An instance has no fewer cells than its pattern.
    for (size_t i = 0; i + rule.from.size() <= term.size(); ++i) {
        if (is_var(term[i]) || term[i].symbol != rule.from[0].symbol) continue;
        if (term[i].length < rule.from.size()) continue;
        scratch_.assign(rule.variables, {});
        const FlatView part = subterm(term, i);
        if (!match_flat(rule.from, part, scratch_)) continue;
        if (rule.oriented && !rule.weak) return true;
        other_.clear();
        append_instance(rule.to, scratch_, filler_of(order_), other_);
        measure(other_, order_.arity());
        if (rule.oriented ? !same(part, other_) : order_.greater(part, other_)) return true;
    }
    return false;
}

bool RuleSet::subsumes_at(FlatView s, FlatView t) const {
    const auto fits = [&](uint32_t rule, FlatValues values) {
        scratch_.assign(values.begin(), values.end());
        return match_flat(rules_[rule].to, t, scratch_);
    };
    return oriented_.find(s, fits) || others_.find(s, fits);
}

bool RuleSet::subsumes(FlatView s, FlatView t) const {
    // Pairs of subterms that must be equal for s and t to be.
    std::vector<std::pair<FlatView, FlatView>> open{{s, t}};
    while (!open.empty()) {
        const auto [a, b] = open.back();
        open.pop_back();
        if (same(a, b) || subsumes_at(a, b) || subsumes_at(b, a)) continue;
        if (is_var(a[0]) || a[0].symbol != b[0].symbol) return false;
        for (size_t i = 1, j = 1; i < a.size(); i += a[i].length, j += b[j].length)
            open.emplace_back(subterm(a, i), subterm(b, j));
    }
    return true;
}

}  // namespace threesil
