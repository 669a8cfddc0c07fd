#include "levin.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <new>
#include <stdexcept>
#include <utility>

namespace threesil {

namespace {

Limits free_limits(const SearchLimits& limits) {
    Limits result;
    result.steps = kHuge;
    result.bank_terms = std::min<uint64_t>(limits.terms, kHuge);
    return result;
}

}  // namespace

LevinSearch::LevinSearch(std::shared_ptr<const Rules> rules, std::shared_ptr<TreeNet> net,
                         bool self_check)
    : rules_(std::move(rules)), net_(std::move(net)), self_check_(self_check) {
    if (!net_->fits(*rules_)) throw std::invalid_argument("the network belongs to another theory");
}

LevinResult LevinSearch::solve(Problem problem, const SearchLimits& limits, uint32_t steps,
                               const Draw& draw, Control& control) {
    std::vector<Problem> one;
    one.push_back(std::move(problem));
    const auto problems = std::make_shared<const Problems>(rules_, std::move(one));
    LevinResult result;
    try {
        search(problems, limits, steps, draw, control, result);
    } catch (const Ended& ended) {
        result.status = ended.status;
    } catch (const std::bad_alloc&) {
        result.status = Status::memory;
    }
    if (self_check_ && result.status == Status::proved) check(problems, result.actions);
    return result;
}

void LevinSearch::check(const std::shared_ptr<const Problems>& problems,
                        const std::vector<uint16_t>& actions) const {
    Worker worker(rules_, problems, free_limits({}), false, true);
    Episode episode;
    worker.reset(episode, 0);
    for (const uint16_t action : actions) worker.step(episode, action);
    if (episode.end != End::solved)
        throw std::logic_error("self-check: the actions do not solve the problem");
}

void LevinSearch::search(const std::shared_ptr<const Problems>& problems,
                         const SearchLimits& limits, uint32_t steps, const Draw& draw,
                         Control& control, LevinResult& result) const {
    Worker worker(rules_, problems, free_limits(limits), false, self_check_);
    worker.bank().control = &control;
    Policy policy(net_, worker, 1);

    std::vector<Visited> nodes;
    std::vector<uint32_t> paths;
    std::vector<uint8_t> seen;  // by term
    const auto first_time = [&](TermId state) {
        if (state >= seen.size()) seen.resize(worker.bank().size() + worker.bank().size() / 2, 0);
        return !std::exchange(seen[state], uint8_t{1});
    };
    std::priority_queue<Option> options;
    uint32_t order = 0;
    const auto solution = [&](uint32_t node) {
        for (; nodes[node].parent != kNone; node = nodes[node].parent)
            result.actions.push_back(nodes[node].action);
        std::reverse(result.actions.begin(), result.actions.end());
        result.status = Status::proved;
    };
    const auto episode_at = [&](const Visited& node) {
        Episode episode;
        episode.term = node.term;
        episode.path.assign(paths.begin() + node.path, paths.begin() + node.path + node.length);
        episode.spine.assign(1, node.term);
        for (const uint32_t k : episode.path)
            episode.spine.push_back(worker.bank().arg(episode.spine.back(), k));
        return episode;
    };

    Episode start;
    worker.reset(start, 0);
    const TermId target = start.target;
    nodes.push_back({start.term, kNone, 0, 0.0f, 0, 0, 0});
    first_time(worker.with_cursor(start));
    if (start.end == End::solved) {
        solution(0);
        return;
    }
    if (limits.expansions == 0) throw Ended{Status::expansions};
    std::vector<uint32_t> fresh{0};
    std::vector<MaskWord> mask(rules_->mask_words());
    std::vector<Episode> episodes;
    for (;;) {
        // Evaluate the new states and queue their actions.
        episodes.clear();
        for (const uint32_t node : fresh) episodes.push_back(episode_at(nodes[node]));
        std::vector<const Episode*> pointers;
        for (const Episode& episode : episodes) pointers.push_back(&episode);
        const std::vector<size_t> slots(fresh.size(), 0);
        const std::vector<uint64_t> numbers(fresh.size(), draw.episode);
        const float* logits =
            fresh.empty() ? nullptr : policy.logits(pointers, slots, numbers, draw.key);
        for (size_t i = 0; i < fresh.size(); ++i) {
            assert(fresh[i] < nodes.size());
            const Visited& node = nodes[fresh[i]];
            ++result.expansions;
            control.spend(1 + node.length / 8);
            if (node.depth >= steps || !worker.mask(episodes[i], mask.data())) continue;
            const float* row = logits + i * policy.outputs();
            float best = -INFINITY;
            const auto each = [&](auto&& visit) {
                for (size_t w = 0; w < mask.size(); ++w)
                    for (MaskWord left = mask[w]; left; left &= left - 1)
                        visit(static_cast<uint16_t>(64 * w +
                                                    static_cast<size_t>(std::countr_zero(left))));
            };
            each([&](uint16_t a) { best = std::max(best, row[a]); });
            double total = 0;
            each([&](uint16_t a) { total += std::exp(row[a] - best); });
            const float normaliser = best + static_cast<float>(std::log(total));
            each([&](uint16_t a) {
                const float log_probability = node.log_probability + row[a] - normaliser;
                const float cost = std::log(static_cast<float>(node.depth + 1)) - log_probability;
                options.push({cost, order++, fresh[i], a, log_probability});
            });
        }
        fresh.clear();
        control.spend();
        if (result.expansions >= limits.expansions) throw Ended{Status::expansions};
        if (worker.bank().size() > limits.terms || paths.size() >= kNone / 2)
            throw Ended{Status::memory};
        // Take the cheapest actions.
        while (fresh.size() < kBatch && !options.empty()) {
            control.spend();
            const Option option = options.top();
            options.pop();
            Episode episode = episode_at(nodes[option.node]);
            episode.target = target;
            worker.step(episode, option.action);
            if (episode.end != End::running && episode.end != End::solved) continue;
            if (!first_time(worker.with_cursor(episode))) continue;
            const auto node = static_cast<uint32_t>(nodes.size());
            nodes.push_back({episode.term, option.node, nodes[option.node].depth + 1,
                             option.log_probability, option.action,
                             static_cast<uint32_t>(paths.size()),
                             static_cast<uint32_t>(episode.path.size())});
            paths.insert(paths.end(), episode.path.begin(), episode.path.end());
            if (episode.end == End::solved) {
                solution(node);
                return;
            }
            fresh.push_back(node);
        }
        if (fresh.empty()) return;
    }
}

}  // namespace threesil
