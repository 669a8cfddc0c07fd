// Critical pairs that wait: the one with the smallest score comes first, among equals the oldest.
// Pairs may have two scores; then the queues take turns.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

namespace threesil {

template <typename Content>
class PairQueue {
   public:
    struct Entry {
        float score;
        uint32_t number;
        Content content;
        bool operator<(const Entry& other) const {
            return score != other.score ? score > other.score : number > other.number;
        }
    };

    // So many turns of the second score after so many of the first; 0 if there is no second score.
    PairQueue(uint32_t firsts, uint32_t turns) : firsts_(firsts), turns_(turns) {}

    bool empty() const { return waiting_ == 0; }
    size_t size() const { return waiting_; }

    // Numbers are counted up from 0.
    void push(uint32_t number, const Content& content, float first, float second) {
        add(heaps_[0], {first, number, content});
        ++waiting_;
        if (turns_ == 0) return;
        add(heaps_[1], {second, number, content});
        assert(number == gone_.size());
        gone_.push_back(false);
    }

    Entry pop() {
        assert(!empty());
        --waiting_;
        if (turns_ == 0) return take(heaps_[0]);
        const bool second = turn_ >= firsts_;
        turn_ = (turn_ + 1) % (firsts_ + turns_);
        for (;;) {
            const Entry entry = take(heaps_[second]);
            if (gone_[entry.number]) continue;
            gone_[entry.number] = true;
            return entry;
        }
    }

    // Keeps those that are alive, and of them no more than `most`, the best by the first score;
    // whether others were lost.
    template <typename Alive>
    bool prune(size_t most, Alive&& alive) {
        Heap& heap = heaps_[0];
        const auto forget = [&](const Entry& entry) {
            if (turns_ > 0) gone_[entry.number] = true;
            return true;
        };
        std::erase_if(heap, [&](const Entry& entry) {
            if (turns_ > 0 && gone_[entry.number]) return true;
            return !alive(entry.content) && forget(entry);
        });
        const bool full = heap.size() > most;
        if (full) {
            const auto end = heap.begin() + static_cast<std::ptrdiff_t>(most);
            std::nth_element(heap.begin(), end, heap.end(),
                             [](const Entry& a, const Entry& b) { return b < a; });
            std::for_each(end, heap.end(), forget);
            heap.erase(end, heap.end());
        }
        std::make_heap(heap.begin(), heap.end());
        waiting_ = heap.size();
        if (turns_ > 0)
            std::erase_if(heaps_[1], [&](const Entry& entry) { return gone_[entry.number]; });
        std::make_heap(heaps_[1].begin(), heaps_[1].end());
        return full;
    }

   private:
    using Heap = std::vector<Entry>;

    static void add(Heap& heap, const Entry& entry) {
        heap.push_back(entry);
        std::push_heap(heap.begin(), heap.end());
    }
    static Entry take(Heap& heap) {
        std::pop_heap(heap.begin(), heap.end());
        const Entry entry = heap.back();
        heap.pop_back();
        return entry;
    }

    const uint32_t firsts_, turns_;
    uint32_t turn_ = 0;
    size_t waiting_ = 0;
    Heap heaps_[2];
    std::vector<bool> gone_;  // by number, where there are two heaps
};

}  // namespace threesil
