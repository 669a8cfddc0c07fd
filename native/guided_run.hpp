// One guided search: its terms, its frontiers, the rewrites that wait.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "ground_equalities.hpp"
#include "guided.hpp"
#include "unify.hpp"

namespace threesil {

inline constexpr uint16_t kNoMove = 0xffff;

class GuidedSearch::Run {
   public:
    Run(const GuidedSearch& search, const std::vector<int32_t>& codes, const SearchLimits& limits,
        const Draw& draw, Control& control);

    SearchResult solve();
    std::vector<Lemma> explore(size_t count, Head first_free);

   private:
    using Way = std::vector<const Node*>;

    // True if the frontiers have met.
    bool search(bool to_the_end);
    // The same with what a limit throws as an outcome.
    bool search_within_limits(bool to_the_end);
    bool add(uint32_t s, TermId term, const Node& node);
    bool meets(uint32_t s, uint32_t node);
    bool unify(TermId open, TermId other);
    TermId state_of(uint32_t s, TermId term);
    TermId renamed(TermId term, uint32_t offset);
    void judge(const std::vector<Fresh>& fresh);
    void queue_rewrites(const Fresh& item, size_t first, size_t count, const float* logits);
    bool take(std::vector<Fresh>& fresh, bool to_the_end);
    bool shows(uint32_t s, const Node& node);
    static void begin(Episode& episode, TermId state);
    static bool is_end(const Node& node) { return node.parent == kNone; }
    template <typename IsStart>
    Way way_to(uint32_t s, const Node& last, IsStart is_start);
    void replay(Episode& episode, const Way& way, bool past_solution,
                std::vector<RewriteRecord>& records);
    Chain chain_along(uint32_t s, const Way& way, Head first_free);
    std::vector<TermId> read_nodes(const Chain& chain);
    void explain();

    const GuidedSearch& search_;
    const SearchLimits& limits_;
    const Draw draw_;
    Control& control_;
    Worker worker_;
    Policy policy_;
    Unifier unifier_;
    GroundEqualities equalities_;
    SearchResult result_;
    TermId ends_[2] = {kNoTerm, kNoTerm};
    uint32_t largest_ = 0;
    std::array<Side, 2> sides_;
    std::array<uint32_t, 2> meeting_{};  // a node of each side
    bool congruent_ = false;             // they meet in no node
    std::priority_queue<Choice> choices_;
    uint32_t order_ = 0;
    std::vector<uint32_t> paths_;
    // Positions of the terms that are judged now: episodes with the cursor there.
    std::vector<Episode> positions_;
    std::vector<uint32_t> above_;  // index of the position above, counted from the term's first
    std::vector<float> reach_;     // log probability of getting to a position
    std::vector<MaskWord> mask_;
    Episode scratch_;
    std::vector<std::pair<uint32_t, uint32_t>> names_;
};

}  // namespace threesil
