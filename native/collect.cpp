#include "collect.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace threesil {

Batch::Batch(std::shared_ptr<const Rules> rules, Limits limits, size_t width, size_t threads,
             bool quirk, bool self_check)
    : rules_(std::move(rules)), problems_(std::make_shared<Problems>()), width_(width) {
    if (width == 0) throw std::invalid_argument("a batch needs at least one slot");
    threads = std::clamp<size_t>(threads, 1, width);
    for (size_t t = 0; t < threads; ++t) {
        first_slot_.push_back(t * width / threads);
        const size_t slots = (t + 1) * width / threads - first_slot_.back();
        crews_.push_back(
            std::unique_ptr<Crew>(new Crew{Worker(rules_, problems_, limits, quirk, self_check),
                                           std::vector<Episode>(slots), Profile{}, nullptr}));
    }
}

void Batch::load(Problems problems) {
    problems_ = std::make_shared<Problems>(std::move(problems));
    for (auto& crew : crews_) {
        crew->worker.set_problems(problems_);
        for (Episode& episode : crew->episodes) episode = Episode{};
    }
}

void Batch::replace(size_t index, Problems::Problem problem) {
    problems_->all.at(index) = std::move(problem);
    for (auto& crew : crews_) crew->worker.forget_problem(index);
}

std::pair<size_t, size_t> Batch::locate(size_t slot) const {
    if (slot >= width_) throw std::out_of_range("no such slot");
    size_t crew = crews_.size() - 1;
    while (first_slot_[crew] > slot) --crew;
    return {crew, slot - first_slot_[crew]};
}

// Runs work(crew) for every crew, each on a thread of its own; the first error is passed on.
void Batch::on_all(const std::function<void(size_t)>& work) {
    if (crews_.size() == 1) {
        work(0);
        return;
    }
    std::exception_ptr error;
    std::mutex guard;
    {
        std::vector<std::jthread> threads;
        for (size_t c = 0; c < crews_.size(); ++c)
            threads.emplace_back([&, c] {
                try {
                    work(c);
                } catch (...) {
                    const std::scoped_lock lock(guard);
                    if (!error) error = std::current_exception();
                }
            });
    }
    if (error) std::rethrow_exception(error);
}

void Batch::reset(size_t slot, uint32_t problem) {
    const auto [c, e] = locate(slot);
    if (problem >= problems()) throw std::out_of_range("no such problem");
    Worker& worker = crews_[c]->worker;
    Episode& episode = crews_[c]->episodes[e];
    worker.tidy(crews_[c]->episodes);
    worker.reset(episode, problem);
    std::vector<MaskWord> words(rules_->mask_words());
    if (episode.end == End::running && !worker.mask(episode, words.data()))
        episode.end = End::dead_end;
}

const Episode& Batch::episode(size_t slot) const {
    const auto [c, e] = locate(slot);
    return crews_[c]->episodes[e];
}

std::vector<int32_t> Batch::codes(size_t slot) const {
    const auto [c, e] = locate(slot);
    const Episode& episode = crews_[c]->episodes[e];
    if (episode.term == kNoTerm) throw std::out_of_range("the slot has no episode");
    std::vector<int32_t> result;
    crews_[c]->worker.bank().write(episode.term, result);
    return result;
}

bool Batch::mask(size_t slot, MaskWord* words) {
    const auto [c, e] = locate(slot);
    if (crews_[c]->episodes[e].term == kNoTerm) throw std::out_of_range("the slot has no episode");
    return crews_[c]->worker.mask(crews_[c]->episodes[e], words);
}

void Batch::step(std::span<const int32_t> actions) {
    if (actions.size() != width_) throw std::invalid_argument("one action a slot");
    on_all([&](size_t c) {
        std::vector<MaskWord> words(rules_->mask_words());
        for (size_t e = 0; e < crews_[c]->episodes.size(); ++e) {
            const int32_t action = actions[first_slot_[c] + e];
            if (action < 0) continue;
            const Episode& episode = crews_[c]->episodes[e];
            if (episode.term == kNoTerm) throw std::out_of_range("the slot has no episode");
            const auto a = static_cast<uint32_t>(action);
            crews_[c]->worker.mask(episode, words.data());
            if (a >= rules_->actions.size() || !(words[a / 64] >> a % 64 & 1))
                throw IllegalAction{first_slot_[c] + e, a};
        }
    });
    on_all([&](size_t c) {
        Worker& worker = crews_[c]->worker;
        worker.tidy(crews_[c]->episodes);
        std::vector<MaskWord> words(rules_->mask_words());
        for (size_t e = 0; e < crews_[c]->episodes.size(); ++e) {
            const int32_t action = actions[first_slot_[c] + e];
            Episode& episode = crews_[c]->episodes[e];
            if (action < 0) continue;
            worker.step(episode, static_cast<uint32_t>(action));
            if (episode.end == End::running && !worker.mask(episode, words.data()))
                episode.end = End::dead_end;
        }
    });
}

void Batch::masks(uint8_t* out) {
    const size_t actions = rules_->actions.size();
    on_all([&](size_t c) {
        std::vector<MaskWord> words(rules_->mask_words());
        for (size_t e = 0; e < crews_[c]->episodes.size(); ++e) {
            uint8_t* row = out + (first_slot_[c] + e) * actions;
            std::fill(row, row + actions, uint8_t{0});
            if (crews_[c]->episodes[e].term == kNoTerm) continue;
            crews_[c]->worker.mask(crews_[c]->episodes[e], words.data());
            for (size_t a = 0; a < actions; ++a) row[a] = words[a / 64] >> a % 64 & 1;
        }
    });
}

void Batch::observe(int32_t* tokens, int32_t* lengths, int32_t* cursors, size_t length,
                    int32_t constants) const {
    // The cursor is no token: what is numbered behind it moves down by one.
    const auto symbols = static_cast<int32_t>(rules_->cursor());
    std::vector<int32_t> codes;
    for (size_t slot = 0; slot < width_; ++slot) {
        const auto [c, e] = locate(slot);
        const Episode& episode = crews_[c]->episodes[e];
        int32_t* row = tokens + slot * length;
        std::fill(row, row + length, 0);
        lengths[slot] = cursors[slot] = 0;
        if (episode.term == kNoTerm) continue;
        codes.clear();
        TermBank& bank = crews_[c]->worker.bank();
        bank.write(episode.term, codes);
        const size_t shown = std::min(length, codes.size());
        for (size_t i = 0; i < shown; ++i)
            row[i] = codes[i] < 0         ? symbols + constants - codes[i]
                     : codes[i] < symbols ? codes[i] + 1
                                          : codes[i];
        lengths[slot] = static_cast<int32_t>(shown);
        for (size_t i = 0; i < episode.path.size(); ++i) {
            ++cursors[slot];
            for (uint32_t k = 0; k < episode.path[i]; ++k)
                cursors[slot] += static_cast<int32_t>(bank[bank.arg(episode.spine[i], k)].size);
        }
    }
}

Played Batch::play(std::span<const uint32_t> problems, bool all, const Choose& choose) {
    for (const uint32_t problem : problems)
        if (problem >= this->problems()) throw std::out_of_range("no such problem");
    const size_t count = problems.size();
    const size_t words = rules_->mask_words();
    Played played;
    played.end.resize(count);
    played.steps.resize(count);
    std::vector<std::vector<uint16_t>> taken(count);
    std::atomic<size_t> next{0};
    std::atomic<uint64_t> legal{0};
    on_all([&](size_t c) {
        Crew& crew = *crews_[c];
        std::vector<size_t> active;
        std::vector<uint64_t> numbers;
        std::vector<MaskWord> masks;
        std::vector<uint32_t> actions;
        uint64_t my_legal = 0;
        const auto finish = [&](uint64_t number, Episode& episode) {
            played.end[number] = static_cast<uint8_t>(episode.end);
            played.steps[number] = static_cast<uint32_t>(episode.actions.size());
            if (all || episode.end == End::solved) taken[number] = std::move(episode.actions);
        };
        // Starts the next episode in a slot; false if none is left.
        const auto refill = [&](size_t slot, uint64_t& number) {
            while ((number = next.fetch_add(1)) < count) {
                Episode& episode = crew.episodes[slot];
                crew.worker.reset(episode, problems[number]);
                if (episode.end == End::running) return true;
                finish(number, episode);
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
            for (const MaskWord word : masks)
                my_legal += static_cast<uint64_t>(std::popcount(word));
            choose({crew, active, numbers, masks, actions});
            size_t kept = 0;
            for (size_t i = 0; i < active.size(); ++i) {
                Episode& episode = crew.episodes[active[i]];
                const MaskWord* mask = masks.data() + i * words;
                if (std::none_of(mask, mask + words, [](MaskWord w) { return w != 0; }))
                    episode.end = End::dead_end;
                else if (actions[i] == kStop)
                    episode.end = End::steps;
                else
                    crew.worker.step(episode, actions[i]);
                uint64_t number = numbers[i];
                bool goes_on = episode.end == End::running;
                if (!goes_on) {
                    finish(number, episode);
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
        legal += my_legal;
    });
    played.offsets.push_back(0);
    for (const auto& episode : taken) {
        played.actions.insert(played.actions.end(), episode.begin(), episode.end());
        played.offsets.push_back(played.actions.size());
    }
    played.legal = legal;
    for (const auto& crew : crews_) {
        played.collections += crew->worker.collections();
        played.bank_bytes += crew->worker.bank().bytes();
    }
    return played;
}

Played Batch::play_random(std::span<const uint32_t> problems, RandomKey key,
                          uint64_t first_episode) {
    const size_t words = rules_->mask_words();
    return play(problems, false, [=](const Turn& turn) {
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
    });
}

Policy& Batch::policy_of(Crew& crew, const std::shared_ptr<const TreeNet>& net) {
    if (crew.policy_net != net.get()) {
        crew.policy = std::make_unique<Policy>(net, crew.worker, crew.episodes.size());
        crew.policy_net = net.get();
    }
    return *crew.policy;
}

Played Batch::play_guided(std::span<const uint32_t> problems,
                          const std::shared_ptr<const TreeNet>& net, const PolicyOptions& options,
                          uint64_t first_episode, bool all) {
    const size_t words = rules_->mask_words();
    return play(problems, all, [&, first_episode](const Turn& turn) {
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
    });
}

void Batch::logits(const std::shared_ptr<const TreeNet>& net, RandomKey key, float* out) {
    const size_t actions = rules_->actions.size();
    on_all([&](size_t c) {
        Crew& crew = *crews_[c];
        std::vector<size_t> slots;
        std::vector<uint64_t> numbers;
        std::vector<const Episode*> episodes;
        for (size_t e = 0; e < crew.episodes.size(); ++e)
            if (crew.episodes[e].term != kNoTerm) {
                episodes.push_back(&crew.episodes[e]);
                slots.push_back(e);
                numbers.push_back(first_slot_[c] + e);
            }
        Policy& policy = policy_of(crew, net);
        const float* result = policy.logits(episodes, slots, numbers, key);
        for (size_t i = 0; i < slots.size(); ++i)
            std::copy_n(result + i * policy.outputs(), actions, out + numbers[i] * actions);
    });
}

Played Batch::replay(std::span<const uint32_t> problems, std::span<const uint16_t> actions,
                     std::span<const uint64_t> offsets) {
    if (offsets.size() != problems.size() + 1 || offsets.back() > actions.size() ||
        !std::is_sorted(offsets.begin(), offsets.end()))
        throw std::invalid_argument("offsets do not fit the problems and actions");
    const size_t words = rules_->mask_words();
    return play(problems, false, [=, this](const Turn& turn) {
        for (size_t i = 0; i < turn.slots.size(); ++i) {
            const uint64_t number = turn.numbers[i];
            const size_t at = offsets[number] + turn.crew.episodes[turn.slots[i]].actions.size();
            turn.actions[i] = kStop;
            if (at >= offsets[number + 1]) continue;
            const uint32_t action = actions[at];
            if (action >= rules_->actions.size() ||
                !(turn.masks[i * words + action / 64] >> action % 64 & 1))
                throw IllegalAction{number, action};
            turn.actions[i] = action;
        }
    });
}

Chain Batch::chain(size_t slot, uint32_t problem, std::span<const uint16_t> actions) {
    reset(slot, problem);
    const auto [c, e] = locate(slot);
    Worker& worker = crews_[c]->worker;
    Episode& episode = crews_[c]->episodes[e];
    std::vector<MaskWord> words(rules_->mask_words());
    std::vector<RewriteRecord> records;
    for (const uint16_t action : actions) {
        worker.tidy(crews_[c]->episodes);
        worker.mask(episode, words.data());
        if (action >= rules_->actions.size() || !(words[action / 64] >> action % 64 & 1))
            throw IllegalAction{slot, action};
        if (rules_->actions[action].move) {
            worker.step(episode, action);
        } else {
            records.emplace_back();
            worker.step(episode, action, &records.back());
        }
    }
    if (episode.end != End::solved) return {};
    return read_out(*rules_, problems_->all.at(problem).start, records, worker.solution(episode));
}

void Batch::set_profiling(bool on) {
    for (auto& crew : crews_) {
        crew->profile = Profile{};
        crew->worker.set_profile(on ? &crew->profile : nullptr);
    }
}

std::vector<uint64_t> Batch::profile() const {
    std::vector<uint64_t> sum(static_cast<size_t>(Work::count), 0);
    for (const auto& crew : crews_)
        for (size_t w = 0; w < sum.size(); ++w) sum[w] += crew->profile.spent[w];
    return sum;
}

}  // namespace threesil
