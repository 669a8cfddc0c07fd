#include "explain.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "verify.hpp"

namespace threesil {

namespace {

constexpr uint64_t kPlain = 400;               // rewrites of a proof that needs no lemmas
constexpr uint64_t kMany = uint64_t{1} << 60;  // lengths stop counting here
constexpr uint32_t kNoLemma = 0xffffffffu;

class Explainer {
   public:
    Explainer(const Rules& rules, TermBank& bank, const EGraph& graph)
        : rules_(rules), bank_(bank), graph_(graph) {}

    std::vector<Chain> explain(TermId from, TermId to);

   private:
    // Two equal terms, in the order in which they were first asked for.
    struct Pair {
        TermId from, to;
        std::vector<EGraph::Edge> edges;
        uint64_t length = 0;  // rewrites of its chain without lemmas
        uint32_t uses = 0;
        uint32_t lemma = kNoLemma;
    };
    struct Item {  // what is still to be written, at a place
        EGraph::Edge edge;
        std::vector<uint32_t> path;
    };

    static uint64_t key(TermId a, TermId b) {
        return uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    }
    uint32_t pair_of(TermId from, TermId to);
    // Finds all pairs that a pair needs, and lists them in `order_`, each after those it needs.
    void collect(uint32_t root);
    void write(const Pair& pair, Chain& chain);
    void push(const Pair& pair, bool forward, const std::vector<uint32_t>& path);
    void step(const EGraph::Edge& edge, std::vector<uint32_t> path, Chain& chain);
    void list(Chain& chain);

    const Rules& rules_;
    TermBank& bank_;
    const EGraph& graph_;
    std::vector<Pair> pairs_;
    std::unordered_map<uint64_t, uint32_t> number_;
    std::vector<uint32_t> order_;
    std::vector<Item> waiting_;
    TermId whole_ = kNoTerm;  // the term that the chain has come to
};

uint32_t Explainer::pair_of(TermId from, TermId to) {
    const auto [it, fresh] = number_.emplace(key(from, to), static_cast<uint32_t>(pairs_.size()));
    if (fresh) pairs_.push_back({from, to, graph_.path(from, to)});
    bank_.spend(fresh ? 16 + 4 * pairs_.back().edges.size() : 1);
    return it->second;
}

void Explainer::collect(uint32_t root) {
    // The path between two terms never changes once they are in one class, so that those of the
    // arguments of a congruence are older than the congruence: nothing needs itself.
    struct Frame {
        uint32_t pair, edge, argument;
    };
    std::vector<Frame> stack{{root, 0, 0}};
    while (!stack.empty()) {
        Frame& frame = stack.back();
        const uint32_t own = frame.pair;
        if (frame.edge == pairs_[own].edges.size()) {
            order_.push_back(own);
            stack.pop_back();
            if (!stack.empty()) {
                uint64_t& length = pairs_[stack.back().pair].length;
                length = std::min(kMany, length + pairs_[own].length);
            }
            continue;
        }
        const EGraph::Edge edge = pairs_[own].edges[frame.edge];
        if (edge.reason != EGraph::kCongruence || frame.argument == bank_.args(edge.from).size()) {
            if (edge.reason != EGraph::kCongruence) ++pairs_[own].length;
            ++frame.edge;
            frame.argument = 0;
            continue;
        }
        const uint32_t k = frame.argument++;
        const TermId a = bank_.arg(edge.from, k), b = bank_.arg(edge.to, k);
        if (a == b) continue;
        const uint32_t next = pair_of(a, b);
        if (pairs_[next].uses++ == 0)
            stack.push_back({next, 0, 0});
        else
            pairs_[own].length = std::min(kMany, pairs_[own].length + pairs_[next].length);
    }
}

void Explainer::push(const Pair& pair, bool forward, const std::vector<uint32_t>& path) {
    // The last is taken first.
    if (forward)
        for (size_t i = pair.edges.size(); i-- > 0;) waiting_.push_back({pair.edges[i], path});
    else
        for (const auto& [from, to, reason, way] : pair.edges)
            waiting_.push_back({{to, from, reason, !way}, path});
}

void Explainer::step(const EGraph::Edge& edge, std::vector<uint32_t> path, Chain& chain) {
    const auto& [from, to, reason, forward] = edge;
    const Rule& rule = rules_.rules[reason];
    std::vector<TermId> values(rule.variables, kNoTerm);
    if (!bind_pattern(bank_, rule.from, forward ? from : to, values) ||
        !bind_pattern(bank_, rule.to, forward ? to : from, values))
        throw std::logic_error("an edge of the proof forest is no instance of its rule");
    whole_ = bank_.replaced(whole_, path, to);
    chain.steps.push_back(
        {std::move(path), rule.equation, rule.left_to_right == forward, values, whole_});
}

void Explainer::write(const Pair& pair, Chain& chain) {
    chain.start = whole_ = pair.from;
    push(pair, true, {});
    while (!waiting_.empty()) {
        bank_.spend(4);
        const Item item = std::move(waiting_.back());
        waiting_.pop_back();
        const EGraph::Edge& edge = item.edge;
        if (edge.reason != EGraph::kCongruence) {
            step(edge, item.path, chain);
            continue;
        }
        for (uint32_t k = 0; k < bank_.args(edge.from).size(); ++k) {
            const TermId a = bank_.arg(edge.from, k), b = bank_.arg(edge.to, k);
            if (a == b) continue;
            const Pair& inner = pairs_[number_.at(key(a, b))];
            auto path = item.path;
            path.push_back(k);
            if (inner.lemma == kNoLemma) {
                push(inner, inner.from == a, path);
            } else {
                whole_ = bank_.replaced(whole_, path, b);
                chain.steps.push_back(
                    {std::move(path), kCited + inner.lemma, inner.from == a, {}, whole_});
            }
        }
    }
    assert(whole_ == pair.to);
    list(chain);
}

// The chain's terms are numbers of the bank so far; now they become nodes of a table of its own.
void Explainer::list(Chain& chain) {
    std::unordered_map<TermId, uint32_t> node;
    std::vector<TermId> needed, stack;
    const auto need = [&](TermId root) {
        stack.assign(1, root);
        while (!stack.empty()) {
            bank_.spend();
            const TermId term = stack.back();
            stack.pop_back();
            if (!node.emplace(term, 0).second) continue;
            needed.push_back(term);
            const auto args = bank_.args(term);
            stack.insert(stack.end(), args.begin(), args.end());
        }
    };
    need(chain.start);
    for (const ChainStep& step : chain.steps) {
        need(step.result);
        for (const TermId value : step.values) need(value);
    }
    std::sort(needed.begin(), needed.end());  // arguments before the terms they belong to
    for (const TermId term : needed) {
        node[term] = static_cast<uint32_t>(chain.heads.size());
        chain.heads.push_back(bank_.head(term));
        for (const TermId arg : bank_.args(term)) chain.args.push_back(node[arg]);
    }
    chain.start = node[chain.start];
    for (ChainStep& step : chain.steps) {
        step.result = node[step.result];
        for (uint32_t& value : step.values) value = node[value];
    }
}

std::vector<Chain> Explainer::explain(TermId from, TermId to) {
    std::vector<Chain> chains;
    const uint32_t root = pair_of(from, to);
    collect(root);
    const bool plain = pairs_[root].length <= kPlain;
    for (const uint32_t number : order_) {
        Pair& pair = pairs_[number];
        if (number != root && (plain || pair.uses < 2 || pair.length < 2)) continue;
        write(pair, chains.emplace_back());
        if (number != root) pair.lemma = static_cast<uint32_t>(chains.size()) - 1;
    }
    return chains;
}

}  // namespace

std::vector<Chain> explain(const Rules& rules, TermBank& bank, const EGraph& graph, TermId from,
                           TermId to) {
    return Explainer(rules, bank, graph).explain(from, to);
}

}  // namespace threesil
