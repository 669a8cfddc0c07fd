// The network as a policy for episodes that advance in lockstep.
//
// Vectors of subterms are kept while the weights stand: for the whole worker where a term has
// leaves of the signature only, for one episode where it has random ones. A cursor move costs the
// path from the cursor to the root, a rewrite its new subterms on top.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "state.hpp"
#include "tree_net.hpp"

namespace threesil {

struct PolicyOptions {
    RandomKey key;
    float noise = 0.05f;  // share of uniformly random actions
    bool greedy = false;  // the most probable action, without noise
};

// Vectors by term: an open-addressing table and the rows behind it.
class VectorCache {
   public:
    explicit VectorCache(size_t size) : size_(size) {}
    void clear();
    // The row of a term, or -1.
    int64_t find(TermId term) const;
    size_t insert(TermId term);
    float* row(size_t index) {
        assert(index < count_);
        return rows_.data() + index * size_;
    }

   private:
    void grow();

    size_t size_;
    size_t count_ = 0;
    std::vector<TermId> keys_;
    std::vector<uint32_t> values_;
    std::vector<float> rows_;
};

class Policy {
   public:
    Policy(std::shared_ptr<const TreeNet> net, Worker& worker, size_t slots);

    // Logits (episodes x outputs()). numbers[i] is the number of the i-th episode, which its
    // random vectors depend on; they are kept in slot slots[i], where only states with the same
    // number may meet.
    const float* logits(std::span<const Episode* const> episodes, std::span<const size_t> slots,
                        std::span<const uint64_t> numbers, const RandomKey& key);
    const float* values() const { return values_.data(); }
    size_t outputs() const { return net_->outputs(); }

    // An action from logits and a mask, for a step of an episode.
    static uint32_t choose(const float* logits, const MaskWord* mask, size_t actions,
                           const PolicyOptions& options, uint64_t episode, uint32_t step);

   private:
    struct Pending {
        TermId term;
        uint32_t slot;  // index in the list of slots; kShared for the worker's cache
        uint32_t row;
    };
    static constexpr uint32_t kShared = 0xffffffffu;

    void refresh(std::span<const size_t> slots, std::span<const uint64_t> numbers,
                 const RandomKey& key);
    void embed_new(std::span<const Episode* const> episodes, std::span<const size_t> slots,
                   std::span<const uint64_t> numbers, const RandomKey& key);
    void embed_paths(std::span<const Episode* const> episodes, std::span<const size_t> slots);
    void make_room(size_t group, size_t arity);
    VectorCache& cache_of(TermId term, size_t slot);
    const float* vector_of(TermId term, size_t slot);

    std::shared_ptr<const TreeNet> net_;
    Worker& worker_;
    VectorCache shared_;
    std::vector<VectorCache> own_;
    std::vector<uint64_t> number_;  // of the episode whose vectors a slot's cache holds
    uint64_t version_ = 0;
    uint64_t collections_ = 0;
    RandomKey key_;
    std::vector<std::vector<Pending>> levels_;
    std::vector<std::vector<uint32_t>> by_network_;
    std::vector<TermId> stack_;
    std::vector<float> inputs_, hidden_, outputs_, states_, h1_, h2_, logits_, values_;
};

}  // namespace threesil
