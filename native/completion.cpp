#include "completion.hpp"

#include <algorithm>
#include <stdexcept>

namespace threesil {

namespace {

// Numbers the variables of a fact by first occurrence in lhs, then in rhs.
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

}  // namespace

Completion::Completion(Order order, const CompletionOptions& options, Control& control)
    : order_(std::move(order)),
      options_(options),
      control_(control),
      rules_(order_),
      overlap_(order_),
      by_head_(order_.arity().size()),
      places_(order_.arity().size()) {
    if (order_.least() < 0) throw std::invalid_argument("completion needs a constant");
}

void Completion::add_axiom(Flat lhs, Flat rhs) {
    Fact fact;
    fact.origin = Fact::Origin::axiom;
    fact.first = static_cast<uint32_t>(waiting_.size());
    fact.left = std::move(lhs);
    fact.right = std::move(rhs);
    waiting_.push_back(std::move(fact));
}

void Completion::set_goal(Flat lhs, Flat rhs) {
    assert(variables_of(lhs) == 0 && variables_of(rhs) == 0);
    goal_[0] = goal_now_[0] = std::move(lhs);
    goal_[1] = goal_now_[1] = std::move(rhs);
    have_goal_ = true;
}

void Completion::simplify_goal() {
    if (!have_goal_) return;
    for (size_t s = 0; s < 2; ++s) rules_.normalise(goal_now_[s], true, &goal_steps_[s]);
}

// The size of a term in which a subterm that comes again counts as one.
float Completion::score(FlatView term) {
    hashes_.resize(term.size());
    for (size_t i = term.size(); i-- > 0;) {
        uint64_t h = (static_cast<uint64_t>(static_cast<uint32_t>(term[i].symbol)) + 1) *
                     0x9e3779b97f4a7c15ull;
        for (size_t j = i + 1; j < i + term[i].length; j += term[j].length)
            h = (h ^ hashes_[j]) * 0xff51afd7ed558ccdull, h ^= h >> 31;
        hashes_[i] = h;
    }
    float total = 0;
    for (size_t i = 0; i < term.size();) {
        if (is_var(term[i])) {
            total += options_.variable_weight;
            ++i;
            continue;
        }
        total += 1;
        const uint32_t length = term[i].length;
        bool again = false;
        if (length > 1)
            for (size_t j = i + length; j < term.size() && !again; ++j)
                again = hashes_[j] == hashes_[i] && term[j].length == length;
        i += again ? length : 1;
    }
    return total;
}

void Completion::make_pair(uint32_t outer, uint32_t at, uint32_t inner) {
    const DirectedRule &o = rules_[outer], &i = rules_[inner];
    control_.spend(2);
    if (!overlap_.make(o, at, i)) return;
    ++result_.pairs;
    control_.spend(overlap_.left.size() + overlap_.right.size());
    if (overlap_.left.size() > options_.largest || overlap_.right.size() > options_.largest) {
        dropped_ = true;
        return;
    }
    rules_.normalise(overlap_.left, false, nullptr);
    rules_.normalise(overlap_.right, false, nullptr);
    if (same(overlap_.left, overlap_.right)) return;
    const float a = score(overlap_.left), b = score(overlap_.right);
    const auto depth = static_cast<float>(1 + std::max(o.depth, i.depth));
    const float total = depth * options_.depth_weight + (a + b) * options_.smaller_weight +
                        std::max(a, b) * (options_.larger_weight - options_.smaller_weight);
    queue_.push_back({total, age_++, outer, inner, at});
    std::push_heap(queue_.begin(), queue_.end());
    if (queue_.size() > options_.pairs) throw Ended{Status::memory};
}

void Completion::make_pairs(uint32_t number) {
    const Active active = actives_[number];
    for (size_t d = 0; d < (active.oriented ? 1u : 2u); ++d) {
        const uint32_t mine = active.rule[d];
        const DirectedRule& rule = rules_[mine];
        // This rule outside.
        for (uint32_t at = 0; at < rule.from.size(); ++at) {
            if (is_var(rule.from[at])) continue;
            const auto& others = by_head_[static_cast<size_t>(rule.from[at].symbol)];
            for (size_t k = 0; k < others.size(); ++k) {
                const uint32_t other = others[k];
                if (!rules_[other].alive || (at == 0 && other == mine)) continue;
                make_pair(mine, at, other);
            }
        }
        // This rule inside, below the root of another.
        if (is_var(rule.from[0])) continue;
        const auto& places = places_[static_cast<size_t>(rule.from[0].symbol)];
        for (size_t k = 0; k < places.size(); ++k) {
            const Place place = places[k];
            if (!rules_[place.rule].alive || active_of_[place.rule] == number) continue;
            make_pair(place.rule, place.at, mine);
        }
    }
}

void Completion::activate(uint32_t fact, bool oriented) {
    const auto number = static_cast<uint32_t>(actives_.size());
    Active active{fact, true, oriented, {0, 0}};
    for (size_t d = 0; d < (oriented ? 1u : 2u); ++d) {
        const uint32_t rule = rules_.add(directed(facts_[fact], fact, d == 0, oriented));
        active.rule[d] = rule;
        active_of_.push_back(number);
        assert(active_of_.size() == rules_.size());
        const DirectedRule& added = rules_[rule];
        if (is_var(added.from[0])) continue;
        by_head_[static_cast<size_t>(added.from[0].symbol)].push_back(rule);
        for (uint32_t at = 1; at < added.from.size(); ++at)
            if (!is_var(added.from[at]))
                places_[static_cast<size_t>(added.from[at].symbol)].push_back({rule, at});
    }
    actives_.push_back(active);
    interreduce(number);
    simplify_goal();
    if (proved()) return;
    make_pairs(number);
}

void Completion::retire(uint32_t number) {
    Active& active = actives_[number];
    assert(active.alive);
    active.alive = false;
    for (size_t d = 0; d < (active.oriented ? 1u : 2u); ++d) rules_.remove(active.rule[d]);
}

// Simplifies the older active facts with the newest.
void Completion::interreduce(uint32_t newest) {
    const Active fresh = actives_[newest];
    const auto reduces = [&](FlatView term) {
        return rules_.reduces(fresh.rule[0], term) ||
               (!fresh.oriented && rules_.reduces(fresh.rule[1], term));
    };
    for (uint32_t a = 0; a < newest; ++a) {
        Active& active = actives_[a];
        if (!active.alive) continue;
        const Fact& old = facts_[active.fact];
        control_.spend(1 + (old.lhs.size() + old.rhs.size()) / 8);
        const bool left = reduces(old.lhs), right = reduces(old.rhs);
        if (!left && !right) continue;
        Fact next;
        next.origin = Fact::Origin::fact;
        next.first = active.fact;
        next.left = old.lhs;
        next.right = old.rhs;
        next.depth = old.depth;
        if (left || !active.oriented) {
            retire(a);
            waiting_.push_back(std::move(next));
            continue;
        }
        // The left side stays: only the result of the rule changes.
        next.lhs = next.left;
        next.rhs = next.right;
        rules_.normalise(next.rhs, true, &next.right_steps);
        rename(next, std::max(variables_of(next.left), variables_of(next.right)));
        DirectedRule& rule = rules_.at(active.rule[0]);
        const auto number = static_cast<uint32_t>(facts_.size());
        DirectedRule changed = directed(next, number, true, true);
        assert(same(changed.from, rule.from));
        rule.to = std::move(changed.to);
        rule.fact = number;
        rule.variables = changed.variables;
        active.fact = number;
        facts_.push_back(std::move(next));
    }
}

bool Completion::redundant(FlatView s, FlatView t) { return rules_.subsumes(s, t); }

void Completion::consider_one(Fact fact) {
    fact.lhs = fact.left;
    fact.rhs = fact.right;
    rules_.normalise(fact.lhs, true, &fact.left_steps);
    rules_.normalise(fact.rhs, true, &fact.right_steps);
    if (same(fact.lhs, fact.rhs) || redundant(fact.lhs, fact.rhs)) return;
    const uint32_t variables = std::max(variables_of(fact.left), variables_of(fact.right));
    const Compared order = order_.compare(fact.lhs, fact.rhs);
    if (order == Compared::less) {
        std::swap(fact.lhs, fact.rhs);
        fact.flipped = true;
    }
    rename(fact, variables);
    const bool oriented = order != Compared::none;
    facts_.push_back(std::move(fact));
    activate(static_cast<uint32_t>(facts_.size()) - 1, oriented);
}

void Completion::consider(Fact fact) {
    waiting_.push_back(std::move(fact));
    while (!waiting_.empty() && !proved()) {
        Fact next = std::move(waiting_.back());
        waiting_.pop_back();
        consider_one(std::move(next));
    }
}

bool Completion::take(const Passive& passive) {
    const DirectedRule &outer = rules_[passive.outer], &inner = rules_[passive.inner];
    if (!outer.alive || !inner.alive) return false;
    if (!overlap_.make(outer, passive.at, inner)) return false;
    Fact fact;
    fact.origin = Fact::Origin::overlap;
    fact.first = outer.fact;
    fact.first_forward = outer.forward;
    fact.second = inner.fact;
    fact.second_forward = inner.forward;
    fact.at = overlap_.place;
    fact.left = overlap_.left;
    fact.right = overlap_.right;
    fact.peak = overlap_.peak;
    fact.depth = 1 + std::max(outer.depth, inner.depth);
    consider(std::move(fact));
    return true;
}

CompletionResult Completion::run(uint64_t expansions) {
    try {
        std::vector<Fact> axioms;
        axioms.swap(waiting_);
        simplify_goal();
        for (Fact& axiom : axioms)
            if (!proved()) consider(std::move(axiom));
        while (!proved()) {
            if (queue_.empty()) {
                result_.complete = !dropped_;
                break;
            }
            if (result_.considered >= expansions) throw Ended{Status::expansions};
            std::pop_heap(queue_.begin(), queue_.end());
            const Passive passive = queue_.back();
            queue_.pop_back();
            control_.spend(20);
            if (take(passive)) ++result_.considered;
        }
        if (proved()) result_.status = Status::proved;
    } catch (const Ended& ended) {
        result_.status = ended.status;
    }
    result_.rewrites = rules_.rewrites;
    for (const Active& active : actives_) result_.active += active.alive;
    return result_;
}

}  // namespace threesil
