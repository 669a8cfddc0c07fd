// How promising a critical pair is: the pair with the smallest score is taken first.
#pragma once

#include <cstdint>
#include <vector>

#include "flat.hpp"
#include "flat_unify.hpp"

namespace threesil {

// A critical pair, simplified by the rules of the moment.
struct ScoredPair {
    FlatView left, right;
    uint32_t depth;   // its deeper parent has one generation less behind it
    uint32_t number;  // pairs are numbered as they are made
    float size = 0;   // the first scorer's score, where there are two
};

class Scorer {
   public:
    virtual ~Scorer() = default;
    virtual float score(const ScoredPair& pair) = 0;
};

// The oldest first, so that no pair waits forever.
class AgeScorer : public Scorer {
   public:
    float score(const ScoredPair& pair) override { return static_cast<float>(pair.number); }
};

// By size: a subterm that comes again in its side counts as one. (Smallbone: Twee, CADE 2021)
class SizeScorer : public Scorer {
   public:
    struct Weights {
        float larger = 4;   // how much the larger side of a pair counts
        float smaller = 1;  // and the smaller one
        float variable = 6.0f / 7;
        float depth = 2;  // for each generation
        // A term of this symbol whose two arguments unify counts as one: it closes the search for
        // witnesses. -1 if there is none.
        int32_t equals = -1;
    };

    explicit SizeScorer(const Weights& weights) : weights_(weights) {}
    float score(const ScoredPair& pair) override;

   private:
    float size(FlatView term);
    bool closes(FlatView term);

    const Weights weights_;
    std::vector<uint64_t> hashes_;
    FlatUnifier unifier_;
};

}  // namespace threesil
