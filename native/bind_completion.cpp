#include <nanobind/stl/map.h>

#include "bind_terms.hpp"
#include "bindings.hpp"
#include "completion.hpp"
#include "completion_proof.hpp"
#include "gate.hpp"
#include "selection.hpp"

namespace threesil {

Flat to_flat(std::span<const int32_t> codes, const std::vector<uint8_t>& arity, bool ground) {
    uint64_t due = 1;  // terms that are still to come
    Flat term;
    for (const int32_t code : codes) {
        if (due == 0) throw std::invalid_argument("codes behind the end of a term");
        if (code >= static_cast<int32_t>(arity.size()) || (code < 0 && (ground || code < -65536)))
            throw std::invalid_argument("no such symbol or variable");
        due += code < 0 ? 0 : arity[static_cast<size_t>(code)];
        --due;
        term.push_back({code, 1});
    }
    if (due != 0) throw std::invalid_argument("a term without its end");
    measure(term, arity);
    return term;
}

namespace {

using Codes = std::vector<int32_t>;

// A completion, and how its proofs are read out.
struct Run {
    Run(Order order, const CompletionOptions& options, std::unique_ptr<Scorer> first,
        std::unique_ptr<Scorer> second, uint32_t turns, uint32_t firsts)
        : completion(std::move(order), options, std::move(first), std::move(second), turns,
                     firsts) {}

    Completion completion;
    ReadOutOptions reading;
    Gate gate;
};
constexpr const char* kName = "completion";

nb::typed<nb::list, nb::any> to_list(const std::vector<LemmaChain>& chains) {
    nb::typed<nb::list, nb::any> result;
    for (const LemmaChain& lemma : chains)
        result.append(
            nb::make_tuple(to_tuple(lemma.chain), lemma.end, lemma.variables, lemma.fact));
    return result;
}

// Nothing if it is too long, or takes too long.
template <typename Read>
std::vector<LemmaChain> read_out(const Stop& stop, double seconds, const Read& read) {
    return controlled(stop, seconds, [&](Control& control) {
        try {
            return read(control);
        } catch (const Ended& ended) {
            if (ended.status != Status::length && ended.status != Status::seconds) throw;
            return std::vector<LemmaChain>();
        }
    });
}

Codes to_codes(FlatView term) {
    Codes codes;
    for (const Cell cell : term) codes.push_back(cell.symbol);
    return codes;
}

std::unique_ptr<Run> make_run(const std::vector<uint8_t>& arity,
                              const std::vector<uint32_t>& weight,
                              const std::vector<uint32_t>& rank, bool by_path,
                              const std::vector<std::pair<Codes, Codes>>& equations,
                              const std::vector<std::pair<Codes, Codes>>& goals, uint64_t pairs,
                              const std::map<int32_t, Codes>& meaning,
                              const std::vector<uint8_t>& scaffolding, int32_t equals,
                              const Selection* selection, uint32_t fair) {
    CompletionOptions options;
    options.pairs = pairs;
    options.equals = equals;
    if (goals.size() > 1) throw std::invalid_argument("one goal at the most");
    SizeScorer::Weights weights;
    weights.equals = equals;
    if (selection && fair > 0) throw std::invalid_argument("two scores at the most");
    auto first = selection ? selection->first() : std::make_unique<SizeScorer>(weights);
    std::unique_ptr<Scorer> second;
    if (selection) second = selection->second();
    if (fair > 0) second = std::make_unique<AgeScorer>();
    auto run = std::make_unique<Run>(Order(arity, weight, rank, by_path), options, std::move(first),
                                     std::move(second), selection ? selection->turns : 1,
                                     std::max(fair, 1u));
    run->reading.scaffolding = scaffolding;
    for (const auto& [symbol, codes] : meaning)
        run->reading.meaning.emplace(symbol, to_flat(codes, arity, true));
    for (const auto& [lhs, rhs] : equations) {
        const bool names_a_part = rhs.size() == 1 && meaning.contains(rhs.front());
        run->completion.add_axiom(to_flat(lhs, arity, false), to_flat(rhs, arity, false),
                                  names_a_part);
    }
    for (const auto& [lhs, rhs] : goals)
        run->completion.set_goal(to_flat(lhs, arity, true), to_flat(rhs, arity, true));
    return run;
}

}  // namespace

void bind_completion(nb::module_& m) {
    nb::class_<Run>(m, "Completion")
        .def(nb::new_(&make_run), "arity"_a, "weight"_a, "rank"_a, "by_path"_a, "equations"_a,
             "goals"_a, "pairs"_a, "meaning"_a, "scaffolding"_a, "equals"_a,
             "selection"_a.none() = nb::none(), "fair"_a = 0)
        .def(
            "run",
            [](Run& run, uint64_t expansions, double seconds, const Stop& stop) {
                const Gate::Use use(run.gate, kName);
                return static_cast<int>(controlled(stop, seconds, [&](Control& control) {
                    return run.completion.run(expansions, control);
                }));
            },
            "expansions"_a, "seconds"_a, "stop"_a.none(),
            "Goes on for so many critical pairs; its status.")
        .def(
            "proof",
            [](Run& run, double seconds, const Stop& stop) {
                const Gate::Use use(run.gate, kName);
                return to_list(read_out(stop, seconds, [&](Control& control) {
                    return read_proof(run.completion, run.reading, control);
                }));
            },
            "seconds"_a, "stop"_a.none(),
            "The lemmas and the goal, each (chain, end, variables, fact); none if they are too "
            "long, or in no time.")
        .def(
            "lemmas",
            [](Run& run, const std::vector<uint32_t>& facts, double seconds, const Stop& stop) {
                const Gate::Use use(run.gate, kName);
                for (const uint32_t fact : facts)
                    if (fact >= run.completion.facts().size())
                        throw std::invalid_argument("no such fact");
                return to_list(read_out(stop, seconds, [&](Control& control) {
                    return read_facts(run.completion, facts, run.reading, control);
                }));
            },
            "facts"_a, "seconds"_a, "stop"_a.none(),
            "The lemmas that prove these facts; none if they are too long, or in no time.")
        .def(
            "active",
            [](Run& run) {
                const Gate::Use use(run.gate, kName);
                nb::typed<nb::list, nb::any> result;
                for (const auto& [number, oriented] : run.completion.active_facts()) {
                    const Fact& fact = run.completion.facts()[number];
                    result.append(
                        nb::make_tuple(number, to_codes(fact.lhs), to_codes(fact.rhs), oriented));
                }
                return result;
            },
            "The active facts, each (fact, left, right, oriented).")
        .def(
            "judged",
            [](Run& run, const Stop& stop) {
                const Gate::Use use(run.gate, kName);
                const std::vector<uint32_t> needed = controlled(
                    stop, Control::kForever,
                    [&](Control& control) { return needed_facts(run.completion, control); });
                std::vector<uint8_t> is_needed(run.completion.facts().size(), 0);
                for (const uint32_t f : needed) is_needed[f] = 1;
                std::vector<uint32_t> pairs, overlaps;
                std::vector<uint8_t> marks;
                for (size_t f = 0; f < is_needed.size(); ++f) {
                    const Fact& fact = run.completion.facts()[f];
                    if (fact.origin != Fact::Origin::overlap) continue;
                    pairs.push_back(fact.pair);
                    overlaps.push_back(fact.overlaps);
                    marks.push_back(is_needed[f]);
                }
                return nb::typed<nb::tuple, nb::any, nb::ellipsis>(
                    nb::make_tuple(owned(pairs), owned(overlaps), owned(marks)));
            },
            "stop"_a.none(),
            "Of a proof: the critical pairs that became facts, (numbers, overlaps tried, needed).")
        .def_prop_ro(
            "facts",
            [](Run& run) {
                const Gate::Use use(run.gate, kName);
                return run.completion.facts().size();
            },
            "How many facts there are.")
        .def_prop_ro("statistics", [](Run& run) {
            const Gate::Use use(run.gate, kName);
            const CompletionStatistics counts = run.completion.statistics();
            nb::typed<nb::dict, nb::str, nb::any> result;
            result["pairs"] = counts.pairs;
            result["considered"] = counts.considered;
            result["rewrites"] = counts.rewrites;
            result["active"] = counts.active;
            result["queue"] = counts.queue;
            result["distance"] = counts.distance;
            result["dropped"] = counts.dropped;
            return result;
        });
}

}  // namespace threesil
