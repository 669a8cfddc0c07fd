// Hints: equations that are likely to be steps of a proof. A critical pair that is one of them, up
// to the names of variables and the order of its sides, is taken early. (Veroff 1996)
//
// A pair is looked up by a hash of 64 bits, so the cost does not depend on how many hints there
// are. Where two hashes collide, a pair is taken early for no reason, which harms nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "completion_score.hpp"
#include "flat.hpp"

namespace threesil {

class HintTable {
   public:
    static constexpr uint32_t kNone = UINT32_MAX;

    void add(FlatView left, FlatView right);
    // Its number, or kNone.
    uint32_t find(FlatView left, FlatView right) const;
    uint32_t size() const { return static_cast<uint32_t>(numbers_.size()); }

   private:
    static constexpr uint32_t kBits = 20;

    std::unordered_map<uint64_t, uint32_t> numbers_;
    // Whether a hint has a shape with this hash: nearly all pairs need no closer look.
    std::vector<bool> shapes_ = std::vector<bool>(size_t{1} << kBits);
};

// The hints of one completion, and how often a pair has matched each.
struct HintUse {
    explicit HintUse(std::shared_ptr<const HintTable> given)
        : table(std::move(given)), times(table->size(), 0) {}

    std::shared_ptr<const HintTable> table;
    std::vector<uint32_t> times;
    uint64_t matched = 0;  // hints, each counted once
};

// The first pair that matches a hint counts as a twentieth of what it would, the next one as two
// twentieths, and so on: a hint that matched often means nothing any more.
class HintScorer : public Scorer {
   public:
    HintScorer(std::unique_ptr<Scorer> inner, std::shared_ptr<HintUse> use)
        : inner_(std::move(inner)), use_(std::move(use)) {}
    float score(const ScoredPair& pair) override;

   private:
    static constexpr uint32_t kTimes = 20;

    const std::unique_ptr<Scorer> inner_;
    const std::shared_ptr<HintUse> use_;
};

}  // namespace threesil
