// Scores of critical pairs by a network; vectors of terms are kept by subterm, so that a new pair
// costs what is new in it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pair_net.hpp"

namespace threesil {

// Vectors by the hash of a term, as many as there is room for.
class VectorTable {
   public:
    explicit VectorTable(size_t size);
    // None if there is none. It stays where it is until the table is cleared.
    const float* find(uint64_t hash) const;
    float* add(uint64_t hash);
    bool has_room(size_t more) const { return count_ + more <= kMost; }
    void clear();

   private:
    static constexpr size_t kMost = size_t{1} << 17;

    size_t slot(uint64_t hash) const;

    const size_t size_;
    size_t count_ = 0;
    std::vector<uint64_t> keys_;     // open addressing, 0 is free
    std::vector<uint32_t> numbers_;  // by slot
    std::unique_ptr<float[]> vectors_;
};

class NetScorer : public Scorer {
   public:
    // `seed` decides the vectors of symbols and variables.
    NetScorer(const Order& order, const PairContext& context, std::shared_ptr<const PairNet> net,
              uint64_t seed);
    float score(const ScoredPair& pair) override;
    // What the network says: the larger the better.
    float judge(const ScoredPair& pair);
    // The random numbers and marks of a symbol or a variable.
    std::vector<float> vector(Cell head) const;

   private:
    void make_room(size_t terms);
    const float* head(Cell cell);
    const float* embed(FlatView term, const std::vector<uint64_t>& hashes);

    const std::shared_ptr<const PairNet> net_;
    const uint64_t seed_;
    PairFeatures features_;
    VectorTable vectors_;
    std::vector<std::vector<float>> heads_[2];  // by symbol, by variable
    std::vector<float> goal_, inputs_;
    std::vector<uint32_t> fresh_;  // cells
    std::vector<const float*> arguments_;
};

}  // namespace threesil
