// How completion chooses among its critical pairs: by their size, or as a network has learned.
#pragma once

#include <memory>

#include "completion_record.hpp"
#include "pair_features.hpp"
#include "pair_scorer.hpp"

namespace threesil {

struct Selection {
    Order order;
    PairContext context;
    std::shared_ptr<const PairNet> net;  // none: by size
    float share = 1;                     // of the network, the rest is the size
    uint64_t seed = 0;                   // of the vectors of symbols
    std::shared_ptr<PairRecord> record;  // if the pairs are to be kept

    // `by_size` is what is used where there is no network.
    std::unique_ptr<Scorer> scorer(std::unique_ptr<Scorer> by_size) const {
        std::unique_ptr<Scorer> result = std::move(by_size);
        if (net)
            result =
                std::make_unique<NetScorer>(order, context, net, std::move(result), share, seed);
        if (record) result = std::make_unique<RecordingScorer>(std::move(result), record);
        return result;
    }
};

}  // namespace threesil
