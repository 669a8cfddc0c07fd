// The critical pairs of a completion as its scorer saw them, kept for training.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "completion_score.hpp"

namespace threesil {

// Pairs in a row: the cells of their sides, left and right by turns.
struct PairRecord {
    std::vector<int32_t> codes;
    std::vector<uint64_t> ends;     // two for each pair
    std::vector<uint32_t> depths;   // of pairs
    std::vector<uint32_t> numbers;  // of pairs, ascending
};

class RecordingScorer : public Scorer {
   public:
    RecordingScorer(std::unique_ptr<Scorer> inner, std::shared_ptr<PairRecord> record)
        : inner_(std::move(inner)), record_(std::move(record)) {}

    float score(const ScoredPair& pair) override {
        if (record_->codes.size() < kMost) keep(pair);
        return inner_->score(pair);
    }

   private:
    static constexpr size_t kMost = size_t{1} << 27;  // codes

    void keep(const ScoredPair& pair) {
        for (const FlatView side : {pair.left, pair.right}) {
            for (const Cell cell : side) record_->codes.push_back(cell.symbol);
            record_->ends.push_back(record_->codes.size());
        }
        record_->depths.push_back(pair.depth);
        record_->numbers.push_back(pair.number);
    }

    const std::unique_ptr<Scorer> inner_;
    const std::shared_ptr<PairRecord> record_;
};

}  // namespace threesil
