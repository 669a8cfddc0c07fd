#include "hints.hpp"

#include <algorithm>

namespace threesil {

namespace {

// Variables count by where they occur first.
uint64_t hash_of(FlatView first, FlatView second) {
    thread_local std::vector<uint32_t> names;
    names.assign(std::max(variables_of(first), variables_of(second)), 0);
    uint32_t variables = 0;
    uint64_t h = 0x9e3779b97f4a7c15ull;
    for (const FlatView side : {first, second}) {
        for (const Cell cell : side) {
            uint32_t code = static_cast<uint32_t>(cell.symbol);
            if (is_var(cell)) {
                uint32_t& name = names[var_of(cell)];
                if (name == 0) name = ++variables;
                code = ~name;
            }
            h = (h ^ code) * 0xff51afd7ed558ccdull;
            h ^= h >> 32;
        }
    }
    return h;
}

// Prefix order says where the first side ends, so the hash of the row of both is one of the pair.
uint64_t key_of(FlatView left, FlatView right) {
    return std::min(hash_of(left, right), hash_of(right, left));
}

// The same whatever the variables are.
uint64_t shape_of(FlatView side) {
    uint64_t h = 0;
    for (const Cell cell : side)
        h = (h + static_cast<uint64_t>(std::max(cell.symbol, -1) + 2)) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
}

// The same whatever the variables are, and the order of the sides.
size_t shape_of(FlatView left, FlatView right, uint32_t bits) {
    return (shape_of(left) + shape_of(right)) * 0xff51afd7ed558ccdull >> (64 - bits);
}

}  // namespace

void HintTable::add(FlatView left, FlatView right) {
    shapes_[shape_of(left, right, kBits)] = true;
    numbers_.try_emplace(key_of(left, right), size());
}

uint32_t HintTable::find(FlatView left, FlatView right) const {
    if (!shapes_[shape_of(left, right, kBits)]) return kNone;
    const auto found = numbers_.find(key_of(left, right));
    return found == numbers_.end() ? kNone : found->second;
}

float HintScorer::score(const ScoredPair& pair) {
    const float score = inner_->score(pair);
    const uint32_t hint = use_->table->find(pair.left, pair.right);
    if (hint == HintTable::kNone) return score;
    uint32_t& times = use_->times[hint];
    use_->matched += times == 0;
    if (times == kTimes) return score;
    ++times;
    return score * static_cast<float>(times) / kTimes;
}

}  // namespace threesil
