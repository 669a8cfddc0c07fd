#include "collect.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace threesil {

namespace {
constexpr size_t kMostSlots = 1 << 20;
constexpr size_t kMostThreads = 1024;
constexpr std::chrono::milliseconds kPollEvery{10};

void need_episode(const Episode& episode) {
    if (episode.term == kNoTerm) throw std::out_of_range("the slot has no episode");
}
}  // namespace

Batch::Batch(std::shared_ptr<const Rules> rules, Limits limits, size_t width, size_t threads,
             bool quirk, bool self_check)
    : rules_(std::move(rules)),
      problems_(std::make_shared<Problems>(rules_)),
      self_check_(self_check),
      width_(width) {
    if (width == 0 || width > kMostSlots)
        throw std::invalid_argument("a batch has 1 to " + std::to_string(kMostSlots) + " slots");
    if (threads == 0 || threads > kMostThreads)
        throw std::invalid_argument("a batch has 1 to " + std::to_string(kMostThreads) +
                                    " threads");
    threads = std::min(threads, width);
    for (size_t t = 0; t < threads; ++t) {
        first_slot_.push_back(t * width / threads);
        const size_t slots = (t + 1) * width / threads - first_slot_.back();
        crews_.push_back(
            std::unique_ptr<Crew>(new Crew{Worker(rules_, problems_, limits, quirk, self_check),
                                           std::vector<Episode>(slots), Profile{}, nullptr}));
    }
}

void Batch::load(std::shared_ptr<const Problems> problems) {
    if (!problems->fits(*rules_)) throw std::invalid_argument("problems of another theory");
    problems_ = std::move(problems);
    own_problems_ = nullptr;
    for (auto& crew : crews_) {
        crew->worker.set_problems(problems_);
        for (Episode& episode : crew->episodes) episode = Episode{};
    }
}

void Batch::replace(size_t index, Problem problem) {
    if (index >= problems()) throw std::out_of_range("no such problem");
    if (!own_problems_) {
        auto own = std::make_shared<Problems>(*problems_);
        for (auto& crew : crews_) crew->worker.share_problems(own);
        problems_ = own_problems_ = std::move(own);
    }
    assert(own_problems_ == problems_);
    own_problems_->replace(index, std::move(problem));
    for (auto& crew : crews_) crew->worker.forget_problem(index);
}

void Batch::give_up() {
    for (auto& crew : crews_) {
        for (Episode& episode : crew->episodes) episode = Episode{};
        crew->policy = nullptr;
        crew->policy_net = nullptr;
        crew->worker.forget_all();
    }
}

std::pair<size_t, size_t> Batch::locate(size_t slot) const {
    if (slot >= width_) throw std::out_of_range("no such slot");
    assert(first_slot_.size() == crews_.size() && first_slot_[0] == 0);
    size_t crew = crews_.size() - 1;
    while (first_slot_[crew] > slot) --crew;
    assert(slot - first_slot_[crew] < crews_[crew]->episodes.size());
    return {crew, slot - first_slot_[crew]};
}

// Runs work(crew, control) for every crew, each on a thread of its own; the first error ends them
// all and is passed on. The calling thread waits and looks at its control.
void Batch::on_all(Control& control, const OneCrew& work) {
    if (crews_.size() == 1) {
        const Watch watch(crews_[0]->worker.bank(), control);
        work(0, control);
        return;
    }
    const auto halt = std::make_shared<StopFlag>();
    std::exception_ptr error;
    std::mutex guard;
    std::condition_variable ended;
    size_t running = crews_.size();
    const auto fail = [&] {
        const std::scoped_lock lock(guard);
        if (!error) error = std::current_exception();
        halt->set();
    };
    const auto run = [&](size_t c) {
        try {
            Control own(halt);
            const Watch watch(crews_[c]->worker.bank(), own);
            work(c, own);
        } catch (...) {
            fail();
        }
        const std::scoped_lock lock(guard);
        --running;
        ended.notify_one();
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (size_t c = 0; c < crews_.size(); ++c) threads.emplace_back(run, c);
            std::unique_lock lock(guard);
            while (!ended.wait_for(lock, kPollEvery, [&] { return running == 0; })) {
                lock.unlock();
                control.poll();
                lock.lock();
            }
        } catch (...) {
            fail();
        }
    }
    if (error) std::rethrow_exception(error);
}

void Batch::reset(size_t slot, uint32_t problem) {
    const auto [c, e] = locate(slot);
    if (problem >= problems()) throw std::out_of_range("no such problem");
    Worker& worker = crews_[c]->worker;
    Episode& episode = crews_[c]->episodes[e];
    or_give_up([&] {
        worker.tidy(crews_[c]->episodes);
        worker.reset(episode, problem);
        if (episode.end == End::running && none(worker.legal(episode))) episode.end = End::dead_end;
    });
}

const Episode& Batch::episode(size_t slot) const {
    const auto [c, e] = locate(slot);
    return crews_[c]->episodes[e];
}

std::vector<int32_t> Batch::codes(size_t slot) const {
    const auto [c, e] = locate(slot);
    const Episode& episode = crews_[c]->episodes[e];
    need_episode(episode);
    std::vector<int32_t> result;
    crews_[c]->worker.bank().write(episode.term, result);
    return result;
}

void Batch::step(std::span<const int32_t> actions) {
    if (actions.size() != width_) throw std::invalid_argument("one action a slot");
    Control control;
    on_all(control, [&](size_t c, Control&) {
        for (size_t e = 0; e < crews_[c]->episodes.size(); ++e) {
            const int32_t action = actions[first_slot_[c] + e];
            if (action < 0) continue;
            Episode& episode = crews_[c]->episodes[e];
            need_episode(episode);
            const auto a = static_cast<uint32_t>(action);
            if (!allows(crews_[c]->worker.legal(episode), a))
                throw IllegalAction{first_slot_[c] + e, a};
        }
    });
    or_give_up([&] {
        on_all(control, [&](size_t c, Control&) {
            Worker& worker = crews_[c]->worker;
            worker.tidy(crews_[c]->episodes);
            for (size_t e = 0; e < crews_[c]->episodes.size(); ++e) {
                const int32_t action = actions[first_slot_[c] + e];
                Episode& episode = crews_[c]->episodes[e];
                if (action < 0) continue;
                worker.step(episode, static_cast<uint32_t>(action));
                if (episode.end == End::running && none(worker.legal(episode)))
                    episode.end = End::dead_end;
            }
        });
    });
}

bool Batch::none(const MaskWord* mask) const {
    return std::all_of(mask, mask + rules_->mask_words(), [](MaskWord word) { return word == 0; });
}

bool Batch::allows(const MaskWord* mask, uint32_t action) const {
    return action < rules_->actions.size() && (mask[action / 64] >> action % 64 & 1);
}

void Batch::masks(uint8_t* out) {
    const size_t actions = rules_->actions.size();
    Control control;
    on_all(control, [&](size_t c, Control&) {
        for (size_t e = 0; e < crews_[c]->episodes.size(); ++e) {
            uint8_t* row = out + (first_slot_[c] + e) * actions;
            std::fill(row, row + actions, uint8_t{0});
            if (crews_[c]->episodes[e].term == kNoTerm) continue;
            const MaskWord* words = crews_[c]->worker.legal(crews_[c]->episodes[e]);
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
        bank.write(episode.term, codes, length);
        const size_t shown = codes.size();
        for (size_t i = 0; i < shown; ++i)
            row[i] = codes[i] < 0         ? symbols + constants - codes[i]
                     : codes[i] < symbols ? codes[i] + 1
                                          : codes[i];
        lengths[slot] = static_cast<int32_t>(shown);
        uint64_t cursor = 0;
        for (size_t i = 0; i < episode.path.size(); ++i) {
            ++cursor;
            for (uint32_t k = 0; k < episode.path[i]; ++k)
                cursor += bank[bank.arg(episode.spine[i], k)].size;
        }
        cursors[slot] = static_cast<int32_t>(std::min<uint64_t>(cursor, 0x7fffffff));
    }
}

void Batch::check_network(const TreeNet& net) const {
    if (!net.fits(*rules_)) throw std::invalid_argument("the network belongs to another theory");
    if (net.version() == 0) throw std::invalid_argument("the network has no weights yet");
}

Policy& Batch::policy_of(Crew& crew, const std::shared_ptr<const TreeNet>& net) {
    if (crew.policy_net != net.get()) {
        crew.policy = std::make_unique<Policy>(net, crew.worker, crew.episodes.size());
        crew.policy_net = net.get();
    }
    return *crew.policy;
}

void Batch::logits(const std::shared_ptr<const TreeNet>& net, RandomKey key, float* out,
                   Control& control) try {
    check_network(*net);
    const size_t actions = rules_->actions.size();
    on_all(control, [&](size_t c, Control&) {
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
} catch (...) {  // vectors may be missing; the terms stand
    for (auto& crew : crews_) {
        crew->policy = nullptr;
        crew->policy_net = nullptr;
    }
    throw;
}

std::vector<RewriteRecord> Batch::play_again(size_t slot, uint32_t problem,
                                             std::span<const uint16_t> actions, Control& control) {
    reset(slot, problem);
    const auto [c, e] = locate(slot);
    Worker& worker = crews_[c]->worker;
    Episode& episode = crews_[c]->episodes[e];
    const Watch watch(worker.bank(), control);
    std::vector<MaskWord> words(rules_->mask_words());
    std::vector<RewriteRecord> records;
    for (const uint16_t action : actions) {
        or_give_up([&] {
            worker.tidy(crews_[c]->episodes);
            worker.mask(episode, words.data());
        });
        if (!allows(words.data(), action)) throw IllegalAction{slot, action};
        or_give_up([&] {
            if (!rules_->actions[action].move) records.emplace_back();
            worker.step(episode, action, rules_->actions[action].move ? nullptr : &records.back());
        });
    }
    return records;
}

Chain Batch::chain(size_t slot, uint32_t problem, std::span<const uint16_t> actions,
                   Control& control) {
    const std::vector<RewriteRecord> records = play_again(slot, problem, actions, control);
    const auto [c, e] = locate(slot);
    Worker& worker = crews_[c]->worker;
    const Episode& episode = crews_[c]->episodes[e];
    if (episode.end != End::solved) return {};
    const Watch watch(worker.bank(), control);
    const std::vector<int32_t>& start = (*problems_)[problem].start;
    return read_out(*rules_, start, records, worker.solution(episode), kFill, &control,
                    self_check_);
}

Chain Batch::side_chain(size_t slot, uint32_t problem, std::span<const uint16_t> actions,
                        uint32_t side, Head first_free, Control& control) {
    if (rules_->goal != Goal::equation || side > 1)
        throw std::invalid_argument("a side of an equation is wanted");
    std::vector<RewriteRecord> records;
    for (RewriteRecord& record : play_again(slot, problem, actions, control)) {
        if (record.path[0] != side) continue;
        record.path[0] = 0;  // it becomes the left one
        records.push_back(std::move(record));
    }
    const std::vector<int32_t>& both = (*problems_)[problem].start;
    const auto arity = [&](int32_t head) {
        const auto symbol = static_cast<size_t>(head);
        return symbol < rules_->arity.size() ? rules_->arity[symbol] : 0;
    };
    size_t middle = 1;
    for (uint64_t open = 1; open > 0; ++middle) open = open - 1 + arity(both[middle]);
    const auto first = both.begin() + static_cast<ptrdiff_t>(side == 0 ? 1 : middle);
    const auto last = side == 0 ? both.begin() + static_cast<ptrdiff_t>(middle) : both.end();
    std::vector<int32_t> codes{both[0]};
    for (int copy = 0; copy < 2; ++copy) codes.insert(codes.end(), first, last);
    return read_out(*rules_, codes, records, {}, first_free, &control, self_check_);
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
