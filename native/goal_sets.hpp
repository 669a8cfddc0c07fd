// What a completion is to prove: two terms that are equal, or values for which they are.
//
// Each side is kept as a set of terms that it is equal to; a term that both sets have proves the
// goal. Where values are sought the goal is a fact `eq(s, t) = false`, and what it can be rewritten
// to is kept: eq(u, v) where u and v unify is a fact that closes the search.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "control.hpp"
#include "flat_unify.hpp"
#include "reached.hpp"

namespace threesil {

class GoalSets {
   public:
    // `equals`: the symbol eq, -1 if no values are sought.
    GoalSets(RuleSet& rules, const ReachedOptions& options, int32_t equals)
        : rules_(rules),
          equals_(equals),
          sides_{{rules, options}, {rules, options}},
          variants_(rules, options) {}

    void set(Flat lhs, Flat rhs);
    bool is_set() const { return !given_[0].empty(); }
    bool proved() const { return meeting_[0] != Reached::kNone; }
    // Cells of the sides' normal forms.
    size_t distance() const;

    // A rule that is new; of several, each before the next update.
    void note(uint32_t rule) {
        fresh_.push_back(rule);
        due_[0] = due_[1] = kEach;
    }
    // Brings the sets in line with the rules.
    void update(Control& control);
    // A fact that closes the search for values: an older one whose left side is rewritten so that
    // it becomes `lhs`. Each is reported once.
    struct Closing {
        uint32_t fact;
        Flat lhs;
        std::vector<TraceStep> steps;
    };
    std::optional<Closing> closing();
    bool seeks_values() const { return equals_ >= 0; }

    // For reading out the proof.
    const Flat& side(size_t s) const { return given_[s]; }
    std::vector<TraceStep> steps(size_t s) const { return sides_[s].path_to(meeting_[s]); }

   private:
    static constexpr uint32_t kEach = 2;  // terms that are looked at for each new rule

    bool meet();
    bool closes(FlatView term);

    RuleSet& rules_;
    const int32_t equals_;
    Flat given_[2];
    Reached sides_[2];
    uint32_t normal_[2] = {0, 0};
    size_t compared_[2] = {0, 0};
    uint32_t meeting_[2] = {Reached::kNone, Reached::kNone};
    std::vector<uint32_t> fresh_;
    uint32_t due_[2] = {0, 0};  // terms to look at
    Reached variants_;
    std::vector<std::pair<uint32_t, uint32_t>> roots_;  // (variant, fact)
    size_t looked_at_ = 0;                              // variants
    FlatUnifier unifier_;
};

}  // namespace threesil
