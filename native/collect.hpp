// Many episodes at once: batches in lockstep, spread over threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "chain.hpp"
#include "policy.hpp"
#include "random.hpp"
#include "state.hpp"

namespace threesil {

// Outcomes of whole episodes, one entry each; `actions` holds those of the solved ones, or of
// all, one after the other, `offsets` (one more than episodes) where each starts.
struct Played {
    std::vector<uint8_t> end;
    std::vector<uint32_t> steps;
    std::vector<uint16_t> actions;
    std::vector<uint64_t> offsets;
    uint64_t legal = 0;        // legal actions over all decisions
    uint64_t collections = 0;  // times that a bank was tidied
    uint64_t bank_bytes = 0;   // size of the banks at the end
};

class Batch {
   public:
    Batch(std::shared_ptr<const Rules> rules, Limits limits, size_t width, size_t threads,
          bool quirk, bool self_check);
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    // Shares the problems; all slots become empty.
    void load(std::shared_ptr<const Problems> problems);
    // Puts another problem in the place of one, here alone; running episodes are not touched.
    void replace(size_t index, Problem problem);
    size_t problems() const { return problems_->size(); }
    size_t width() const { return width_; }
    const Rules& rules() const { return *rules_; }
    Gate gate;

    // Slots one by one.
    void reset(size_t slot, uint32_t problem);
    const Episode& episode(size_t slot) const;
    std::vector<int32_t> codes(size_t slot) const;

    // All slots in lockstep: an action for each, negative for "leave it". Nothing is done if one
    // of them is illegal.
    void step(std::span<const int32_t> actions);
    void masks(uint8_t* out);
    // Prefix tokens: token_of_code(code) of each code, at most `length` of them, padded with 0.
    void observe(int32_t* tokens, int32_t* lengths, int32_t* cursors, size_t length,
                 int32_t constants) const;

    // Whole episodes on the listed problems; they refill the slots, so a batch that plays does
    // not keep the states of single slots. Actions are kept of solved episodes, or of `all`.
    // Where the control ends a play, its episodes are given up.
    Played play_random(std::span<const uint32_t> problems, RandomKey key, uint64_t first_episode,
                       Control& control);
    Played play_guided(std::span<const uint32_t> problems,
                       const std::shared_ptr<const TreeNet>& net, const PolicyOptions& options,
                       uint64_t first_episode, bool all, Control& control);
    Played replay(std::span<const uint32_t> problems, std::span<const uint16_t> actions,
                  std::span<const uint64_t> offsets, Control& control);
    // Logits (width x actions) of the network in the states of all slots, each taken as the
    // episode with the number of its slot.
    void logits(const std::shared_ptr<const TreeNet>& net, RandomKey key, float* out,
                Control& control);

    // Plays an episode again in a slot; its chain of rewrites if that solves the problem.
    Chain chain(size_t slot, uint32_t problem, std::span<const uint16_t> actions, Control& control);
    // The same whether it is solved or not, for one side (0, 1) of an equation alone: the chain
    // from what the side was to what it is. Its variables become constants from `first_free` on.
    Chain side_chain(size_t slot, uint32_t problem, std::span<const uint16_t> actions,
                     uint32_t side, Head first_free, Control& control);

    void set_profiling(bool on);
    std::vector<uint64_t> profile() const;

   private:
    struct Crew {
        Worker worker;
        std::vector<Episode> episodes;
        Profile profile;
        std::unique_ptr<Policy> policy;
        const TreeNet* policy_net = nullptr;
    };
    static constexpr uint32_t kStop = 0xffffffffu;  // no further action: the episode ends

    // What a policy is asked: an action for each of the episodes that go on.
    struct Turn {
        Crew& crew;
        std::span<const size_t> slots;
        std::span<const uint64_t> numbers;  // of the episodes, from 0
        std::span<const MaskWord> masks;    // mask_words() each
        std::span<uint32_t> actions;        // to be filled
    };
    using Choose = std::function<void(const Turn&)>;
    struct PlayState;

    std::vector<RewriteRecord> play_again(size_t slot, uint32_t problem,
                                          std::span<const uint16_t> actions, Control& control);
    std::pair<size_t, size_t> locate(size_t slot) const;
    bool allows(const MaskWord* mask, uint32_t action) const;
    bool none(const MaskWord* mask) const;
    using OneCrew = std::function<void(size_t, Control&)>;
    void on_all(Control& control, const OneCrew& work);
    // Does what changes the slots; they all become empty if it fails in the middle.
    template <typename Change>
    void or_give_up(const Change& change) {
        try {
            change();
        } catch (...) {
            give_up();
            throw;
        }
    }
    void give_up();
    Played play(std::span<const uint32_t> problems, bool all, const Choose& choose,
                Control& control);
    void play_crew(Crew& crew, const Choose& choose, PlayState& state);
    void check_network(const TreeNet& net) const;
    Policy& policy_of(Crew& crew, const std::shared_ptr<const TreeNet>& net);

    std::shared_ptr<const Rules> rules_;
    std::shared_ptr<const Problems> problems_;
    std::shared_ptr<Problems> own_problems_;  // the same, where no one shares them
    const bool self_check_;
    size_t width_;
    std::vector<std::unique_ptr<Crew>> crews_;
    std::vector<size_t> first_slot_;
};

}  // namespace threesil
