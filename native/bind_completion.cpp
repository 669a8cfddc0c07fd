#include <nanobind/stl/map.h>

#include "bindings.hpp"
#include "completion.hpp"
#include "completion_proof.hpp"

namespace threesil {

namespace {

// A term from codes: a symbol's number, or ~index of a variable.
Flat to_flat(const std::vector<int32_t>& codes, const std::vector<uint8_t>& arity, bool ground) {
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

using Codes = std::vector<int32_t>;

struct Answer {
    CompletionResult found;
    std::vector<LemmaChain> chains;
};

}  // namespace

void bind_completion(nb::module_& m) {
    m.def(
        "complete",
        [](const std::vector<uint8_t>& arity, const std::vector<uint32_t>& weight,
           const std::vector<uint32_t>& rank, const std::vector<std::pair<Codes, Codes>>& equations,
           const std::vector<std::pair<Codes, Codes>>& goals, uint64_t expansions, double seconds,
           uint64_t pairs, const std::map<int32_t, Codes>& meaning,
           const std::vector<uint8_t>& scaffolding, const Stop& stop) {
            CompletionOptions options;
            options.pairs = pairs;
            if (goals.size() > 1) throw std::invalid_argument("one goal at the most");
            ReadOutOptions reading;
            reading.scaffolding = scaffolding;
            for (const auto& [symbol, codes] : meaning)
                reading.meaning.emplace(symbol, to_flat(codes, arity, true));
            Answer answer = controlled(stop, seconds, [&](Control& control) {
                Completion completion(Order(arity, weight, rank), options, control);
                for (const auto& [lhs, rhs] : equations)
                    completion.add_axiom(to_flat(lhs, arity, false), to_flat(rhs, arity, false));
                for (const auto& [lhs, rhs] : goals)
                    completion.set_goal(to_flat(lhs, arity, true), to_flat(rhs, arity, true));
                Answer result{completion.run(expansions), {}};
                if (result.found.status != Status::proved) return result;
                control.lift_budget();
                try {
                    result.chains = read_proof(completion, static_cast<uint32_t>(equations.size()),
                                               reading, control);
                } catch (const Ended& ended) {
                    result.found.status = ended.status;
                }
                return result;
            });
            nb::typed<nb::dict, nb::str, nb::any> result;
            result["status"] = static_cast<int>(answer.found.status);
            result["expansions"] = answer.found.considered;
            result["pairs"] = answer.found.pairs;
            result["rewrites"] = answer.found.rewrites;
            result["active"] = answer.found.active;
            result["complete"] = answer.found.complete;
            nb::list chains;
            for (const LemmaChain& lemma : answer.chains)
                chains.append(nb::make_tuple(to_tuple(lemma.chain), lemma.end, lemma.variables));
            result["chains"] = chains;
            return result;
        },
        "arity"_a, "weight"_a, "rank"_a, "equations"_a, "goals"_a, "expansions"_a, "seconds"_a,
        "pairs"_a, "meaning"_a, "scaffolding"_a, "stop"_a.none());
}

}  // namespace threesil
