#include "bindings.hpp"
#include "guided.hpp"
#include "levin.hpp"
#include "saturate.hpp"
#include "search.hpp"

namespace threesil {

namespace {

// A TermSearch or a Saturation has one state, for one thread. The others make a state for each
// call, so that many threads may search with them, though not while their options change.
constexpr const char* kName = "search";

// `terms` as far as ids reach.
SearchLimits limits_of(uint64_t expansions, uint64_t terms) {
    SearchLimits limits;
    limits.expansions = expansions;
    limits.terms = std::min<uint64_t>(terms, kHuge);
    return limits;
}

nb::typed<nb::dict, nb::str, nb::any> to_dict(Status status, uint64_t expansions) {
    nb::typed<nb::dict, nb::str, nb::any> result;
    result["status"] = static_cast<int>(status);
    result["expansions"] = expansions;
    return result;
}

// The chains of a proof: that of the goal, after those of the lemmas that it cites. A stop or a
// lack of memory while it is read out is the outcome then.
std::vector<Chain> chains_of(const TermSearch& prover, const std::vector<int32_t>& codes,
                             SearchResult& found, Control& control) {
    if (found.status != Status::proved) return {};
    control.allow_reading();
    try {
        return {read_out(prover.rules(), codes, found.rewrites, {}, kFill, &control,
                         prover.self_check())};
    } catch (const Ended& ended) {
        found.status = ended.status;
    } catch (const std::bad_alloc&) {
        found.status = Status::memory;
    }
    return {};
}

std::vector<Chain> chains_of(const Saturation&, const std::vector<int32_t>&, SearchResult& found,
                             Control&) {
    return std::move(found.chains);
}

nb::typed<nb::dict, nb::str, nb::any> to_dict(const SearchResult& found,
                                              const std::vector<Chain>& chains) {
    auto result = to_dict(found.status, found.expansions);
    result["terms"] = found.terms;
    nb::list listed;
    for (const Chain& chain : chains) listed.append(to_tuple(chain));
    result["chains"] = listed;
    return result;
}

// A way to prove equations: prove(codes, limits...) gives status, counts and chains.
template <typename Prover>
nb::class_<Prover> bind_prover(nb::module_& m, const char* name) {
    return nb::class_<Prover>(m, name)
        .def(
            "__init__",
            [](Prover* self, std::shared_ptr<Rules> rules, bool self_check) {
                new (self) Prover(std::move(rules), self_check);
            },
            "rules"_a, "self_check"_a)
        .def(
            "prove",
            [](Prover& prover, const std::vector<int32_t>& codes, uint64_t expansions,
               double seconds, uint32_t growth, uint32_t depth_cost, uint64_t terms,
               uint32_t length, const Stop& stop) {
                const Gate::Use use(prover.gate, kName);
                check_equation(prover.rules(), codes);
                if (growth > SearchLimits::kMostGrowth || depth_cost > SearchLimits::kMostDepthCost)
                    throw std::invalid_argument("growth or depth_cost is too large");
                SearchLimits limits = limits_of(expansions, terms);
                limits.growth = growth;
                limits.depth_cost = depth_cost;
                limits.length = length;
                SearchResult found;
                const auto chains = controlled(stop, seconds, [&](Control& control) {
                    found = prover.prove(codes, limits, control);
                    return chains_of(prover, codes, found, control);
                });
                return to_dict(found, chains);
            },
            "codes"_a, "expansions"_a, "seconds"_a, "growth"_a, "depth_cost"_a, "terms"_a,
            "length"_a, "stop"_a.none() = nb::none());
}

void bind_levin(nb::module_& m) {
    nb::class_<LevinSearch>(m, "LevinSearch")
        .def(
            "__init__",
            [](LevinSearch* self, std::shared_ptr<Rules> rules, std::shared_ptr<TreeNet> net,
               bool self_check) {
                new (self) LevinSearch(std::move(rules), std::move(net), self_check);
            },
            "rules"_a, "net"_a, "self_check"_a)
        .def(
            "solve",
            [](LevinSearch& search, std::vector<int32_t> start, std::vector<int32_t> target,
               uint64_t expansions, double seconds, uint64_t terms, uint32_t steps, uint64_t seed,
               uint64_t episode, const Stop& stop) {
                const Gate::Read shared(search.gate, kName);
                const Gate::Read read(search.net().gate, "network");
                LevinResult found = controlled(stop, seconds, [&](Control& control) {
                    return search.solve({std::move(start), std::move(target)},
                                        limits_of(expansions, terms), steps, {{seed, 0}, episode},
                                        control);
                });
                auto result = to_dict(found.status, found.expansions);
                result["actions"] = owned(std::move(found.actions));
                return result;
            },
            "start"_a, "target"_a, "expansions"_a, "seconds"_a, "terms"_a, "steps"_a, "seed"_a,
            "episode"_a, "stop"_a.none() = nb::none());
}

void bind_guided(nb::module_& m) {
    nb::class_<GuidedSearch>(m, "GuidedSearch")
        .def(
            "__init__",
            [](GuidedSearch* self, std::shared_ptr<Rules> rules, std::shared_ptr<TreeNet> net,
               std::vector<uint32_t> outputs, bool self_check) {
                new (self)
                    GuidedSearch(std::move(rules), std::move(net), std::move(outputs), self_check);
            },
            "rules"_a, "net"_a, "outputs"_a, "self_check"_a)
        .def(
            "set_options",
            [](GuidedSearch& search, float noise, float size_cost, uint32_t variables,
               uint32_t growth) {
                const Gate::Use use(search.gate, kName);
                search.set_options({noise, size_cost, variables, growth});
            },
            "noise"_a, "size_cost"_a, "variables"_a, "growth"_a)
        .def(
            "solve",
            [](GuidedSearch& search, const std::vector<int32_t>& codes, uint64_t expansions,
               double seconds, uint64_t terms, uint64_t seed, uint64_t episode, const Stop& stop) {
                const Gate::Read shared(search.gate, kName);
                const Gate::Read read(search.net().gate, "network");
                const SearchResult found = controlled(stop, seconds, [&](Control& control) {
                    return search.solve(codes, limits_of(expansions, terms), {{seed, 0}, episode},
                                        control);
                });
                return to_dict(found, found.chains);
            },
            "codes"_a, "expansions"_a, "seconds"_a, "terms"_a, "seed"_a, "episode"_a,
            "stop"_a.none() = nb::none())
        .def(
            "explore",
            [](GuidedSearch& search, const std::vector<int32_t>& codes, uint64_t expansions,
               double seconds, uint64_t terms, uint64_t seed, size_t count, uint32_t first_free,
               const Stop& stop) {
                const Gate::Read shared(search.gate, kName);
                const Gate::Read read(search.net().gate, "network");
                const auto lemmas = controlled(stop, seconds, [&](Control& control) {
                    return search.explore(codes, limits_of(expansions, terms), {{seed, 0}, 0},
                                          count, first_free, control);
                });
                nb::typed<nb::list, nb::any> result;
                for (const Lemma& lemma : lemmas)
                    result.append(nb::make_tuple(to_tuple(lemma.chain), lemma.log_probability));
                return result;
            },
            "codes"_a, "expansions"_a, "seconds"_a, "terms"_a, "seed"_a, "count"_a, "first_free"_a,
            "stop"_a.none() = nb::none());
}

}  // namespace

void bind_search(nb::module_& m) {
    bind_prover<TermSearch>(m, "TermSearch");
    bind_prover<Saturation>(m, "Saturation")
        .def(
            "resume",
            [](Saturation& search, uint64_t expansions, double seconds, uint64_t terms,
               const Stop& stop) {
                const Gate::Use use(search.gate, kName);
                SearchResult found = controlled(stop, seconds, [&](Control& control) {
                    return search.resume(limits_of(expansions, terms), control);
                });
                return to_dict(found, found.chains);
            },
            "expansions"_a, "seconds"_a, "terms"_a, "stop"_a.none() = nb::none())
        .def(
            "equations",
            [](Saturation& search, size_t count, uint32_t size, double seconds, const Stop& stop) {
                const Gate::Use use(search.gate, kName);
                const auto found = controlled(stop, seconds, [&](Control& control) {
                    return search.equations(count, size, control);
                });
                nb::typed<nb::list, nb::any> equations;
                for (const auto& chains : found) {
                    nb::list listed;
                    for (const Chain& chain : chains) listed.append(to_tuple(chain));
                    equations.append(listed);
                }
                return equations;
            },
            "count"_a, "size"_a, "seconds"_a, "stop"_a.none() = nb::none())
        .def_prop_rw("rule_cost", &Saturation::rule_cost,
                     [](Saturation& search, std::vector<float> cost) {
                         const Gate::Use use(search.gate, kName);
                         search.set_rule_cost(std::move(cost));
                     });
    bind_levin(m);
    bind_guided(m);
}

}  // namespace threesil
