// Whole episodes of a batch: slots are filled again as their episodes end.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <stdexcept>

#include "collect.hpp"

namespace threesil {

// What all crews of a play share.
struct Batch::PlayState {
    std::span<const uint32_t> problems;
    bool all;  // keep the actions of unsolved episodes too
    std::vector<uint8_t> end;
    std::vector<uint32_t> steps;
    std::vector<std::vector<uint16_t>> taken;
    std::atomic<size_t> next{0};
    std::atomic<uint64_t> legal{0};

    void finish(uint64_t number, Episode& episode) {
        assert(number < problems.size() && episode.end != End::running);
        end[number] = static_cast<uint8_t>(episode.end);
        steps[number] = static_cast<uint32_t>(episode.actions.size());
        if (all || episode.end == End::solved) taken[number] = std::move(episode.actions);
    }
};

void Batch::play_crew(Crew& crew, const Choose& choose, PlayState& state) {
    const size_t words = rules_->mask_words();
    std::vector<size_t> active;
    std::vector<uint64_t> numbers;
    std::vector<MaskWord> masks;
    std::vector<uint32_t> actions;
    uint64_t legal = 0;
    // Starts the next episode in a slot; false if none is left.
    const auto refill = [&](size_t slot, uint64_t& number) {
        while ((number = state.next.fetch_add(1)) < state.problems.size()) {
            Episode& episode = crew.episodes[slot];
            crew.worker.reset(episode, state.problems[number]);
            crew.worker.bank().spend();
            if (episode.end == End::running) return true;
            state.finish(number, episode);
        }
        return false;
    };
    if (crew.worker.profiled()) crew.profile.since = ticks();
    for (size_t slot = 0; slot < crew.episodes.size(); ++slot)
        if (uint64_t number; refill(slot, number)) {
            active.push_back(slot);
            numbers.push_back(number);
        }
    while (!active.empty()) {
        crew.worker.tidy(crew.episodes);
        masks.resize(active.size() * words);
        actions.resize(active.size());
        for (size_t i = 0; i < active.size(); ++i)
            crew.worker.mask(crew.episodes[active[i]], masks.data() + i * words);
        for (const MaskWord word : masks) legal += static_cast<uint64_t>(std::popcount(word));
        choose({crew, active, numbers, masks, actions});
        size_t kept = 0;
        for (size_t i = 0; i < active.size(); ++i) {
            Episode& episode = crew.episodes[active[i]];
            const MaskWord* mask = masks.data() + i * words;
            if (std::none_of(mask, mask + words, [](MaskWord w) { return w != 0; }))
                episode.end = End::dead_end;
            else if (actions[i] == kStop)
                episode.end = End::steps;
            else {
                assert(allows(mask, actions[i]));
                crew.worker.step(episode, actions[i]);
            }
            uint64_t number = numbers[i];
            bool goes_on = episode.end == End::running;
            if (!goes_on) {
                state.finish(number, episode);
                goes_on = refill(active[i], number);
            }
            if (goes_on) {
                active[kept] = active[i];
                numbers[kept++] = number;
            }
        }
        active.resize(kept);
        numbers.resize(kept);
    }
    if (crew.worker.profiled()) crew.profile.enter(Work::other);
    state.legal += legal;
}

Played Batch::play(std::span<const uint32_t> problems, bool all, const Choose& choose,
                   Control& control) {
    for (const uint32_t problem : problems)
        if (problem >= this->problems()) throw std::out_of_range("no such problem");
    PlayState state{problems, all, {}, {}, {}, 0, 0};
    state.end.resize(problems.size());
    state.steps.resize(problems.size());
    state.taken.resize(problems.size());
    or_give_up([&] {
        on_all(control, [&](size_t c, Control&) { play_crew(*crews_[c], choose, state); });
    });
    Played played;
    played.end = std::move(state.end);
    played.steps = std::move(state.steps);
    played.offsets.push_back(0);
    for (const auto& episode : state.taken) {
        played.actions.insert(played.actions.end(), episode.begin(), episode.end());
        played.offsets.push_back(played.actions.size());
    }
    played.legal = state.legal;
    for (const auto& crew : crews_) {
        played.collections += crew->worker.collections();
        played.bank_bytes += crew->worker.bank().bytes();
    }
    return played;
}

Played Batch::play_random(std::span<const uint32_t> problems, RandomKey key, uint64_t first_episode,
                          Control& control) {
    const size_t words = rules_->mask_words();
    const auto choose = [=](const Turn& turn) {
        for (size_t i = 0; i < turn.slots.size(); ++i) {
            const MaskWord* mask = turn.masks.data() + i * words;
            uint32_t legal = 0;
            for (size_t w = 0; w < words; ++w)
                legal += static_cast<uint32_t>(std::popcount(mask[w]));
            if (legal == 0) continue;
            const auto step =
                static_cast<uint32_t>(turn.crew.episodes[turn.slots[i]].actions.size());
            uint32_t pick = below(key.draw(first_episode + turn.numbers[i], step)[0], legal);
            size_t w = 0;
            for (uint32_t here; pick >= (here = static_cast<uint32_t>(std::popcount(mask[w]))); ++w)
                pick -= here;
            MaskWord word = mask[w];
            while (pick-- > 0) word &= word - 1;
            turn.actions[i] =
                static_cast<uint32_t>(64 * w + static_cast<size_t>(std::countr_zero(word)));
        }
    };
    return play(problems, false, choose, control);
}

Played Batch::play_guided(std::span<const uint32_t> problems,
                          const std::shared_ptr<const TreeNet>& net, const PolicyOptions& options,
                          uint64_t first_episode, bool all, Control& control) {
    check_network(*net);
    const size_t words = rules_->mask_words();
    const auto choose = [&, first_episode](const Turn& turn) {
        Policy& policy = policy_of(turn.crew, net);
        std::vector<uint64_t> numbers(turn.numbers.begin(), turn.numbers.end());
        for (uint64_t& number : numbers) number += first_episode;
        std::vector<const Episode*> episodes;
        for (const size_t slot : turn.slots) episodes.push_back(&turn.crew.episodes[slot]);
        const float* logits = [&] {
            Timed timed(turn.crew.worker.profile(), Work::network);
            return policy.logits(episodes, turn.slots, numbers, options.key);
        }();
        Timed timed(turn.crew.worker.profile(), Work::choose);
        for (size_t i = 0; i < turn.slots.size(); ++i) {
            const auto step =
                static_cast<uint32_t>(turn.crew.episodes[turn.slots[i]].actions.size());
            turn.actions[i] =
                Policy::choose(logits + i * policy.outputs(), turn.masks.data() + i * words,
                               rules_->actions.size(), options, numbers[i], step);
        }
    };
    return play(problems, all, choose, control);
}

Played Batch::replay(std::span<const uint32_t> problems, std::span<const uint16_t> actions,
                     std::span<const uint64_t> offsets, Control& control) {
    if (offsets.size() != problems.size() + 1 || offsets.back() > actions.size() ||
        !std::is_sorted(offsets.begin(), offsets.end()))
        throw std::invalid_argument("offsets do not fit the problems and actions");
    const size_t words = rules_->mask_words();
    const auto choose = [=, this](const Turn& turn) {
        for (size_t i = 0; i < turn.slots.size(); ++i) {
            const uint64_t number = turn.numbers[i];
            const size_t at = offsets[number] + turn.crew.episodes[turn.slots[i]].actions.size();
            turn.actions[i] = kStop;
            if (at >= offsets[number + 1]) continue;
            const uint32_t action = actions[at];
            if (!allows(turn.masks.data() + i * words, action)) throw IllegalAction{number, action};
            turn.actions[i] = action;
        }
    };
    return play(problems, false, choose, control);
}

}  // namespace threesil
