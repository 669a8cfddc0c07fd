// How completion chooses among its critical pairs: by their size alone, or also as a network has
// learned.
#pragma once

#include <memory>

#include "completion_record.hpp"
#include "gate.hpp"
#include "pair_scorer.hpp"

namespace threesil {

struct Selection {
    Order order;
    PairContext context;
    SizeScorer::Weights by_size;
    std::shared_ptr<const PairNet> net;  // none: by size alone
    uint32_t turns = 1;                  // pairs that the network picks for each one by size
    uint64_t seed = 0;                   // of the vectors of symbols
    std::shared_ptr<PairRecord> record;  // if the pairs are to be kept
    Gate gate;

    std::unique_ptr<Scorer> first() const {
        std::unique_ptr<Scorer> result = std::make_unique<SizeScorer>(by_size);
        if (record) result = std::make_unique<RecordingScorer>(std::move(result), record);
        return result;
    }
    std::unique_ptr<Scorer> second() const {
        if (!net || turns == 0) return nullptr;
        return std::make_unique<NetScorer>(order, context, net, seed);
    }
};

}  // namespace threesil
