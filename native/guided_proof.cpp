// What the rewrites of a guided search show, and how they are read out.
#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <tuple>

#include "guided_run.hpp"
#include "verify.hpp"

namespace threesil {

// The nodes on the way to one, behind its last ancestor that `is_start`.
template <typename IsStart>
GuidedSearch::Run::Way GuidedSearch::Run::way_to(uint32_t s, const Node& last, IsStart is_start) {
    Way way{&last};
    const auto& nodes = sides_[s].nodes;
    while (!is_start(nodes[way.back()->parent])) way.push_back(&nodes[way.back()->parent]);
    std::reverse(way.begin(), way.end());
    return way;
}

// Plays the rewrites of a way; unless `past_solution`, until the episode is solved.
void GuidedSearch::Run::replay(Episode& episode, const Way& way, bool past_solution,
                               std::vector<RewriteRecord>& records) {
    for (const Node* node : way) {
        if (!past_solution && episode.end == End::solved) return;
        for (uint32_t k = 0; k < node->length; ++k) {
            assert(search_.moves_[paths_[node->path + k]] != kNoMove);
            worker_.step(episode, search_.moves_[paths_[node->path + k]]);
        }
        records.emplace_back();
        worker_.step(episode, node->action, &records.back());
    }
}

// The rewrites of a way that begins with a term of one side; that side becomes the left one.
Chain GuidedSearch::Run::chain_along(uint32_t s, const Way& way, Head first_free) {
    const TermBank& bank = worker_.bank();
    const TermId start = sides_[s].nodes[way.front()->parent].term;
    assert(bank.ground(start));
    begin(scratch_, state_of(s, start));
    std::vector<RewriteRecord> records;
    replay(scratch_, way, true, records);
    std::vector<int32_t> codes{search_.rules_->equality};
    for (int copy = 0; copy < 2; ++copy) bank.write(start, codes);
    for (RewriteRecord& record : records) record.path[0] = 0;
    const Rules& rules = *search_.rules_;
    const Chain chain = read_out(rules, codes, records, {}, first_free, &control_, false);
    if (search_.self_check_) check_chain(rules, codes, chain, false);
    return chain;
}

// Whether the sides are congruent by what the rewrite to a node shows besides all before it. One
// from a term with introduced variables shows nothing by itself, but together with those that
// introduced them: their values are known as soon as the term is ground.
bool GuidedSearch::Run::shows(uint32_t s, const Node& node) {
    TermBank& bank = worker_.bank();
    if (!bank.ground(node.term)) return false;
    const Way way = way_to(s, node, [&](const Node& n) { return bank.ground(n.term); });
    TermId before = sides_[s].nodes[way.front()->parent].term;
    std::vector<TermId> after(way.size(), node.term);
    if (way.size() > 1) {
        const Chain chain = chain_along(s, way, kFill);
        const std::vector<TermId> terms = read_nodes(chain);
        for (size_t i = 0; i < after.size(); ++i) after[i] = terms[chain.steps[i].result];
    }
    for (size_t i = 0; i < way.size(); before = after[i++]) {
        TermId from = before, to = after[i];
        for (uint32_t k = 1; k < way[i]->length; ++k) {
            from = bank.arg(from, paths_[way[i]->path + k]);
            to = bank.arg(to, paths_[way[i]->path + k]);
        }
        equalities_.add(search_.rules_->actions[way[i]->action], from, to);
    }
    return congruent_ = equalities_.proved();
}

// The terms of a chain's table.
std::vector<TermId> GuidedSearch::Run::read_nodes(const Chain& chain) {
    TermBank& bank = worker_.bank();
    std::vector<TermId> terms, args;
    size_t next = 0;
    for (const Head head : chain.heads) {
        args.clear();
        for (uint32_t k = 0; k < bank.arity(head); ++k) args.push_back(terms[chain.args[next++]]);
        terms.push_back(bank.make(head, args.data(), static_cast<uint32_t>(args.size())));
    }
    return terms;
}

// Where the frontiers meet in a node, the rewrites of both sides are played as one episode.
void GuidedSearch::Run::explain() {
    if (congruent_) {
        result_.chains = equalities_.chains();
    } else {
        Episode episode;
        worker_.reset(episode, 0);
        std::vector<int32_t> codes;
        worker_.bank().write(episode.term, codes);
        std::vector<RewriteRecord> records;
        for (uint32_t s = 0; s < 2; ++s)
            if (meeting_[s] > 0)
                replay(episode, way_to(s, sides_[s].nodes[meeting_[s]], is_end), false, records);
        if (episode.end != End::solved) throw std::logic_error("the frontiers have not met");
        result_.chains = {read_out(*search_.rules_, codes, records, worker_.solution(episode),
                                   kFill, &control_, search_.self_check_)};
    }
    result_.status = Status::proved;
}

std::vector<Lemma> GuidedSearch::Run::explore(size_t count, Head first_free) {
    search_within_limits(true);
    if (result_.status == Status::stopped) throw Ended{Status::stopped};
    control_.allow_reading();
    const TermBank& bank = worker_.bank();
    struct Ranked {
        float score;
        uint32_t s, node;
    };
    std::vector<Ranked> ranked;
    for (uint32_t s = 0; s < 2; ++s)
        for (uint32_t n = 1; n < sides_[s].nodes.size(); ++n) {
            const Node& node = sides_[s].nodes[n];
            const auto size = static_cast<float>(bank[node.term].size);
            ranked.push_back({node.log_probability - search_.options_.lemma_size * size, s, n});
        }
    std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
        return std::tuple(-a.score, a.s, a.node) < std::tuple(-b.score, b.s, b.node);
    });
    if (ranked.size() > count) ranked.resize(count);
    std::vector<Lemma> lemmas;
    for (const auto& [score, s, node] : ranked) {
        const Node& last = sides_[s].nodes[node];
        lemmas.push_back(
            {chain_along(s, way_to(s, last, is_end), first_free), last.log_probability});
    }
    return lemmas;
}

}  // namespace threesil
