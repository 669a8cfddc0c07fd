#include "state.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>

namespace threesil {

namespace {

constexpr size_t kFirstTidy = 1 << 16;

void set(MaskWord* words, uint32_t action) { words[action / 64] |= MaskWord{1} << action % 64; }
void clear(MaskWord* words, uint32_t action) {
    words[action / 64] &= ~(MaskWord{1} << action % 64);
}

}  // namespace

Worker::Worker(std::shared_ptr<const Rules> rules, std::shared_ptr<const Problems> problems,
               Limits limits, bool quirk, bool self_check)
    : rules_(std::move(rules)),
      limits_(limits),
      self_check_(self_check),
      bank_(rules_->arity, rules_->constructor),
      unifier_(bank_, quirk),
      tidy_at_(std::min<size_t>(kFirstTidy, limits.bank_terms)) {
    set_problems(std::move(problems));
}

void Worker::set_problems(std::shared_ptr<const Problems> problems) {
    assert(problems && problems->fits(*rules_));
    problems_ = std::move(problems);
    interned_.assign(problems_->size(), {kNoTerm, kNoTerm});
}

void Worker::forget_all() {
    bank_.clear();
    mask_slot_.clear();
    masks_.clear();
    std::fill(interned_.begin(), interned_.end(), std::pair{kNoTerm, kNoTerm});
    tidy_at_ = std::min<size_t>(kFirstTidy, limits_.bank_terms);
    crowded_ = false;
    ++collections_;  // what others keep by term is out of date
}

bool Worker::coherent(const Episode& episode) const {
    if (episode.spine.size() != episode.path.size() + 1 || episode.spine[0] != episode.term)
        return false;
    if (episode.path.empty()) return true;
    const TermId above = episode.spine[episode.spine.size() - 2];
    return episode.path.back() < bank_.arity(bank_.head(above)) &&
           bank_.arg(above, episode.path.back()) == episode.spine.back();
}

void Worker::set_profile(Profile* profile) {
    profile_ = profile;
    bank_.profile = profile;
}

void Worker::to_root(Episode& episode) const {
    episode.path.clear();
    episode.spine.assign(1, episode.term);
    if (rules_->no_repeats) episode.visited.push_back(episode.term);
}

void Worker::reset(Episode& episode, uint32_t problem) {
    assert(problem < interned_.size() && interned_.size() == problems_->size());
    if (interned_[problem].first == kNoTerm) {
        const Problem& codes = (*problems_)[problem];
        const TermId read = bank_.read(codes.start);
        interned_[problem] = {read, codes.target.empty() ? kNoTerm : bank_.read(codes.target)};
    }
    const auto& [start, target] = interned_[problem];
    episode.problem = problem;
    episode.term = start;
    episode.target = target;
    episode.visited.clear();
    episode.actions.clear();
    episode.masked = false;
    to_root(episode);
    episode.end = solved(episode) ? End::solved : limit_of(episode.term);
}

bool Worker::solved(const Episode& episode) {
    switch (rules_->goal) {
        case Goal::target:
            return episode.term == episode.target;
        case Goal::normal_form:
            return bank_[episode.term].normal;
        case Goal::equation:
            return unifier_.unify(bank_.arg(episode.term, 0), bank_.arg(episode.term, 1));
    }
    return false;
}

End Worker::limit_of(TermId term) const {
    const Node& node = bank_[term];
    if (node.size > limits_.size) return End::size;
    if (node.depth > limits_.depth) return End::depth;
    if (node.bound > limits_.variables) return End::variables;
    return End::running;
}

const Rule* Worker::applicable(const Action& action, TermId term, uint32_t offset) {
    for (uint16_t rule : action.rules)
        if (unifier_.unify(term, rules_->rules[rule], offset)) return &rules_->rules[rule];
    return nullptr;
}

const MaskWord* Worker::mask_of(TermId term) {
    if (term >= mask_slot_.size()) mask_slot_.resize(bank_.size(), kNoMask);
    const size_t words = rules_->mask_words();
    if (mask_slot_[term] != kNoMask) return masks_.data() + mask_slot_[term] * words;
    Timed timed(profile_, Work::mask);
    fresh_mask_.assign(words, 0);
    MaskWord* mask = fresh_mask_.data();
    const Head head = bank_.head(term);
    for (uint32_t a = 0; a < rules_->actions.size(); ++a) {
        const Action& action = rules_->actions[a];
        if (!action.move || action.argument >= bank_.arity(head)) continue;
        if (rules_->enter_leaves || bank_[bank_.arg(term, action.argument)].size > 1) set(mask, a);
    }
    if (static_cast<int64_t>(head) == rules_->equality) return keep_mask(term);
    const uint32_t offset = bank_[term].bound;
    bank_.spend(rules_->candidates(head).size());
    uint32_t decided = kNoMask;  // the action whose first applicable rule has been found
    for (uint16_t rule : rules_->candidates(head)) {
        const uint32_t action = rules_->action_of[rule];
        const Rule& r = rules_->rules[rule];
        if (action == decided || !r.from.may_match(bank_, term)) continue;
        const bool may_idle = rules_->no_repeats && r.to.may_match(bank_, term);
        if (is_variable(r.from.root_head()) && !may_idle) {
            decided = action;
            set(mask, action);
        } else if (unifier_.unify(term, r, offset)) {
            decided = action;
            const bool idle = may_idle && !unifier_.binds_goal() && unifier_.instance_is(term);
            if (!idle) set(mask, action);
        }
    }
    return keep_mask(term);
}

// Only a mask that is complete enters the table: work may end in the middle of one.
const MaskWord* Worker::keep_mask(TermId term) {
    const size_t words = rules_->mask_words();
    assert(fresh_mask_.size() == words && mask_slot_[term] == kNoMask);
    masks_.insert(masks_.end(), fresh_mask_.begin(), fresh_mask_.end());
    mask_slot_[term] = static_cast<uint32_t>(masks_.size() / words - 1);
    return masks_.data() + masks_.size() - words;
}

bool Worker::mask(const Episode& episode, MaskWord* words) {
    assert(coherent(episode));
    const size_t count = rules_->mask_words();
    const MaskWord* base = mask_of(episode.spine.back());
    std::copy(base, base + count, words);
    const bool at_equality =
        static_cast<int64_t>(bank_.head(episode.spine.back())) == rules_->equality;
    if (rules_->no_repeats && !at_equality) exclude_visited(episode, words);
    return std::any_of(words, words + count, [](MaskWord w) { return w != 0; });
}

const MaskWord* Worker::legal(Episode& episode) {
    if (!episode.masked) {
        episode.legal.resize(rules_->mask_words());
        mask(episode, episode.legal.data());
        episode.masked = true;
    }
    return episode.legal.data();
}

// A rewrite can only lead to a visited term that agrees with the current one around the cursor,
// up to variables that the unifier may instantiate, and whose subterm there (the residue) can be
// an instance of the rule's right side. Few are left, and those are compared, not built.
void Worker::exclude_visited(const Episode& episode, MaskWord* words) {
    Timed timed(profile_, Work::visited);
    const bool ground = bank_.ground(episode.spine.back());
    const size_t count = rules_->mask_words();
    bank_.spend(1 + episode.visited.size());
    suspects_.clear();
    suspected_.assign(count, 0);
    for (const TermId visited : episode.visited) {
        if (visited == episode.term) continue;  // mask_of() has seen to it
        Suspect suspect{visited, visited, true};
        bool possible = true;
        for (size_t i = 0; possible && i < episode.path.size(); ++i) {
            const TermId mine = episode.spine[i];
            const TermId other = suspect.residue;
            if (other != mine) {
                possible = bank_.head(other) == bank_.head(mine);
                const uint32_t arity = possible ? bank_.arity(bank_.head(mine)) : 0;
                for (uint32_t k = 0; k < arity; ++k) {
                    const TermId my_arg = bank_.arg(mine, k);
                    if (k == episode.path[i] || bank_.arg(other, k) == my_arg) continue;
                    suspect.same_context = false;
                    possible = possible && !ground && !bank_.ground(my_arg);
                }
            }
            if (possible) suspect.residue = bank_.arg(other, episode.path[i]);
        }
        if (!possible) continue;
        suspects_.push_back(suspect);
        const MaskWord* can = rules_->can_yield(bank_.head(suspect.residue));
        for (size_t w = 0; w < count; ++w) suspected_[w] |= can[w];
    }
    if (suspects_.empty()) return;
    for (size_t w = 0; w < count; ++w)
        for (MaskWord left = words[w] & suspected_[w]; left; left &= left - 1) {
            const auto action = static_cast<uint32_t>(64 * w + std::countr_zero(left));
            if (leads_to_suspect(episode, rules_->actions[action])) clear(words, action);
        }
}

bool Worker::leads_to_suspect(const Episode& episode, const Action& action) {
    const Rule* rule = nullptr;
    for (const Suspect& suspect : suspects_) {
        if (!rule) {
            const bool may = std::any_of(action.rules.begin(), action.rules.end(), [&](uint16_t r) {
                return rules_->rules[r].to.may_match(bank_, suspect.residue);
            });
            if (!may) continue;
            rule = applicable(action, episode.spine.back(), bank_[episode.term].bound);
            if (!rule) return false;
        }
        const bool binds = unifier_.binds_goal();
        if (!binds && !suspect.same_context) continue;
        if (!unifier_.instance_is(suspect.residue)) continue;
        if (!binds) return true;
        TermId node = suspect.term;
        bool same = true;
        for (size_t i = 0; same && i < episode.path.size(); ++i) {
            const TermId mine = episode.spine[i];
            for (uint32_t k = 0; same && k < bank_.arity(bank_.head(mine)); ++k)
                same = k == episode.path[i] ||
                       unifier_.instance_is(bank_.arg(mine, k), bank_.arg(node, k));
            node = bank_.arg(node, episode.path[i]);
        }
        if (same) return true;
    }
    return false;
}

void Worker::step(Episode& episode, uint32_t action, RewriteRecord* record) {
    Timed timed(profile_, Work::rewrite);
    assert(action < rules_->actions.size() && coherent(episode));
    bank_.spend(1 + episode.path.size() / 8);
    const Action& chosen = rules_->actions[action];
    episode.actions.push_back(static_cast<uint16_t>(action));
    episode.masked = false;
    if (episode.end != End::solved || !chosen.move) episode.end = End::running;
    if (chosen.move) {
        episode.path.push_back(chosen.argument);
        episode.spine.push_back(bank_.arg(episode.spine.back(), chosen.argument));
    } else {
        rewrite(episode, chosen, record);
    }
    if (episode.end == End::running && episode.actions.size() >= limits_.steps)
        episode.end = End::steps;
}

void Worker::rewrite(Episode& episode, const Action& action, RewriteRecord* record) {
    const uint32_t offset = bank_[episode.term].bound;
    assert(!action.move);
    const Rule* rule = applicable(action, episode.spine.back(), offset);
    if (!rule) throw std::logic_error("a rewrite that does not apply");
    const TermId replacement = unifier_.instance();
    const bool instantiate = unifier_.binds_goal();
    TermId term = replacement;
    for (size_t i = episode.path.size(); i-- > 0;) {
        const TermId parent = episode.spine[i];
        const Head head = bank_.head(parent);
        const uint32_t arity = bank_.arity(head);
        scratch_.resize(arity);
        for (uint32_t k = 0; k < arity; ++k)
            scratch_[k] = k == episode.path[i] ? term
                          : instantiate        ? unifier_.instance(bank_.arg(parent, k))
                                               : bank_.arg(parent, k);
        term = bank_.make(head, scratch_.data(), arity);
    }
    if (self_check_) check_rewrite(episode, *rule, replacement, term);
    if (record) {
        *record = {episode.path, rule->equation, rule->left_to_right, offset, rule->variables, {}};
        for (const auto& [variable, value] : unifier_.bindings())
            record->bindings.emplace_back(variable, codes(value));
    }
    const End limit = limit_of(term);
    if (limit != End::running) {
        episode.end = limit;
        return;
    }
    episode.term = term;
    to_root(episode);
    if (solved(episode))
        episode.end = End::solved;
    else if (crowded_)
        episode.end = End::memory;
    if (episode.end == End::memory) episode.visited.clear();
}

// Re-verifies a rewrite by another way than the one that made it: the result, walked along the
// path beside the old term, must be the old term's instance but for the replaced subterm, and
// the two patterns must have exactly those two subterms as instances.
void Worker::check_rewrite(const Episode& episode, const Rule& rule, TermId replacement,
                           TermId result) {
    const auto fail = [] { throw std::logic_error("self-check: a rewrite is wrong"); };
    TermId node = result;
    for (size_t i = 0; i < episode.path.size(); ++i) {
        const TermId mine = episode.spine[i];
        if (bank_.head(mine) != bank_.head(node)) fail();
        for (uint32_t k = 0; k < bank_.arity(bank_.head(mine)); ++k)
            if (k != episode.path[i] &&
                !unifier_.instance_is(bank_.arg(mine, k), bank_.arg(node, k)))
                fail();
        node = bank_.arg(node, episode.path[i]);
    }
    if (node != replacement || !unifier_.instance_is(replacement)) fail();
    // The left pattern under the same values must be the instance of the subterm at the cursor.
    std::vector<TermId> values(rule.from.nodes.size());
    const uint32_t offset = bank_[episode.term].bound;
    for (size_t i = 0; i < values.size(); ++i) {
        const Pattern::PatternNode& from = rule.from.nodes[i];
        if (is_variable(from.head)) {
            values[i] = unifier_.instance(bank_.variable(offset + variable_index(from.head)));
            continue;
        }
        std::vector<TermId> args;
        for (uint32_t k = 0; k < from.arity; ++k)
            args.push_back(values[rule.from.children[from.children + k]]);
        values[i] = bank_.make(from.head, args.data(), from.arity);
    }
    if (values.back() != unifier_.instance(episode.spine.back())) fail();
}

TermId Worker::with_cursor(const Episode& episode) {
    TermId term = bank_.make(rules_->cursor(), &episode.spine.back(), 1);
    std::vector<TermId> args;
    for (size_t i = episode.path.size(); i-- > 0;) {
        const auto old = bank_.args(episode.spine[i]);
        args.assign(old.begin(), old.end());
        args[episode.path[i]] = term;
        term = bank_.make(bank_.head(episode.spine[i]), args.data(),
                          static_cast<uint32_t>(args.size()));
    }
    return term;
}

std::vector<int32_t> Worker::codes(TermId term) const {
    std::vector<int32_t> result;
    bank_.write(term, result);
    return result;
}

std::vector<std::pair<uint32_t, std::vector<int32_t>>> Worker::solution(const Episode& episode) {
    std::vector<std::pair<uint32_t, std::vector<int32_t>>> result;
    if (rules_->goal == Goal::equation && solved(episode))
        for (const auto& [variable, value] : unifier_.bindings())
            result.emplace_back(variable, codes(value));
    return result;
}

void Worker::tidy(std::vector<Episode>& episodes) {
    if (bank_.size() <= tidy_at_) return;
    std::vector<uint8_t> mark(bank_.size(), 0);
    const auto keep = [&](TermId term) {
        if (term != kNoTerm) mark[term] = 1;
    };
    for (const Episode& episode : episodes) {
        keep(episode.term);
        keep(episode.target);
        for (TermId term : episode.visited) keep(term);
    }
    const std::vector<TermId> moved = bank_.collect(mark);
    if (self_check_) bank_.check();
    for (Episode& episode : episodes) {
        if (episode.term == kNoTerm) continue;
        assert(moved[episode.term] != kNoTerm);
        episode.term = moved[episode.term];
        if (episode.target != kNoTerm) episode.target = moved[episode.target];
        for (TermId& term : episode.visited) term = moved[term];
        for (TermId& term : episode.spine) term = moved[term];
    }
    for (auto& [start, target] : interned_) {
        if (start == kNoTerm) continue;
        const bool kept =
            moved[start] != kNoTerm && (target == kNoTerm || moved[target] != kNoTerm);
        target = kept && target != kNoTerm ? moved[target] : kNoTerm;
        start = kept ? moved[start] : kNoTerm;  // read again when it is needed
    }
    std::vector<uint32_t> slots(bank_.size(), kNoMask);
    const size_t words = rules_->mask_words();
    std::vector<MaskWord> masks;
    for (TermId old = 0; old < mask_slot_.size(); ++old) {
        if (mask_slot_[old] == kNoMask || moved[old] == kNoTerm) continue;
        slots[moved[old]] = static_cast<uint32_t>(masks.size() / words);
        const auto from = masks_.begin() + static_cast<std::ptrdiff_t>(mask_slot_[old] * words);
        masks.insert(masks.end(), from, from + static_cast<std::ptrdiff_t>(words));
    }
    mask_slot_ = std::move(slots);
    masks_ = std::move(masks);
    ++collections_;
    crowded_ = bank_.size() > limits_.bank_terms - limits_.bank_terms / 10;
    tidy_at_ = crowded_ ? 0
                        : std::min<size_t>(std::max<size_t>(kFirstTidy, 2 * bank_.size()),
                                           limits_.bank_terms);
}

}  // namespace threesil
