// Episodes: a term with a cursor, the complete mask of actions, and the step function.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

#include "problems.hpp"
#include "rules.hpp"
#include "term_bank.hpp"
#include "unify.hpp"

namespace threesil {

// Why an episode is over; the last five are limits.
enum class End : uint8_t { running, solved, dead_end, steps, size, depth, variables, memory };

// Raised for an action that the mask does not allow, with the slot or the episode it was for.
struct IllegalAction {
    size_t slot;
    uint32_t action;
};

struct Limits {
    uint32_t steps = 100;
    uint32_t size = 1'000'000;        // nodes of a term as a tree
    uint32_t depth = 1'000'000;       // nodes on a path
    uint32_t variables = 10'000;      // 1 + largest index of an introduced variable
    uint64_t bank_terms = 8'000'000;  // distinct terms kept for all the episodes of one thread
};

struct Episode {
    uint32_t problem = 0;
    TermId term = kNoTerm;  // the whole state: a term, or two sides joined by the equality symbol
    TermId target = kNoTerm;
    std::vector<uint32_t> path;   // the cursor: argument indices from the root
    std::vector<TermId> spine;    // terms on the path, the whole term first, the cursor's last
    std::vector<TermId> visited;  // every term the episode stood at with the cursor at the root
    std::vector<uint16_t> actions;
    std::vector<MaskWord> legal;  // the mask of this state, if it is `masked`
    bool masked = false;
    End end = End::running;
};

// One rewrite as it was done, for reading a derivation out of an episode. `bound` is the offset
// of the rule's variables.
struct RewriteRecord {
    std::vector<uint32_t> path;
    uint32_t equation = 0;
    bool left_to_right = true;
    uint32_t bound = 0;
    uint32_t variables = 0;
    std::vector<std::pair<uint32_t, std::vector<int32_t>>> bindings;
};

// A bank with the episodes that live in it; one thread uses it at a time.
class Worker {
   public:
    Worker(std::shared_ptr<const Rules> rules, std::shared_ptr<const Problems> problems,
           Limits limits, bool quirk, bool self_check);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void set_problems(std::shared_ptr<const Problems> problems);
    // Takes a copy of the problems in their place.
    void share_problems(std::shared_ptr<const Problems> copy) {
        assert(copy->size() == interned_.size());
        problems_ = std::move(copy);
    }
    void forget_problem(size_t index) { interned_[index] = {kNoTerm, kNoTerm}; }
    // Drops all terms, and with them all episodes; after work that ended in the middle.
    void forget_all();

    void reset(Episode& episode, uint32_t problem);
    // Fills mask_words() words with the legal actions; false if there is none.
    bool mask(const Episode& episode, MaskWord* words);
    // The same, kept in the episode until its state changes.
    const MaskWord* legal(Episode& episode);
    // Takes a legal action, also in an episode that is over. A limit that it would break ends the
    // episode and leaves its term.
    void step(Episode& episode, uint32_t action, RewriteRecord* record = nullptr);
    // The final unifier of a solved equation: values of the variables of the last state.
    std::vector<std::pair<uint32_t, std::vector<int32_t>>> solution(const Episode& episode);

    // The state as one term, the cursor as a unary node.
    TermId with_cursor(const Episode& episode);

    // Frees terms that no episode needs, if the bank has grown past its share.
    void tidy(std::vector<Episode>& episodes);
    void set_profile(Profile* profile);
    bool profiled() const { return profile_ != nullptr; }
    Profile* profile() const { return profile_; }

    const Rules& rules() const { return *rules_; }
    TermBank& bank() { return bank_; }
    const TermBank& bank() const { return bank_; }
    uint64_t collections() const { return collections_; }

   private:
    bool solved(const Episode& episode);
    // A visited term that a rewrite at the cursor could lead to.
    struct Suspect {
        TermId term;
        TermId residue;     // its subterm where the cursor is now
        bool same_context;  // it is identical with the current term around the cursor
    };

    const MaskWord* mask_of(TermId term);
    const MaskWord* keep_mask(TermId term);
    void exclude_visited(const Episode& episode, MaskWord* words);
    bool leads_to_suspect(const Episode& episode, const Action& action);
    const Rule* applicable(const Action& action, TermId term, uint32_t offset);
    void rewrite(Episode& episode, const Action& action, RewriteRecord* record);
    void check_rewrite(const Episode& episode, const Rule& rule, TermId replacement, TermId result);
    End limit_of(TermId term) const;
    void to_root(Episode& episode) const;
    // The invariant of an episode, as far as it can be seen at once: the spine has the terms on
    // the path, from the whole one down to the cursor's.
    bool coherent(const Episode& episode) const;
    std::vector<int32_t> codes(TermId term) const;

    std::shared_ptr<const Rules> rules_;
    std::shared_ptr<const Problems> problems_;
    const Limits limits_;
    const bool self_check_;
    TermBank bank_;
    Unifier unifier_;
    std::vector<std::pair<TermId, TermId>> interned_;  // start and target of each problem
    // Masks depend on the term under the cursor alone, but for the visited table: computed once.
    // A rewrite that leaves the term as it is leads to the current state, which is visited, so
    // with no_repeats it is left out here already.
    static constexpr uint32_t kNoMask = 0xffffffffu;
    std::vector<uint32_t> mask_slot_;
    std::vector<MaskWord> masks_;
    std::vector<TermId> scratch_;
    std::vector<MaskWord> fresh_mask_;
    std::vector<Suspect> suspects_;
    std::vector<MaskWord> suspected_;
    size_t tidy_at_;        // collect when the bank has more terms than this
    bool crowded_ = false;  // the last collection freed too little: rewrites end their episodes
    uint64_t collections_ = 0;
    Profile* profile_ = nullptr;
};

}  // namespace threesil
