#include "policy.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "gemm.hpp"

namespace threesil {

namespace {
constexpr uint64_t kNoEpisode = ~uint64_t{0};
constexpr size_t kFirstSlots = 64;

size_t slot_of(TermId term, size_t slots) {
    return (term * 0x9e3779b97f4a7c15ull >> 32) & (slots - 1);
}
}  // namespace

void VectorCache::clear() {
    if (count_ == 0) return;
    count_ = 0;
    rows_.clear();
    std::fill(keys_.begin(), keys_.end(), kNoTerm);
}

int64_t VectorCache::find(TermId term) const {
    if (keys_.empty()) return -1;
    for (size_t s = slot_of(term, keys_.size());; s = (s + 1) & (keys_.size() - 1)) {
        if (keys_[s] == term) return values_[s];
        if (keys_[s] == kNoTerm) return -1;
    }
}

size_t VectorCache::insert(TermId term) {
    if (2 * (count_ + 1) > keys_.size()) grow();
    rows_.resize((count_ + 1) * size_);
    size_t s = slot_of(term, keys_.size());
    for (; keys_[s] != kNoTerm; s = (s + 1) & (keys_.size() - 1)) assert(keys_[s] != term);
    keys_[s] = term;
    values_[s] = static_cast<uint32_t>(count_);
    return count_++;
}

void VectorCache::grow() {
    const std::vector<TermId> keys = std::move(keys_);
    const std::vector<uint32_t> values = std::move(values_);
    keys_.assign(std::max(kFirstSlots, 2 * keys.size()), kNoTerm);
    values_.assign(keys_.size(), 0);
    for (size_t i = 0; i < keys.size(); ++i) {
        if (keys[i] == kNoTerm) continue;
        size_t s = slot_of(keys[i], keys_.size());
        while (keys_[s] != kNoTerm) s = (s + 1) & (keys_.size() - 1);
        keys_[s] = keys[i];
        values_[s] = values[i];
    }
}

Policy::Policy(std::shared_ptr<const TreeNet> net, Worker& worker, size_t slots)
    : net_(std::move(net)),
      worker_(worker),
      shared_(net_->shape().size),
      own_(slots, VectorCache(net_->shape().size)),
      number_(slots, kNoEpisode),
      by_network_(net_->networks()) {
    if (!net_->fits(worker_.rules(), false))
        throw std::invalid_argument("the network belongs to another theory");
}

VectorCache& Policy::cache_of(TermId term, size_t slot) {
    return worker_.bank()[term].personal ? own_[slot] : shared_;
}

const float* Policy::vector_of(TermId term, size_t slot) {
    VectorCache& cache = cache_of(term, slot);
    const int64_t row = cache.find(term);
    assert(row >= 0);
    return cache.row(static_cast<size_t>(row));
}

// Drops vectors that are out of date: other weights, moved terms, another draw or episode.
void Policy::refresh(std::span<const size_t> slots, std::span<const uint64_t> numbers,
                     const RandomKey& key) {
    if (net_->version() == 0) throw std::invalid_argument("the network has no weights yet");
    if (!(key_ == key)) {
        key_ = key;
        std::fill(number_.begin(), number_.end(), kNoEpisode);
    }
    if (version_ != net_->version() || collections_ != worker_.collections()) {
        version_ = net_->version();
        collections_ = worker_.collections();
        shared_.clear();
        for (VectorCache& cache : own_) cache.clear();
    }
    for (size_t i = 0; i < slots.size(); ++i)
        if (number_[slots[i]] != numbers[i]) {
            number_[slots[i]] = numbers[i];
            own_[slots[i]].clear();
        }
}

// Buffers for a group of terms with the same network.
void Policy::make_room(size_t group, size_t arity) {
    const size_t numbers = padded_rows(group) * net_->shape().size;
    inputs_.resize(std::max(inputs_.size(), numbers * arity));
    hidden_.resize(std::max(hidden_.size(), numbers));
    outputs_.resize(std::max(outputs_.size(), numbers));
}

void Policy::embed_new(std::span<const Episode* const> episodes, std::span<const size_t> slots,
                       std::span<const uint64_t> numbers, const RandomKey& key) {
    const TermBank& bank = worker_.bank();
    const size_t n = net_->shape().size;
    size_t deepest = 0;
    for (uint32_t i = 0; i < slots.size(); ++i) {
        stack_.assign(1, episodes[i]->term);
        while (!stack_.empty()) {
            const TermId term = stack_.back();
            stack_.pop_back();
            VectorCache& cache = cache_of(term, slots[i]);
            if (cache.find(term) >= 0) continue;
            bank.spend();
            const auto row = static_cast<uint32_t>(cache.insert(term));
            const size_t depth = bank[term].depth;
            if (depth >= levels_.size()) levels_.resize(depth + 1);
            levels_[depth].push_back({term, bank[term].personal ? i : kShared, row});
            deepest = std::max(deepest, depth);
            for (TermId arg : bank.args(term)) stack_.push_back(arg);
        }
    }
    for (size_t depth = 1; depth <= deepest; ++depth) {
        std::vector<Pending>& level = levels_[depth];
        if (level.empty()) continue;
        for (uint32_t p = 0; p < level.size(); ++p)
            by_network_[net_->network_of(bank.head(level[p].term))].push_back(p);
        for (size_t network = 0; network < by_network_.size(); ++network) {
            std::vector<uint32_t>& group = by_network_[network];
            if (group.empty()) continue;
            const size_t arity = net_->arity_of(network);
            make_room(group.size(), arity);
            for (size_t g = 0; g < group.size(); ++g) {
                const Pending& p = level[group[g]];
                if (network >= net_->constant_network()) {
                    random_vector({key, numbers[p.slot]}, bank.head(p.term), inputs_.data() + g * n,
                                  n);
                    continue;
                }
                const size_t slot = p.slot == kShared ? 0 : slots[p.slot];
                for (size_t k = 0; k < arity; ++k)
                    std::copy_n(vector_of(bank.arg(p.term, static_cast<uint32_t>(k)), slot), n,
                                inputs_.data() + (g * arity + k) * n);
            }
            const bool leaf = net_->is_leaf(network);
            if (!leaf)
                net_->embed(network, inputs_.data(), hidden_.data(), outputs_.data(), group.size(),
                            bank.control);
            for (size_t g = 0; g < group.size(); ++g) {
                const Pending& p = level[group[g]];
                VectorCache& cache = p.slot == kShared ? shared_ : own_[slots[p.slot]];
                std::copy_n(leaf ? net_->leaf(network) : outputs_.data() + g * n, n,
                            cache.row(p.row));
            }
            group.clear();
        }
        level.clear();
    }
}

// The vectors of whole states: from the cursor's node up to the root, one level of all paths at a
// time.
void Policy::embed_paths(std::span<const Episode* const> episodes, std::span<const size_t> slots) {
    const TermBank& bank = worker_.bank();
    const size_t n = net_->shape().size;
    const size_t cursor = worker_.rules().cursor();
    size_t longest = 0;
    for (const Episode* episode : episodes) longest = std::max(longest, episode->path.size());
    for (size_t round = 0; round <= longest; ++round) {
        for (uint32_t i = 0; i < slots.size(); ++i) {
            const Episode& episode = *episodes[i];
            if (episode.path.size() < round) continue;
            const size_t network =
                round == 0 ? cursor : bank.head(episode.spine[episode.path.size() - round]);
            by_network_[network].push_back(i);
        }
        for (size_t network = 0; network < by_network_.size(); ++network) {
            std::vector<uint32_t>& group = by_network_[network];
            if (group.empty()) continue;
            assert(!net_->is_leaf(network));
            const size_t arity = net_->arity_of(network);
            make_room(group.size(), arity);
            for (size_t g = 0; g < group.size(); ++g) {
                const Episode& episode = *episodes[group[g]];
                float* input = inputs_.data() + g * arity * n;
                if (round == 0) {
                    std::copy_n(vector_of(episode.spine.back(), slots[group[g]]), n, input);
                    continue;
                }
                const size_t level = episode.path.size() - round;
                for (uint32_t k = 0; k < arity; ++k) {
                    const float* from =
                        k == episode.path[level]
                            ? states_.data() + group[g] * n
                            : vector_of(bank.arg(episode.spine[level], k), slots[group[g]]);
                    std::copy_n(from, n, input + k * n);
                }
            }
            net_->embed(network, inputs_.data(), hidden_.data(), outputs_.data(), group.size(),
                        bank.control);
            for (size_t g = 0; g < group.size(); ++g)
                std::copy_n(outputs_.data() + g * n, n, states_.data() + group[g] * n);
            group.clear();
        }
    }
}

const float* Policy::logits(std::span<const Episode* const> episodes, std::span<const size_t> slots,
                            std::span<const uint64_t> numbers, const RandomKey& key) {
    assert(episodes.size() == slots.size() && numbers.size() == slots.size());
    const size_t rows = padded_rows(slots.size());
    const auto room = [rows](std::vector<float>& buffer, size_t columns) {
        if (buffer.size() < rows * columns) buffer.resize(rows * columns);
    };
    room(states_, net_->shape().size);
    room(h1_, net_->shape().hidden);
    room(h2_, net_->shape().hidden);
    room(logits_, net_->outputs());
    room(values_, 1);
    refresh(slots, numbers, key);
    embed_new(episodes, slots, numbers, key);
    embed_paths(episodes, slots);
    net_->predict(states_.data(), h1_.data(), h2_.data(), logits_.data(), values_.data(),
                  slots.size(), worker_.bank().control);
    return logits_.data();
}

uint32_t Policy::choose(const float* logits, const MaskWord* mask, size_t actions,
                        const PolicyOptions& options, uint64_t episode, uint32_t step) {
    uint32_t legal[65536 / 64];
    std::vector<uint32_t> many;
    size_t count = 0;
    uint32_t* list = legal;
    if (actions > std::size(legal)) {
        many.resize(actions);
        list = many.data();
    }
    float best = -INFINITY;
    uint32_t best_action = 0;
    for (size_t w = 0; w * 64 < actions; ++w)
        for (MaskWord left = mask[w]; left; left &= left - 1) {
            const auto a =
                static_cast<uint32_t>(64 * w + static_cast<size_t>(std::countr_zero(left)));
            if (count == 0) best_action = a;
            list[count++] = a;
            if (logits[a] > best) {
                best = logits[a];
                best_action = a;
            }
        }
    assert(count == 0 || (mask[best_action / 64] >> best_action % 64 & 1));
    if (options.greedy || count == 0) return best_action;
    const auto bits = options.key.draw(episode, step);
    const auto unit = [](uint32_t b) { return b / 4294967296.0; };
    if (unit(bits[0]) < options.noise) return list[below(bits[1], static_cast<uint32_t>(count))];
    double total = 0;
    for (size_t i = 0; i < count; ++i) total += std::exp(logits[list[i]] - best);
    double left = unit(bits[2]) * total;
    for (size_t i = 0; i < count; ++i) {
        left -= std::exp(logits[list[i]] - best);
        if (left < 0) return list[i];
    }
    return list[count - 1];
}

}  // namespace threesil
