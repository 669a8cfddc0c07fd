#include "completion.hpp"

#include <algorithm>
#include <stdexcept>

namespace threesil {

Completion::Completion(Order order, const CompletionOptions& options,
                       std::unique_ptr<Scorer> scorer, std::unique_ptr<Scorer> second,
                       uint32_t turns, uint32_t firsts)
    : order_(std::move(order)),
      options_(options),
      scorer_(std::move(scorer)),
      second_(std::move(second)),
      rules_(order_),
      overlap_(order_),
      joining_(rules_),
      goal_(rules_, options.reached, options.equals),
      largest_(options.largest),
      queue_(firsts, second_ ? turns : 0),
      by_head_(order_.arity().size()),
      places_(order_.arity().size()) {
    if (order_.least() < 0) throw std::invalid_argument("completion needs a constant");
}

void Completion::add_axiom(Flat lhs, Flat rhs, bool later) {
    assert(beginning_ && (later || later_ == 0));
    later_ += later;
    Fact fact;
    fact.origin = Fact::Origin::axiom;
    fact.first = axioms_++;
    fact.left = std::move(lhs);
    fact.right = std::move(rhs);
    waiting_.insert(waiting_.begin(), std::move(fact));
}

void Completion::set_goal(Flat lhs, Flat rhs) { goal_.set(std::move(lhs), std::move(rhs)); }

void Completion::update_goal() {
    goal_.update(*control_);
    while (auto closing = goal_.closing()) {
        Fact fact;
        fact.origin = Fact::Origin::fact;
        fact.first = closing->fact;
        fact.left = facts_[closing->fact].lhs;
        fact.right = fact.rhs = facts_[closing->fact].rhs;
        fact.left_steps = std::move(closing->steps);
        fact.lhs = std::move(closing->lhs);
        fact.closing = true;
        waiting_.push_back(std::move(fact));
    }
    goal_is_old_ = false;
}

void Completion::make_pair(const Parents& parents) {
    const DirectedRule &outer = rules_[parents.outer], &inner = rules_[parents.inner];
    if (!outer.alive || !inner.alive || !overlap_.make(outer, parents.at, inner)) return;
    control_->spend(overlap_.left.size() + overlap_.right.size());
    if (std::max(overlap_.left.size(), overlap_.right.size()) > largest_) {
        lay_aside(parents);
        return;
    }
    const uint32_t depth = 1 + std::max(outer.depth, inner.depth);
    rules_.normalise(overlap_.left, false, nullptr, *control_);
    rules_.normalise(overlap_.right, false, nullptr, *control_);
    ++pairs_;
    if (same(overlap_.left, overlap_.right)) return;
    ScoredPair pair{overlap_.left, overlap_.right, depth, age_};
    pair.size = scorer_->score(pair);
    queue_.push(age_++, parents, pair.size, second_ ? second_->score(pair) : 0);
    if (queue_.size() <= options_.pairs) return;
    const auto alive = [&](const Parents& p) {
        return rules_[p.outer].alive && rules_[p.inner].alive;
    };
    if (queue_.prune(options_.pairs / 2, alive)) dropped_ = pruned_ = true;
}

// Pairs that are too large now get another turn when nothing else is left.
void Completion::lay_aside(const Parents& parents) {
    if (aside_.size() < options_.pairs)
        aside_.push_back(parents);
    else
        dropped_ = true;
}

bool Completion::take_larger() {
    if (aside_.empty() || largest_ >= RuleSet::kHuge) return false;
    largest_ *= 2;
    due_.clear();
    made_ = 0;
    std::swap(due_, aside_);
    return true;
}

void Completion::list_pairs(uint32_t number) {
    assert(beginning_ || made_ == due_.size());
    if (!beginning_) due_.clear();
    made_ = 0;
    const Active active = actives_[number];
    for (size_t d = 0; d < (active.oriented ? 1u : 2u); ++d) {
        const uint32_t mine = active.rule[d];
        const DirectedRule& rule = rules_[mine];
        // This rule outside. At the root a rule overlaps itself if its right side has variables of
        // its own: f(x) = g(y) gives g(y) = g(z).
        const bool with_itself = rule.variables > rule.bound;
        for (const uint32_t at : places_of(rule.from)) {
            for (const uint32_t other : by_head_[static_cast<size_t>(rule.from[at].symbol)])
                if (rules_[other].alive && (at != 0 || other != mine || with_itself))
                    due_.push_back({mine, other, at});
        }
        // This rule inside, below the root of another.
        if (is_var(rule.from[0])) continue;
        for (const Place place : places_[static_cast<size_t>(rule.from[0].symbol)])
            if (rules_[place.rule].alive && active_of_[place.rule] != number)
                due_.push_back({place.rule, mine, place.at});
    }
}

void Completion::activate(uint32_t fact, Orientation orientation) {
    const auto number = static_cast<uint32_t>(actives_.size());
    const bool oriented = orientation != Orientation::none;
    Active active{fact, true, oriented, orientation == Orientation::weak, {0, 0}};
    for (size_t d = 0; d < (oriented ? 1u : 2u); ++d) {
        DirectedRule made = directed(facts_[fact], fact, d == 0, oriented);
        made.weak = active.weak;
        const uint32_t rule = rules_.add(std::move(made));
        active.rule[d] = rule;
        active_of_.push_back(number);
        goal_.note(rule);
        assert(active_of_.size() == rules_.size());
        const DirectedRule& added = rules_[rule];
        if (is_var(added.from[0])) continue;
        by_head_[static_cast<size_t>(added.from[0].symbol)].push_back(rule);
        for (const uint32_t at : places_of(added.from))
            if (at > 0) places_[static_cast<size_t>(added.from[at].symbol)].push_back({rule, at});
    }
    actives_.push_back(active);
    reduced_ = 0;
    goal_is_old_ = true;
    const size_t before = beginning_ ? due_.size() : 0;
    list_pairs(number);
    facts_[fact].overlaps = static_cast<uint32_t>(due_.size() - before);
}

void Completion::retire(uint32_t number) {
    Active& active = actives_[number];
    assert(active.alive);
    active.alive = false;
    for (size_t d = 0; d < (active.oriented ? 1u : 2u); ++d) rules_.remove(active.rule[d]);
}

// Simplifies an older active fact with the newest.
void Completion::interreduce(uint32_t older) {
    const Active fresh = actives_.back();
    Active& active = actives_[older];
    if (!active.alive) return;
    const auto reduces = [&](FlatView term) {
        return rules_.reduces(fresh.rule[0], term) ||
               (!fresh.oriented && rules_.reduces(fresh.rule[1], term));
    };
    const Fact& old = facts_[active.fact];
    control_->spend(1 + (old.lhs.size() + old.rhs.size()) / 8);
    const bool left = reduces(old.lhs), right = reduces(old.rhs);
    if (!left && !right) return;
    Fact next;
    next.origin = Fact::Origin::fact;
    next.first = active.fact;
    next.left = old.lhs;
    next.right = old.rhs;
    next.depth = old.depth;
    if (left || !active.oriented) {
        retire(older);
        waiting_.push_back(std::move(next));
        return;
    }
    // The left side stays: only the result of the rule changes.
    next.lhs = next.left;
    next.rhs = next.right;
    rules_.normalise(next.rhs, true, &next.right_steps, *control_);
    rename(next, std::max(variables_of(next.left), variables_of(next.right)));
    DirectedRule& rule = rules_.at(active.rule[0]);
    const auto number = static_cast<uint32_t>(facts_.size());
    DirectedRule changed = directed(next, number, true, true);
    assert(same(changed.from, rule.from));
    rule.to = std::move(changed.to);
    rule.fact = number;
    rule.variables = changed.variables;
    if (active.weak && order_.greater(next.lhs, next.rhs)) active.weak = rule.weak = false;
    active.fact = number;
    facts_.push_back(std::move(next));
}

// Whether a fact that is simplified says something new about terms without variables.
bool Completion::needed(const Fact& fact) {
    if (same(fact.lhs, fact.rhs) || rules_.subsumes(fact.lhs, fact.rhs)) return false;
    if (options_.connectedness && fact.origin == Fact::Origin::overlap &&
        joining_.connected(fact.lhs, fact.rhs, fact.peak, *control_))
        return false;
    return !options_.ground_joining || !joining_.ground_joinable(fact.lhs, fact.rhs, *control_);
}

// Simplifies the fact that waits last; it becomes active unless it follows from those that are.
void Completion::consider() {
    control_->spend(10);
    Fact fact = waiting_.back();
    if (fact.lhs.empty()) {
        fact.lhs = fact.left;
        fact.rhs = fact.right;
    }
    if (!fact.closing) {
        rules_.normalise(fact.lhs, true, &fact.left_steps, *control_);
        rules_.normalise(fact.rhs, true, &fact.right_steps, *control_);
    }
    const bool is_huge = std::max(fact.lhs.size(), fact.rhs.size()) > RuleSet::kHuge;
    const bool is_needed = !is_huge && (fact.closing || needed(fact));
    waiting_.pop_back();
    dropped_ = dropped_ || is_huge;
    if (!is_needed) return;
    const uint32_t variables = std::max(variables_of(fact.left), variables_of(fact.right));
    const Compared order = order_.compare(fact.lhs, fact.rhs);
    Orientation orientation = Orientation::full;
    if (order == Compared::none) {
        const bool down = order_.at_least(fact.lhs, fact.rhs);
        fact.flipped = !down && order_.at_least(fact.rhs, fact.lhs);
        orientation = down || fact.flipped ? Orientation::weak : Orientation::none;
    } else {
        fact.flipped = order == Compared::less;
    }
    if (fact.flipped) std::swap(fact.lhs, fact.rhs);
    rename(fact, variables);
    if (orientation == Orientation::none && !fact.part && split(fact)) return;
    facts_.push_back(std::move(fact));
    activate(static_cast<uint32_t>(facts_.size()) - 1, orientation);
}

// f(x, y) = g(x, z) says that f(x, y) = f(x, c), g(x, z) = g(x, c) and f(x, c) = g(x, c), where c
// is the least constant: these wait instead.
bool Completion::split(Fact& fact) {
    const auto without = [&](const Flat& side, const Flat& other) {
        Flat result = side;
        for (Cell& cell : result)
            if (is_var(cell) && std::none_of(other.begin(), other.end(),
                                             [&](Cell c) { return c.symbol == cell.symbol; }))
                cell = {order_.least(), 1};
        return result;
    };
    const Flat left = without(fact.lhs, fact.rhs), right = without(fact.rhs, fact.lhs);
    const bool own_left = !same(left, fact.lhs), own_right = !same(right, fact.rhs);
    if (!own_left && !own_right) return false;
    const auto number = static_cast<uint32_t>(facts_.size());
    const auto wait = [&](const Flat& from, const Flat& to) -> Fact& {
        Fact part;
        part.origin = Fact::Origin::fact;
        part.first = number;
        part.depth = fact.depth;
        part.part = true;
        part.left = from;
        part.right = to;
        return waiting_.emplace_back(std::move(part));
    };
    const Compared order = order_.compare(left, right);
    if (own_right && order != Compared::less) {
        Fact& part = wait(left, fact.rhs);
        part.left_steps.push_back({number, true, 0});
        part.lhs = right;
        part.rhs = fact.rhs;
    }
    if (own_left && order != Compared::greater) {
        Fact& part = wait(fact.lhs, right);
        part.right_steps.push_back({number, false, 0});
        part.lhs = fact.lhs;
        part.rhs = left;
    }
    if (order != Compared::equal)
        wait(order == Compared::greater ? fact.lhs : left,
             order == Compared::less ? fact.rhs : right);
    facts_.push_back(std::move(fact));
    return true;
}

// Takes the best critical pair from the queue.
void Completion::take() {
    const auto [score, number, parents] = queue_.pop();
    const DirectedRule &outer = rules_[parents.outer], &inner = rules_[parents.inner];
    if (!outer.alive || !inner.alive) return;
    if (!overlap_.make(outer, parents.at, inner)) return;
    ++considered_;
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
    fact.pair = number;
    waiting_.push_back(std::move(fact));
}

void Completion::step() {
    if (reduced_ + 1 < actives_.size()) {
        for (; reduced_ + 1 < actives_.size(); ++reduced_) interreduce(reduced_);
    } else if (beginning_ && waiting_.size() > later_) {
        consider();
    } else if (goal_is_old_) {
        beginning_ = false;
        update_goal();
    } else if (made_ < due_.size()) {
        control_->spend(2);
        make_pair(due_[made_]);
        ++made_;
    } else if (!waiting_.empty()) {
        consider();
    } else {
        control_->spend(20);
        take();
    }
}

Status Completion::run(uint64_t expansions, Control& control) {
    control_ = &control;
    const uint64_t last =
        expansions > UINT64_MAX - considered_ ? UINT64_MAX : considered_ + expansions;
    try {
        while (!goal_.proved()) {
            const bool idle = reduced_ + 1 >= actives_.size() && !goal_is_old_ &&
                              made_ == due_.size() && waiting_.empty();
            if (idle && queue_.empty() && !take_larger())
                return pruned_ ? Status::memory : Status::exhausted;
            if (idle && considered_ >= last) return Status::expansions;
            step();
        }
    } catch (const Ended& ended) {
        return ended.status;
    }
    return Status::proved;
}

CompletionStatistics Completion::statistics() const {
    CompletionStatistics result;
    result.pairs = pairs_;
    result.considered = considered_;
    result.rewrites = rules_.rewrites;
    for (const Active& active : actives_) result.active += active.alive;
    result.queue = queue_.size() + due_.size() - made_;
    result.distance = goal_.distance();
    result.dropped = dropped_ || !aside_.empty() || goal_.distance() > RuleSet::kHuge;
    return result;
}

std::vector<Completion::ActiveFact> Completion::active_facts() const {
    std::vector<ActiveFact> result;
    for (const Active& active : actives_)
        if (active.alive) result.push_back({active.fact, active.oriented && !active.weak});
    return result;
}

}  // namespace threesil
