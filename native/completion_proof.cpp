#include "completion_proof.hpp"

#include <algorithm>
#include <cassert>

namespace threesil {

namespace {

// A rewrite of a whole term: `before` and `after` are terms of the chain.
struct Link {
    bool axiom;
    uint32_t source;  // axiom or fact
    bool forward;
    std::vector<uint32_t> path;
    std::vector<Flat> values;  // of the source's variables
    Flat after;
};

struct Rewrites {
    Flat start;
    std::vector<Link> links;
    const Flat& end() const { return links.empty() ? start : links.back().after; }
};

std::vector<uint32_t> path_to(FlatView term, size_t at) {
    std::vector<uint32_t> path;
    size_t i = 0;
    while (i != at) {
        size_t child = i + 1;
        uint32_t k = 0;
        while (at >= child + term[child].length) {
            child += term[child].length;
            ++k;
        }
        path.push_back(k);
        i = child;
    }
    return path;
}

size_t cell_at(FlatView term, const std::vector<uint32_t>& path) {
    size_t i = 0;
    for (const uint32_t k : path) {
        size_t child = i + 1;
        for (uint32_t j = 0; j < k; ++j) child += term[child].length;
        i = child;
    }
    return i;
}

class Reader {
   public:
    Reader(const Completion& completion, const ReadOutOptions& options, Control& control)
        : completion_(completion),
          facts_(completion.facts()),
          arity_(completion.order().arity()),
          axioms_(completion.axioms()),
          options_(options),
          control_(control),
          needed_(facts_.size(), 0),
          wanted_(facts_.size(), 0),
          uses_(facts_.size(), 0),
          chains_(facts_.size()),
          lemma_(facts_.size(), 0) {}

    std::vector<LemmaChain> read_goal();
    std::vector<LemmaChain> read_facts(const std::vector<uint32_t>& facts);
    std::vector<uint32_t> needed_by_goal();

   private:
    void follow();
    std::vector<LemmaChain> lemmas();
    Flat replaced(FlatView term, size_t at, FlatView part) const;
    std::vector<Flat> values_of(const Fact& fact, FlatView lhs, FlatView rhs) const;
    void apply(Rewrites& chain, const TraceStep& step) const;
    Rewrites run(const Flat& start, const std::vector<TraceStep>& steps) const;
    static Rewrites backwards(const Rewrites& chain);
    Rewrites chain_of(const Fact& fact) const;
    void rename(Rewrites& chain, const std::vector<int32_t>& names) const;
    void rename(Flat& term, const std::vector<int32_t>& names) const;
    Rewrites goal_chain() const;
    void note_uses(const Rewrites& chain);
    bool inlined(uint32_t fact) const;
    Rewrites unfolded(const Rewrites& chain);
    void give_meaning(Rewrites& chain) const;
    void give_meaning(Flat& term) const;
    void drop_loops(Rewrites& chain) const;
    bool scaffolds(FlatView term) const;
    LemmaChain listed(const Rewrites& chain) const;

    const Completion& completion_;
    const std::vector<Fact>& facts_;
    const std::vector<uint8_t>& arity_;
    const uint32_t axioms_;
    const ReadOutOptions& options_;
    Control& control_;
    std::vector<uint8_t> needed_, wanted_;  // by fact: for the proof; as a lemma
    std::vector<uint32_t> uses_;
    std::vector<Rewrites> chains_;  // by fact
    std::vector<uint32_t> lemma_;   // by fact: its number among the lemmas
    size_t length_ = 0;             // rewrites so far
};

Flat Reader::replaced(FlatView term, size_t at, FlatView part) const {
    Flat result(term.begin(), term.begin() + static_cast<std::ptrdiff_t>(at));
    result.insert(result.end(), part.begin(), part.end());
    const auto rest = term.begin() + static_cast<std::ptrdiff_t>(at + term[at].length);
    result.insert(result.end(), rest, term.end());
    measure(result, arity_);
    return result;
}

// The values under which the sides of a fact are these terms; what is open is the least constant.
std::vector<Flat> Reader::values_of(const Fact& fact, FlatView lhs, FlatView rhs) const {
    FlatBindings values(std::max(variables_of(fact.lhs), variables_of(fact.rhs)));
    const bool fits = (lhs.empty() || match_flat(fact.lhs, lhs, values)) &&
                      (rhs.empty() || match_flat(fact.rhs, rhs, values));
    assert(fits);
    (void)fits;
    std::vector<Flat> result;
    for (const FlatView value : values)
        result.push_back(value.empty() ? Flat{{completion_.order().least(), 1}}
                                       : Flat(value.begin(), value.end()));
    return result;
}

void Reader::apply(Rewrites& chain, const TraceStep& step) const {
    const Flat& term = chain.end();
    control_.spend(10 + term.size() / 4);
    const Fact& fact = facts_[step.fact];
    const FlatView part = subterm(term, step.at);
    const auto values = step.forward ? values_of(fact, part, {}) : values_of(fact, {}, part);
    FlatBindings views(values.begin(), values.end());
    Flat instance;
    append_instance(step.forward ? fact.rhs : fact.lhs, views, Cell{completion_.order().least(), 1},
                    instance);
    measure(instance, arity_);
    Link link{false,        step.fact,
              step.forward, path_to(term, step.at),
              values,       replaced(term, step.at, instance)};
    chain.links.push_back(std::move(link));
}

Rewrites Reader::run(const Flat& start, const std::vector<TraceStep>& steps) const {
    Rewrites chain{start, {}};
    for (const TraceStep& step : steps) apply(chain, step);
    return chain;
}

Rewrites Reader::backwards(const Rewrites& chain) {
    Rewrites turned{chain.end(), {}};
    for (size_t i = chain.links.size(); i-- > 0;) {
        Link link = chain.links[i];
        link.forward = !link.forward;
        link.after = i == 0 ? chain.start : chain.links[i - 1].after;
        turned.links.push_back(std::move(link));
    }
    return turned;
}

// From lhs to rhs, citing what the fact was made of.
Rewrites Reader::chain_of(const Fact& fact) const {
    Rewrites whole = backwards(run(fact.left, fact.left_steps));
    if (fact.origin == Fact::Origin::overlap) {
        const Fact &outer = facts_[fact.first], &inner = facts_[fact.second];
        const FlatView from = fact.peak, to = fact.left;
        Link back{false, fact.first, !fact.first_forward, {}, {}, fact.peak};
        back.values = fact.first_forward ? values_of(outer, from, to) : values_of(outer, to, from);
        whole.links.push_back(std::move(back));
        const FlatView part = subterm(fact.peak, fact.at);
        // The inner rule's result is where the peak had the subterm.
        const FlatView result = subterm(fact.right, fact.at);
        Link there{false, fact.second, fact.second_forward, path_to(fact.peak, fact.at),
                   {},    fact.right};
        there.values =
            fact.second_forward ? values_of(inner, part, result) : values_of(inner, result, part);
        whole.links.push_back(std::move(there));
    } else {
        const bool axiom = fact.origin == Fact::Origin::axiom;
        Link link{axiom, fact.first, true, {}, {}, fact.right};
        if (axiom) {
            const uint32_t variables = std::max(variables_of(fact.left), variables_of(fact.right));
            for (uint32_t v = 0; v < variables; ++v) link.values.push_back({var_cell(v)});
        } else {
            link.values = values_of(facts_[fact.first], fact.left, fact.right);
        }
        whole.links.push_back(std::move(link));
    }
    Rewrites rest = run(fact.right, fact.right_steps);
    std::move(rest.links.begin(), rest.links.end(), std::back_inserter(whole.links));
    if (fact.flipped) whole = backwards(whole);
    rename(whole, fact.names);
    assert(same(whole.start, fact.lhs) && same(whole.end(), fact.rhs));
    return whole;
}

void Reader::rename(Flat& term, const std::vector<int32_t>& names) const {
    for (Cell& cell : term) {
        if (!is_var(cell)) continue;
        const uint32_t v = var_of(cell);
        const int32_t name = v < names.size() ? names[v] : -1;
        cell =
            name < 0 ? Cell{completion_.order().least(), 1} : var_cell(static_cast<uint32_t>(name));
    }
}

void Reader::rename(Rewrites& chain, const std::vector<int32_t>& names) const {
    rename(chain.start, names);
    for (Link& link : chain.links) {
        rename(link.after, names);
        for (Flat& value : link.values) rename(value, names);
    }
}

Rewrites Reader::goal_chain() const {
    const GoalSets& goal = completion_.goal();
    Rewrites chain = run(goal.side(0), goal.steps(0));
    Rewrites other = backwards(run(goal.side(1), goal.steps(1)));
    assert(same(chain.end(), other.start));
    std::move(other.links.begin(), other.links.end(), std::back_inserter(chain.links));
    return chain;
}

void Reader::note_uses(const Rewrites& chain) {
    for (const Link& link : chain.links)
        if (!link.axiom) {
            needed_[link.source] = 1;
            ++uses_[link.source];
        }
}

bool Reader::scaffolds(FlatView term) const {
    return std::any_of(term.begin(), term.end(), [&](Cell cell) {
        return !is_var(cell) && static_cast<size_t>(cell.symbol) < options_.scaffolding.size() &&
               options_.scaffolding[static_cast<size_t>(cell.symbol)];
    });
}

bool Reader::inlined(uint32_t fact) const {
    const size_t length = chains_[fact].links.size();
    if (scaffolds(facts_[fact].lhs) || scaffolds(facts_[fact].rhs)) return true;
    if (wanted_[fact]) return false;
    return length <= 1 || (uses_[fact] <= 1 && length <= options_.longest_lemma);
}

// The chain with facts that are no lemmas replaced by their own chains.
Rewrites Reader::unfolded(const Rewrites& chain) {
    Rewrites result{chain.start, {}};
    for (const Link& link : chain.links) {
        control_.spend(10);
        if (link.axiom || !inlined(link.source)) {
            result.links.push_back(link);
            continue;
        }
        const Rewrites& inner =
            link.forward ? chains_[link.source] : backwards(chains_[link.source]);
        const FlatBindings values(link.values.begin(), link.values.end());
        const Flat before = result.end();
        const size_t at = cell_at(before, link.path);
        const auto instance = [&](FlatView pattern) {
            Flat out;
            append_instance(pattern, values, Cell{completion_.order().least(), 1}, out);
            measure(out, arity_);
            return out;
        };
        for (const Link& step : inner.links) {
            control_.spend(10 + (before.size() + step.after.size()) / 4);
            Link moved{step.axiom, step.source, step.forward, link.path, {}, {}};
            moved.path.insert(moved.path.end(), step.path.begin(), step.path.end());
            for (const Flat& value : step.values) moved.values.push_back(instance(value));
            moved.after = replaced(before, at, instance(step.after));
            result.links.push_back(std::move(moved));
            if (result.links.size() > options_.longest_proof) throw Ended{Status::length};
        }
    }
    drop_loops(result);
    return result;
}

// Cuts out what lies between two visits of the same term.
void Reader::drop_loops(Rewrites& chain) const {
    std::map<std::vector<int32_t>, size_t> last;  // by term: steps done when it was last seen
    const auto key = [&](const Flat& term) {
        control_.spend(10 + term.size() / 4);
        std::vector<int32_t> symbols;
        for (const Cell cell : term) symbols.push_back(cell.symbol);
        return symbols;
    };
    last[key(chain.start)] = 0;
    for (size_t i = 0; i < chain.links.size(); ++i) last[key(chain.links[i].after)] = i + 1;
    std::vector<Link> kept;
    size_t done = last[key(chain.start)];
    while (done < chain.links.size()) {
        kept.push_back(chain.links[done]);
        done = last[key(kept.back().after)];
    }
    chain.links = std::move(kept);
}

void Reader::give_meaning(Flat& term) const {
    const auto stands = [&](Cell cell) {
        return !is_var(cell) && options_.meaning.contains(cell.symbol);
    };
    while (std::any_of(term.begin(), term.end(), stands)) {
        Flat next;
        for (const Cell cell : term) {
            if (!stands(cell)) {
                next.push_back(cell);
                continue;
            }
            const Flat& value = options_.meaning.at(cell.symbol);
            next.insert(next.end(), value.begin(), value.end());
        }
        term = std::move(next);
    }
    measure(term, arity_);
}

void Reader::give_meaning(Rewrites& chain) const {
    if (options_.meaning.empty()) return;
    give_meaning(chain.start);
    for (Link& link : chain.links) {
        give_meaning(link.after);
        for (Flat& value : link.values) give_meaning(value);
    }
    drop_loops(chain);  // a definition has become x = x
}

LemmaChain Reader::listed(const Rewrites& chain) const {
    LemmaChain result;
    std::map<std::vector<uint32_t>, uint32_t> nodes;
    const auto symbols = static_cast<uint32_t>(arity_.size());
    const auto node_of = [&](const Flat& term) {
        std::vector<uint32_t> made(term.size());
        for (size_t i = term.size(); i-- > 0;) {
            control_.spend(2);
            std::vector<uint32_t> key{is_var(term[i]) ? symbols + var_of(term[i])
                                                      : static_cast<uint32_t>(term[i].symbol)};
            if (is_var(term[i])) result.variables = std::max(result.variables, var_of(term[i]) + 1);
            for (size_t j = i + 1; j < i + term[i].length; j += term[j].length)
                key.push_back(made[j]);
            const auto [place, fresh] =
                nodes.emplace(key, static_cast<uint32_t>(result.chain.heads.size()));
            if (fresh) {
                result.chain.heads.push_back(key[0]);
                result.chain.args.insert(result.chain.args.end(), key.begin() + 1, key.end());
            }
            made[i] = place->second;
        }
        return made[0];
    };
    result.chain.start = node_of(chain.start);
    for (const Link& link : chain.links) {
        ChainStep step;
        step.path = link.path;
        step.equation = link.axiom ? link.source : axioms_ + lemma_[link.source];
        step.left_to_right = link.forward;
        for (const Flat& value : link.values) step.values.push_back(node_of(value));
        step.result = node_of(link.after);
        result.chain.steps.push_back(std::move(step));
    }
    result.end = node_of(chain.end());
    return result;
}

// The chains of the facts that are needed and of all that they need.
void Reader::follow() {
    for (size_t f = facts_.size(); f-- > 0;) {
        if (!needed_[f]) continue;
        control_.spend(100);
        chains_[f] = chain_of(facts_[f]);
        note_uses(chains_[f]);
    }
}

// The lemmas among the facts that are needed, the others unfolded.
std::vector<LemmaChain> Reader::lemmas() {
    follow();
    std::vector<LemmaChain> result;
    for (size_t f = 0; f < facts_.size(); ++f) {
        if (!needed_[f]) continue;
        chains_[f] = unfolded(chains_[f]);
        length_ += chains_[f].links.size();
        if (length_ > options_.longest_proof) throw Ended{Status::length};
        const auto fact = static_cast<uint32_t>(f);
        if (inlined(fact)) continue;
        lemma_[f] = static_cast<uint32_t>(result.size());
        Rewrites shown = chains_[f];
        give_meaning(shown);
        result.push_back(listed(shown));
        result.back().fact = fact;
    }
    return result;
}

std::vector<LemmaChain> Reader::read_goal() {
    Rewrites goal = goal_chain();
    note_uses(goal);
    std::vector<LemmaChain> result = lemmas();
    goal = unfolded(goal);
    give_meaning(goal);
    result.push_back(listed(goal));
    return result;
}

std::vector<LemmaChain> Reader::read_facts(const std::vector<uint32_t>& facts) {
    for (const uint32_t fact : facts) needed_[fact] = wanted_[fact] = 1;
    return lemmas();
}

std::vector<uint32_t> Reader::needed_by_goal() {
    note_uses(goal_chain());
    follow();
    std::vector<uint32_t> result;
    for (uint32_t f = 0; f < facts_.size(); ++f)
        if (needed_[f]) result.push_back(f);
    return result;
}

}  // namespace

std::vector<LemmaChain> read_proof(const Completion& completion, const ReadOutOptions& options,
                                   Control& control) {
    return Reader(completion, options, control).read_goal();
}

std::vector<LemmaChain> read_facts(const Completion& completion, const std::vector<uint32_t>& facts,
                                   const ReadOutOptions& options, Control& control) {
    return Reader(completion, options, control).read_facts(facts);
}

std::vector<uint32_t> needed_facts(const Completion& completion, Control& control) {
    return Reader(completion, {}, control).needed_by_goal();
}

}  // namespace threesil
