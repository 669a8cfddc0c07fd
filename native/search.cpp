#include "search.hpp"

#include <algorithm>
#include <cassert>
#include <new>
#include <stdexcept>

#include "verify.hpp"

namespace threesil {

TermSearch::TermSearch(std::shared_ptr<const Rules> rules, bool self_check)
    : rules_(std::move(rules)),
      self_check_(self_check),
      bank_(rules_->arity, rules_->constructor),
      unifier_(bank_, false) {
    if (rules_->goal != Goal::equation) throw std::invalid_argument("search proves equations");
    for (const Rule& rule : rules_->rules) {
        std::vector<uint8_t> known(rule.variables, 0);
        for (const auto& node : rule.from.nodes)
            if (is_variable(node.head)) known[variable_index(node.head)] = 1;
        bool usable = true;
        for (const auto& node : rule.to.nodes)
            if (is_variable(node.head)) usable = usable && known[variable_index(node.head)];
        usable_.push_back(usable);
    }
}

// Appends the results of rewriting the whole of a term.
void TermSearch::rewrite_root(TermId term) {
    for (const uint16_t r : rules_->candidates(bank_.head(term))) {
        const Rule& rule = rules_->rules[r];
        if (!usable_[r] || !rule.from.may_match(bank_, term)) continue;
        if (!unifier_.unify(term, rule, 0)) continue;
        const TermId result = unifier_.instance();
        bank_.spend(rule.to.nodes.size());
        if (self_check_ && !is_instance(bank_, rule, term, result))
            throw std::logic_error("self-check: a rewrite is wrong");
        if (result != term && bank_[result].size <= bank_[term].size + growth_)
            results_.push_back(result);
    }
}

TermSearch::Range TermSearch::rewrites(TermId root) {
    std::vector<TermId> stack{root};
    std::vector<TermId> args;
    while (!stack.empty()) {
        bank_.spend();
        const TermId term = stack.back();
        if (ranges_.size() < bank_.size()) ranges_.resize(bank_.size() + bank_.size() / 2);
        if (ranges_[term].begin != kNone) {
            stack.pop_back();
            continue;
        }
        const auto arguments = bank_.args(term);
        const size_t before = stack.size();
        for (const TermId arg : arguments)
            if (ranges_[arg].begin == kNone) stack.push_back(arg);
        if (stack.size() > before) continue;
        stack.pop_back();
        const auto begin = static_cast<uint32_t>(results_.size());
        args.assign(arguments.begin(), arguments.end());
        rewrite_root(term);
        const Head head = bank_.head(term);
        for (size_t k = 0; k < args.size(); ++k) {
            const TermId old = args[k];
            const Range inner = ranges_[old];
            assert(inner.begin != kNone && inner.begin <= inner.end);
            bank_.spend(inner.end - inner.begin);
            if (results_.size() + (inner.end - inner.begin) > most_results_)
                throw Ended{Status::memory};
            for (uint32_t i = inner.begin; i < inner.end; ++i) {
                args[k] = results_[i];
                results_.push_back(
                    bank_.make(head, args.data(), static_cast<uint32_t>(args.size())));
            }
            args[k] = old;
        }
        if (ranges_.size() < bank_.size()) ranges_.resize(bank_.size() + bank_.size() / 2);
        ranges_[term] = {begin, static_cast<uint32_t>(results_.size())};
    }
    return ranges_[root];
}

bool TermSearch::add(Side& side, TermId term, uint32_t parent, uint32_t depth,
                     const SearchLimits& limits) {
    assert(term < bank_.size());
    if (term >= side.node_of.size()) side.node_of.resize(bank_.size() + bank_.size() / 2, kNone);
    if (side.node_of[term] != kNone) return false;
    const auto node = static_cast<uint32_t>(side.nodes.size());
    side.node_of[term] = node;
    side.nodes.push_back({term, parent, depth});
    if (depth >= side.deepest) return true;
    const size_t cost = size_t{limits.depth_cost} * depth + bank_[term].size;
    if (cost >= side.buckets.size()) side.buckets.resize(cost + 1);
    side.buckets[cost].push_back(node);
    side.lowest = std::min(side.lowest, cost);
    return true;
}

void TermSearch::clear() {
    bank_.clear();
    ranges_.clear();
    results_.clear();
    for (Side& side : sides_) side = Side{};
}

SearchResult TermSearch::prove(std::span<const int32_t> codes, const SearchLimits& limits,
                               Control& control) {
    const Watch watch(bank_, control);
    clear();
    SearchResult result;
    try {
        search(codes, limits, result);
    } catch (const Ended& ended) {
        result.status = ended.status;
        result.terms = bank_.size();
    } catch (const std::bad_alloc&) {
        result = {Status::memory, result.expansions, bank_.size(), {}, {}};
        clear();
        bank_.release();
        std::vector<Range>().swap(ranges_);
        std::vector<TermId>().swap(results_);
    }
    return result;
}

void TermSearch::search(std::span<const int32_t> codes, const SearchLimits& limits,
                        SearchResult& result) {
    const TermId goal = bank_.read(codes);
    const TermId ends[2] = {bank_.arg(goal, 0), bank_.arg(goal, 1)};
    const uint32_t largest = std::max(bank_[ends[0]].size, bank_[ends[1]].size) + limits.growth;
    growth_ = limits.growth;
    most_results_ = std::min<size_t>(8 * limits.terms, kNone - 1);
    for (size_t s = 0; s < 2; ++s) {
        sides_[s].deepest = s == 0 ? limits.length - limits.length / 2 : limits.length / 2;
        add(sides_[s], ends[s], kNone, 0, limits);
    }
    const auto finish = [&](TermId meeting) {
        bank_.control->allow_reading();
        for (uint32_t s = 0; s < 2; ++s) {
            auto steps = explain(sides_[s], sides_[s].node_of[meeting], s);
            result.rewrites.insert(result.rewrites.end(), steps.begin(), steps.end());
        }
        result.status = Status::proved;
    };
    const auto met = [&](size_t s, TermId term) {
        const auto& other = sides_[1 - s].node_of;
        return term < other.size() && other[term] != kNone;
    };
    if (ends[0] == ends[1]) return finish(ends[0]);
    if (limits.length == 1 && limits.expansions > 0) {  // no frontier needs to grow
        result.expansions = 1;
        result.terms = bank_.size();
        if (auto step = single_step(ends[0], ends[1])) {
            step->path.insert(step->path.begin(), 0);
            result.rewrites.push_back(std::move(*step));
            result.status = Status::proved;
        }
        return;
    }
    for (;; ++result.expansions) {
        result.terms = bank_.size();
        bank_.spend();
        if (result.expansions >= limits.expansions) throw Ended{Status::expansions};
        if (bank_.size() > limits.terms || results_.size() > most_results_)
            throw Ended{Status::memory};
        for (Side& side : sides_)
            while (side.lowest < side.buckets.size() && side.buckets[side.lowest].empty())
                ++side.lowest;
        const bool empty[2] = {sides_[0].lowest >= sides_[0].buckets.size(),
                               sides_[1].lowest >= sides_[1].buckets.size()};
        // One empty side: a whole class of equal terms has been seen, or all within the length.
        if (empty[0] && empty[1]) return;
        if ((empty[0] || empty[1]) && limits.length == SearchLimits{}.length) return;
        size_t s = sides_[0].lowest <= sides_[1].lowest ? 0 : 1;
        if (sides_[0].lowest == sides_[1].lowest)
            s = sides_[0].nodes.size() <= sides_[1].nodes.size() ? 0 : 1;
        if (empty[s]) s = 1 - s;
        assert(!empty[s]);
        Side& side = sides_[s];
        auto& bucket = side.buckets[side.lowest];
        const uint32_t node = bucket.back();
        bucket.pop_back();
        const SearchNode current = side.nodes[node];
        assert(side.node_of[current.term] == node && current.depth < side.deepest);
        const Range range = rewrites(current.term);
        for (uint32_t i = range.begin; i < range.end; ++i) {
            bank_.spend();
            const TermId term = results_[i];
            if (bank_[term].size > largest) continue;
            if (!add(side, term, node, current.depth + 1, limits)) continue;
            if (met(s, term)) {
                ++result.expansions;
                result.terms = bank_.size();
                return finish(term);
            }
        }
    }
}

std::vector<RewriteRecord> TermSearch::explain(const Side& side, uint32_t node, uint32_t number) {
    std::vector<TermId> chain;
    assert(node < side.nodes.size());
    for (; node != kNone; node = side.nodes[node].parent) chain.push_back(side.nodes[node].term);
    std::reverse(chain.begin(), chain.end());
    std::vector<RewriteRecord> steps;
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
        auto step = single_step(chain[i], chain[i + 1]);
        if (!step) throw std::logic_error("no single rewrite explains a step");
        steps.push_back(std::move(*step));
        steps.back().path.insert(steps.back().path.begin(), number);
    }
    return steps;
}

// A rewrite from one term to the other, if there is one: its place lies above all that differs.
std::optional<RewriteRecord> TermSearch::single_step(TermId before, TermId after) {
    std::vector<uint32_t> path;
    for (TermId s = before, t = after;;) {
        bank_.spend();
        for (const uint16_t r : rules_->candidates(bank_.head(s))) {
            const Rule& rule = rules_->rules[r];
            if (!usable_[r] || !unifier_.unify(s, rule, 0) || !unifier_.instance_is(t)) continue;
            RewriteRecord record{path, rule.equation, rule.left_to_right, 0, rule.variables, {}};
            for (const auto& [variable, value] : unifier_.bindings()) {
                record.bindings.emplace_back(variable, std::vector<int32_t>{});
                bank_.write(value, record.bindings.back().second);
            }
            return record;
        }
        if (bank_.head(s) != bank_.head(t)) return std::nullopt;
        const auto mine = bank_.args(s), other = bank_.args(t);
        uint32_t differing = kNone;
        for (uint32_t k = 0; k < mine.size(); ++k)
            if (mine[k] != other[k]) {
                if (differing != kNone) return std::nullopt;
                differing = k;
            }
        if (differing == kNone) return std::nullopt;
        path.push_back(differing);
        s = mine[differing];
        t = other[differing];
    }
}

}  // namespace threesil
