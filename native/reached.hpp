// Terms that rewrites lead to from a few that are given: whichever rule is used first, and a few
// steps against the rules' direction.
//
// Each term knows how it was reached. The set is bounded: when it is full the largest terms are
// laid aside, which new rules do not look at any more; they can still be met. What is small is
// looked at first.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "control.hpp"
#include "flat.hpp"
#include "rewriting.hpp"

namespace threesil {

struct ReachedOptions {
    uint32_t terms = 100;    // that new rules look at
    uint32_t kept = 2'000;   // in all, those laid aside among them
    uint32_t growth = 10;    // cells that a term may have more than the given ones
    uint32_t largest = 100;  // cells of a term that is looked at
    uint32_t backwards = 1;  // steps that make a term larger, on the way to it
};

class Reached {
   public:
    static constexpr uint32_t kNone = UINT32_MAX;
    struct Member {
        Flat term;
        uint32_t from = kNone;         // the term before it, none if it was given
        std::vector<TraceStep> steps;  // from there
        uint32_t backwards = 0;
        bool explored = false, aside = false;
    };

    Reached(RuleSet& rules, const ReachedOptions& options) : rules_(rules), options_(options) {}

    // A term from which the others are reached; its number.
    uint32_t give(const Flat& term);
    // What normalisation makes of a member: kept whatever its size.
    uint32_t normal_form(uint32_t member, Control& control);
    // A rule is new: what it makes of those that were looked at.
    void touch(uint32_t rule, Control& control);
    // What the rules make of the smallest that waits; false if none does.
    bool explore(Control& control);

    size_t size() const { return members_.size(); }
    const Member& operator[](uint32_t member) const { return members_[member]; }
    uint32_t find(FlatView term) const;
    std::vector<TraceStep> path_to(uint32_t member) const;
    // The given term that it comes from.
    uint32_t root_of(uint32_t member) const;

   private:
    struct Waiting {
        uint32_t cost, member;
        bool operator<(const Waiting& other) const {
            return cost != other.cost ? cost > other.cost : member > other.member;
        }
    };
    struct Successor {
        uint32_t from;
        TraceStep step;
        Flat part;  // that takes the place of the subterm at the step's cell
        bool larger;
    };

    uint32_t keep(Member member, uint64_t hash);
    void add(const Successor& next);
    bool make_room(uint32_t cost);
    size_t worst() const;
    void lay_aside(size_t place);
    void note(uint32_t member, uint32_t at, uint32_t rule, bool backward);
    uint32_t cost(const Member& member) const {
        return static_cast<uint32_t>(member.term.size()) + 4 * member.backwards;
    }

    RuleSet& rules_;
    const ReachedOptions options_;
    std::vector<Member> members_;
    std::unordered_map<uint64_t, uint32_t> by_hash_;
    std::vector<uint32_t> live_;
    std::vector<Waiting> waiting_;                  // a heap
    std::vector<std::vector<uint32_t>> by_result_;  // rules by the head of their right side
    std::vector<Successor> found_;
    size_t largest_ = 0;  // cells
};

}  // namespace threesil
