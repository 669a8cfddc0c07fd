#include "reached.hpp"

#include <algorithm>
#include <cassert>

namespace threesil {

namespace {

uint64_t hash_of(FlatView term) {
    uint64_t h = 0x9e3779b97f4a7c15ull;
    for (const Cell cell : term) {
        h = (h ^ static_cast<uint32_t>(cell.symbol)) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    return h;
}

}  // namespace

uint32_t Reached::find(FlatView term) const {
    const auto place = by_hash_.find(hash_of(term));
    if (place == by_hash_.end() || !same(members_[place->second].term, term)) return kNone;
    return place->second;
}

uint32_t Reached::keep(Member member, uint64_t hash) {
    const auto number = static_cast<uint32_t>(members_.size());
    by_hash_.emplace(hash, number);
    if (member.term.size() <= options_.largest) {
        waiting_.push_back({cost(member), number});
        std::push_heap(waiting_.begin(), waiting_.end());
        live_.push_back(number);
    }
    members_.push_back(std::move(member));
    return number;
}

uint32_t Reached::give(const Flat& term) {
    if (const uint32_t known = find(term); known != kNone) return known;
    const size_t largest = std::min<size_t>(term.size() + options_.growth, options_.largest);
    largest_ = std::max(largest_, largest);
    Member member;
    member.term = term;
    return keep(std::move(member), hash_of(term));
}

uint32_t Reached::normal_form(uint32_t from, Control& control) {
    Member member;
    member.term = members_[from].term;
    rules_.normalise(member.term, true, &member.steps, control);
    if (member.steps.empty()) return from;
    if (const uint32_t known = find(member.term); known != kNone) return known;
    if (live_.size() >= options_.terms) lay_aside(worst());
    member.from = from;
    member.backwards = members_[from].backwards;
    const uint64_t hash = hash_of(member.term);
    return keep(std::move(member), hash);
}

size_t Reached::worst() const {
    const auto place = std::max_element(live_.begin(), live_.end(), [&](uint32_t a, uint32_t b) {
        return Waiting{cost(members_[b]), b} < Waiting{cost(members_[a]), a};
    });
    return static_cast<size_t>(place - live_.begin());
}

void Reached::lay_aside(size_t place) {
    members_[live_[place]].aside = true;
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(place));
}

// False if there are too many terms and the new one is no better than the worst.
bool Reached::make_room(uint32_t new_cost) {
    if (members_.size() >= options_.kept) return false;
    if (live_.size() < options_.terms) return true;
    const size_t place = worst();
    if (cost(members_[live_[place]]) <= new_cost) return false;
    lay_aside(place);
    return true;
}

void Reached::add(const Successor& next) {
    const Member& before = members_[next.from];
    Member member;
    member.backwards = before.backwards + next.larger;
    const size_t length = before.term.size() - before.term[next.step.at].length + next.part.size();
    if (member.backwards > options_.backwards || length > largest_) return;
    const auto at = before.term.begin() + static_cast<std::ptrdiff_t>(next.step.at);
    const auto rest = at + static_cast<std::ptrdiff_t>(at->length);
    member.term.reserve(length);
    member.term.assign(before.term.begin(), at);
    member.term.insert(member.term.end(), next.part.begin(), next.part.end());
    member.term.insert(member.term.end(), rest, before.term.end());
    const uint64_t hash = hash_of(member.term);
    if (by_hash_.contains(hash) || !make_room(cost(member))) return;
    measure(member.term, rules_.order().arity());
    member.from = next.from;
    member.steps.push_back(next.step);
    keep(std::move(member), hash);
}

// What a rule makes of the subterm at a cell.
void Reached::note(uint32_t m, uint32_t at, uint32_t number, bool backward) {
    const DirectedRule& rule = rules_[number];
    if (!rule.alive || (backward && members_[m].backwards >= options_.backwards)) return;
    const FlatView part = subterm(members_[m].term, at);
    Successor next;
    if (!rules_.rewrite(number, backward, part, next.part)) return;
    next.from = m;
    next.step = {rule.fact, rule.forward != backward, at};
    next.larger = backward || (!rule.oriented && !rules_.order().greater(part, next.part));
    found_.push_back(std::move(next));
}

void Reached::touch(uint32_t number, Control& control) {
    const DirectedRule& rule = rules_[number];
    if (!rule.alive) return;
    const int32_t left = rule.from[0].symbol, right = rule.to[0].symbol;
    const bool backward = rule.oriented && right >= 0;
    found_.clear();
    for (const uint32_t m : live_) {
        if (!members_[m].explored) continue;
        const Flat& term = members_[m].term;
        control.spend(1 + term.size() / 8);
        for (uint32_t at = 0; at < term.size(); ++at) {
            const int32_t head = term[at].symbol;
            if (head < 0) continue;
            if (head == left || left < 0) note(m, at, number, false);
            if (head == right && backward) note(m, at, number, true);
        }
    }
    for (const Successor& next : found_) add(next);
    if (!backward) return;
    const auto head = static_cast<size_t>(right);
    if (head >= by_result_.size()) by_result_.resize(head + 1);
    by_result_[head].push_back(number);
}

bool Reached::explore(Control& control) {
    while (!waiting_.empty() && members_[waiting_.front().member].aside) {
        std::pop_heap(waiting_.begin(), waiting_.end());
        waiting_.pop_back();
    }
    if (waiting_.empty()) return false;
    const uint32_t m = waiting_.front().member;
    const Flat& term = members_[m].term;
    found_.clear();
    for (uint32_t at = 0; at < term.size(); ++at) {
        if (is_var(term[at])) continue;
        control.spend(4);
        rules_.each_matching(subterm(term, at), [&](uint32_t r) { note(m, at, r, false); });
        const auto head = static_cast<size_t>(term[at].symbol);
        if (head >= by_result_.size()) continue;
        for (const uint32_t rule : by_result_[head]) note(m, at, rule, true);
    }
    std::pop_heap(waiting_.begin(), waiting_.end());
    waiting_.pop_back();
    members_[m].explored = true;
    for (const Successor& next : found_) add(next);
    return true;
}

std::vector<TraceStep> Reached::path_to(uint32_t member) const {
    std::vector<const Member*> way;
    for (; members_[member].from != kNone; member = members_[member].from)
        way.push_back(&members_[member]);
    std::vector<TraceStep> steps;
    for (size_t i = way.size(); i-- > 0;)
        steps.insert(steps.end(), way[i]->steps.begin(), way[i]->steps.end());
    return steps;
}

uint32_t Reached::root_of(uint32_t member) const {
    while (members_[member].from != kNone) member = members_[member].from;
    return member;
}

}  // namespace threesil
