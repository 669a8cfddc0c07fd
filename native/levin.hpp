// Levin tree search over states: terms with a cursor, actions by the policy.
//
// A state at the end of a path of d actions with probability p under the policy costs d / p; the
// cheapest is visited first (Orseau, Lelis, Lattimore, Weber: Single-agent policy tree search
// with guarantees, NeurIPS 2018). A state is visited once.
#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "policy.hpp"
#include "search.hpp"
#include "state.hpp"

namespace threesil {

struct LevinResult {
    Status status = Status::exhausted;
    uint64_t expansions = 0;
    std::vector<uint16_t> actions;
};

class LevinSearch {
   public:
    LevinSearch(std::shared_ptr<const Rules> rules, std::shared_ptr<TreeNet> net, bool self_check);
    TreeNet& net() const { return *net_; }
    Gate gate;

    // The limits' `expansions` and `terms`; `steps` bounds the length of a path.
    LevinResult solve(Problem problem, const SearchLimits& limits, uint32_t steps, const Draw& draw,
                      Control& control);

   private:
    void search(const std::shared_ptr<const Problems>& problems, const SearchLimits& limits,
                uint32_t steps, const Draw& draw, Control& control, LevinResult& result) const;
    // Throws std::logic_error unless the actions solve the problem; on a bank of its own.
    void check(const std::shared_ptr<const Problems>& problems,
               const std::vector<uint16_t>& actions) const;
    static constexpr uint32_t kNone = 0xffffffffu;
    static constexpr size_t kBatch = 16;  // states that the network evaluates together
    struct Visited {
        TermId term;
        uint32_t parent;
        uint32_t depth;
        float log_probability;
        uint16_t action;        // that led here
        uint32_t path, length;  // of the cursor: an offset in the list of all paths
    };
    struct Option {
        float cost;
        uint32_t order;  // ties: the earlier one first
        uint32_t node;
        uint16_t action;
        float log_probability;
        bool operator<(const Option& other) const {
            return cost != other.cost ? cost > other.cost : order > other.order;
        }
    };

    std::shared_ptr<const Rules> rules_;
    std::shared_ptr<TreeNet> net_;
    const bool self_check_;
};

}  // namespace threesil
