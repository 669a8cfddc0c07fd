// States kept for training, and the order in which a network evaluates a batch of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "state.hpp"
#include "tree_net.hpp"

namespace threesil {

// The unique subterms of a batch of states, grouped by level and network, bottom-up. A subterm
// with random leaves is shared within its state only.
struct Schedule {
    struct Group {
        uint32_t network;
        uint32_t begin, end;  // nodes
        size_t children;      // offset: (end - begin) x arity nodes
        size_t random;        // offset: (end - begin) x n numbers, for networks of random leaves
    };
    std::vector<Group> groups;
    std::vector<uint32_t> children;
    std::vector<float> random;
    std::vector<uint32_t> roots;  // the node of each state
    size_t nodes = 0;
};

// States of recorded episodes, each a term with the cursor as a node, and its mask.
class StateStore {
   public:
    StateStore(std::shared_ptr<const Rules> rules, bool quirk, bool self_check);

    void load(std::shared_ptr<const Problems> problems);
    // Plays the actions again and keeps the states before each of them, and the last one if
    // `with_last`. Returns the index of the first.
    size_t add(uint32_t problem, std::span<const uint16_t> actions, bool with_last);
    // The actions without the loops between two visits of the same state.
    std::vector<uint16_t> prune(uint32_t problem, std::span<const uint16_t> actions);

    Gate gate;
    size_t size() const { return states_.size(); }
    size_t terms() const { return worker_.bank().size(); }
    std::vector<int32_t> codes(size_t state) const;
    const MaskWord* mask(size_t state) const {
        assert(state < states_.size());
        return masks_.data() + state * rules_->mask_words();
    }
    const Rules& rules() const { return *rules_; }

    // draws[i] is the number of the draw of random vectors for states[i].
    Schedule schedule(std::span<const uint32_t> states, std::span<const uint64_t> draws,
                      RandomKey key, const TreeNet& net, Control& control);

   private:
    static void check(const Schedule& schedule, const TreeNet& net);
    template <typename Visit>
    void play(uint32_t problem, std::span<const uint16_t> actions, Visit visit);

    std::shared_ptr<const Rules> rules_;
    size_t problems_ = 0;
    const bool self_check_;
    Worker worker_;
    std::vector<TermId> states_;
    std::vector<MaskWord> masks_;
    std::vector<std::pair<uint64_t, uint32_t>> seen_;  // (stamp, node) by term
    uint64_t stamp_ = 0;
};

// A forward pass over a batch of states that remembers what the backward pass needs.
class TreePass {
   public:
    TreePass(std::shared_ptr<TreeNet> net, Schedule schedule, Control& control);

    // (states x actions), (states).
    void outputs(float* logits, float* values) const;
    // The gradient of the parameters, from those of the outputs; dvalues may be null.
    void backward(const float* dlogits, const float* dvalues, float* gradient,
                  Control& control) const;
    const Schedule& schedule() const { return schedule_; }
    size_t states() const { return schedule_.roots.size(); }
    TreeNet& net() const { return *net_; }

   private:
    void gather(const Schedule::Group& group, std::vector<float>& inputs) const;

    std::shared_ptr<TreeNet> net_;
    Schedule schedule_;
    std::vector<float> vectors_, hidden_;  // nodes x n
    std::vector<float> states_, h1_, h2_, logits_, values_;
};

}  // namespace threesil
