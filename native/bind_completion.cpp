#include <algorithm>
#include <optional>

#include "bind_terms.hpp"
#include "bindings.hpp"
#include "completion.hpp"
#include "completion_proof.hpp"
#include "gate.hpp"
#include "hints.hpp"
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

void check_symbols(const std::vector<uint8_t>& arity, const std::vector<uint8_t>& scaffolding,
                   int32_t equals) {
    if (!scaffolding.empty() && scaffolding.size() != arity.size())
        throw std::invalid_argument("whether it is scaffolding, for each symbol");
    if (equals < -1 || equals >= static_cast<int32_t>(arity.size()) ||
        (equals >= 0 && arity[static_cast<size_t>(equals)] != 2))
        throw std::invalid_argument("the equality is a symbol with two arguments, or -1");
}

namespace {

using Codes = std::vector<int32_t>;

constexpr const char* kName = "completion";

// A completion, and how its proofs are read out. One that ran out of memory is given up: what was
// under way is in no order any more, and others need the room.
struct Run {
    Status resume(uint64_t expansions, Control& control) {
        if (!completion) return Status::memory;
        try {
            return completion->run(expansions, control);
        } catch (const std::bad_alloc&) {
            statistics = completion->statistics();
            statistics.queue = statistics.active = 0;
            statistics.dropped = true;
            completion = nullptr;
            if (selection && selection->record) *selection->record = {};
        }
        return Status::memory;
    }
    size_t facts() const { return completion ? completion->facts().size() : 0; }
    const Completion& proved() const {
        if (!completion || !completion->goal().proved())
            throw std::invalid_argument("there is no proof: the goal is not proved");
        return *completion;
    }

    std::unique_ptr<Completion> completion;
    ReadOutOptions reading;
    std::shared_ptr<Selection> selection;  // by which it scores
    std::shared_ptr<HintUse> hints;
    CompletionStatistics statistics;  // of one that was given up
    Gate gate;
};

// Nobody else may use a run meanwhile, nor the selection that it has a part of.
class Using {
   public:
    explicit Using(Run& run) : use_(run.gate, kName), selection_(run.selection) {
        if (selection_) scoring_.emplace(selection_->gate, "selection");
    }

   private:
    const Gate::Use use_;
    const std::shared_ptr<Selection> selection_;
    std::optional<Gate::Use> scoring_;
};

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
                              std::shared_ptr<Selection> selection, uint32_t fair,
                              std::shared_ptr<HintTable> hints) {
    CompletionOptions options;
    options.pairs = pairs;
    options.equals = equals;
    check_symbols(arity, scaffolding, equals);
    if (goals.size() > 1) throw std::invalid_argument("one goal at the most");
    if (selection && fair > 0) throw std::invalid_argument("two scores at the most");
    if (selection && selection->order.arity() != arity)
        throw std::invalid_argument("the selection is for other symbols");
    SizeScorer::Weights weights;
    weights.equals = equals;
    std::optional<Gate::Use> scoring;
    if (selection) scoring.emplace(selection->gate, "selection");
    auto first = selection ? selection->first() : std::make_unique<SizeScorer>(weights);
    std::unique_ptr<Scorer> second;
    if (selection) second = selection->second();
    if (fair > 0) second = std::make_unique<AgeScorer>();
    auto run = std::make_unique<Run>();
    if (hints) {
        run->hints = std::make_shared<HintUse>(std::move(hints));
        first = std::make_unique<HintScorer>(std::move(first), run->hints);
    }
    run->completion = std::make_unique<Completion>(
        Order(arity, weight, rank, by_path), options, std::move(first), std::move(second),
        selection ? selection->turns : 1, std::max(fair, 1u));
    run->selection = std::move(selection);
    run->reading.scaffolding = scaffolding;
    for (const auto& [symbol, codes] : meaning) {
        if (symbol < 0 || symbol >= static_cast<int32_t>(arity.size()) ||
            arity[static_cast<size_t>(symbol)] != 0)
            throw std::invalid_argument("only a constant stands for a part of the goal");
        if (std::any_of(codes.begin(), codes.end(), [&](int32_t c) { return meaning.contains(c); }))
            throw std::invalid_argument("what a constant stands for needs no other of its kind");
        run->reading.meaning.emplace(symbol, to_flat(codes, arity, true));
    }
    bool later = false;
    for (const auto& [lhs, rhs] : equations) {
        const bool names_a_part = rhs.size() == 1 && meaning.contains(rhs.front());
        if (later && !names_a_part)
            throw std::invalid_argument("the names of parts of the goal come last");
        later = names_a_part;
        run->completion->add_axiom(to_flat(lhs, arity, false), to_flat(rhs, arity, false),
                                   names_a_part);
    }
    for (const auto& [lhs, rhs] : goals)
        run->completion->set_goal(to_flat(lhs, arity, true), to_flat(rhs, arity, true));
    return run;
}

}  // namespace

void bind_completion(nb::module_& m) {
    nb::class_<HintTable>(m, "Hints")
        .def(nb::new_([](const std::vector<uint8_t>& arity,
                         const std::vector<std::pair<Codes, Codes>>& equations) {
                 auto table = std::make_shared<HintTable>();
                 for (const auto& [lhs, rhs] : equations)
                     table->add(to_flat(lhs, arity, false), to_flat(rhs, arity, false));
                 return table;
             }),
             "arity"_a, "equations"_a)
        .def("__len__", &HintTable::size);
    nb::class_<Run>(m, "Completion")
        .def(nb::new_(&make_run), "arity"_a, "weight"_a, "rank"_a, "by_path"_a, "equations"_a,
             "goals"_a, "pairs"_a, "meaning"_a, "scaffolding"_a, "equals"_a,
             "selection"_a.none() = nb::none(), "fair"_a = 0, "hints"_a.none() = nb::none())
        .def(
            "run",
            [](Run& run, uint64_t expansions, double seconds, const Stop& stop) {
                const Using use(run);
                return static_cast<int>(controlled(stop, seconds, [&](Control& control) {
                    return run.resume(expansions, control);
                }));
            },
            "expansions"_a, "seconds"_a, "stop"_a.none(),
            "Continues for so many critical pairs; its status.")
        .def(
            "proof",
            [](Run& run, double seconds, const Stop& stop) {
                const Using use(run);
                const Completion& proved = run.proved();
                return to_list(read_out(stop, seconds, [&](Control& control) {
                    return read_proof(proved, run.reading, control);
                }));
            },
            "seconds"_a, "stop"_a.none(),
            "The lemmas and the goal, each (chain, end, variables, fact); none if they are too "
            "long, or in no time.")
        .def(
            "lemmas",
            [](Run& run, const std::vector<uint32_t>& facts, double seconds, const Stop& stop) {
                const Using use(run);
                for (const uint32_t fact : facts)
                    if (fact >= run.facts()) throw std::invalid_argument("no such fact");
                if (facts.empty()) return to_list({});
                return to_list(read_out(stop, seconds, [&](Control& control) {
                    return read_facts(*run.completion, facts, run.reading, control);
                }));
            },
            "facts"_a, "seconds"_a, "stop"_a.none(),
            "The lemmas that prove these facts; none if they are too long, or in no time.")
        .def(
            "active",
            [](Run& run) {
                const Using use(run);
                nb::typed<nb::list, nb::any> result;
                if (!run.completion) return result;
                for (const auto& [number, oriented] : run.completion->active_facts()) {
                    const Fact& fact = run.completion->facts()[number];
                    result.append(
                        nb::make_tuple(number, to_codes(fact.lhs), to_codes(fact.rhs), oriented));
                }
                return result;
            },
            "The active facts, each (fact, left, right, oriented).")
        .def(
            "judged",
            [](Run& run, const Stop& stop) {
                const Using use(run);
                const Completion& proved = run.proved();
                const std::vector<uint32_t> needed =
                    controlled(stop, Control::kForever,
                               [&](Control& control) { return needed_facts(proved, control); });
                std::vector<uint8_t> is_needed(proved.facts().size(), 0);
                for (const uint32_t f : needed) is_needed[f] = 1;
                std::vector<uint32_t> pairs, overlaps;
                std::vector<uint8_t> marks;
                for (size_t f = 0; f < is_needed.size(); ++f) {
                    const Fact& fact = proved.facts()[f];
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
                const Using use(run);
                return run.facts();
            },
            "How many facts there are.")
        .def_prop_ro("statistics", [](Run& run) {
            const Using use(run);
            const CompletionStatistics counts =
                run.completion ? run.completion->statistics() : run.statistics;
            nb::typed<nb::dict, nb::str, nb::any> result;
            result["pairs"] = counts.pairs;
            result["considered"] = counts.considered;
            result["rewrites"] = counts.rewrites;
            result["active"] = counts.active;
            result["queue"] = counts.queue;
            result["distance"] = counts.distance;
            result["dropped"] = counts.dropped;
            result["hints"] = run.hints ? run.hints->matched : 0;
            return result;
        });
}

}  // namespace threesil
