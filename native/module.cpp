// The Python face of the core: plain arrays in, plain arrays out; threesil.engine gives them sense.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "chain.hpp"
#include "collect.hpp"
#include "guided.hpp"
#include "levin.hpp"
#include "saturate.hpp"
#include "schedule.hpp"
#include "search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace threesil;

namespace {

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T, int N>
using Out = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> view(const In<T>& array) {
    return {array.data(), array.shape(0)};
}

template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> owned(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

using ProblemList = std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>>;

Problems to_problems(const ProblemList& pairs) {
    Problems problems;
    for (const auto& [start, target] : pairs) problems.all.push_back({start, target});
    return problems;
}

// An action is (move, argument, rules), a rule (from, to, variables, equation, left to right).
std::shared_ptr<Rules> make_rules(std::vector<uint8_t> arity, std::vector<uint8_t> constructor,
                                  nb::typed<nb::list, nb::any> actions, int goal, int32_t equality,
                                  bool enter_leaves, bool no_repeats) {
    std::vector<Rules::ActionSpec> specs;
    for (nb::handle item : actions) {
        auto action = nb::cast<nb::tuple>(item);
        Rules::ActionSpec spec{nb::cast<bool>(action[0]), nb::cast<uint32_t>(action[1]), {}};
        for (nb::handle entry : nb::cast<nb::list>(action[2])) {
            auto rule = nb::cast<nb::tuple>(entry);
            spec.rules.push_back({nb::cast<std::vector<int32_t>>(rule[0]),
                                  nb::cast<std::vector<int32_t>>(rule[1]),
                                  nb::cast<uint32_t>(rule[2]), nb::cast<uint32_t>(rule[3]),
                                  nb::cast<bool>(rule[4])});
        }
        specs.push_back(std::move(spec));
    }
    if (goal < 0 || goal > 2) throw std::invalid_argument("goal is 0, 1 or 2");
    return std::make_shared<Rules>(std::move(arity), std::move(constructor), specs,
                                   static_cast<Goal>(goal), equality, enter_leaves, no_repeats);
}

// (heads, arguments, start, steps); a step is (path, equation, left to right, values, result).
nb::typed<nb::tuple, nb::any, nb::ellipsis> to_tuple(const Chain& chain) {
    nb::list steps;
    for (const ChainStep& step : chain.steps)
        steps.append(
            nb::make_tuple(step.path, step.equation, step.left_to_right, step.values, step.result));
    return nb::make_tuple(chain.heads, chain.args, chain.start, steps);
}

nb::typed<nb::dict, nb::str, nb::any> to_dict(Played played) {
    nb::dict result;
    result["end"] = owned(std::move(played.end));
    result["steps"] = owned(std::move(played.steps));
    result["actions"] = owned(std::move(played.actions));
    result["offsets"] = owned(std::move(played.offsets));
    result["legal"] = played.legal;
    result["collections"] = played.collections;
    result["bank_bytes"] = played.bank_bytes;
    return result;
}

// A way to prove equations: prove(codes, limits...) gives status, counts and rewrites.
template <typename Prover>
nb::class_<Prover> bind_prover(nb::module_& m, const char* name) {
    return nb::class_<Prover>(m, name)
        .def(
            "__init__",
            [](Prover* self, std::shared_ptr<Rules> rules) { new (self) Prover(std::move(rules)); },
            "rules"_a)
        .def(
            "prove",
            [](Prover& prover, const std::vector<int32_t>& codes, uint64_t expansions,
               double seconds, uint32_t growth, uint32_t depth_cost, uint64_t terms,
               uint32_t length) {
                SearchResult found;
                Chain chain;
                {
                    nb::gil_scoped_release release;
                    found = prover.prove(codes,
                                         {expansions, seconds, growth, depth_cost, terms, length});
                    if (found.status == SearchResult::Status::proved)
                        chain = read_out(prover.rules(), codes, found.rewrites, {});
                }
                nb::typed<nb::dict, nb::str, nb::any> result;
                result["status"] = static_cast<int>(found.status);
                result["expansions"] = found.expansions;
                result["terms"] = found.terms;
                result["chain"] = to_tuple(chain);
                return result;
            },
            "codes"_a, "expansions"_a, "seconds"_a, "growth"_a, "depth_cost"_a, "terms"_a,
            "length"_a);
}

}  // namespace

NB_MODULE(_native, m) {
    nb::set_leak_warnings(false);  // compiled theories live as long as the interpreter
    m.doc() = "threesil's native core; use it through threesil.engine";
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const IllegalAction& e) {
            PyErr_Format(PyExc_ValueError, "illegal action %u in slot %zu", e.action, e.slot);
        }
    });

    nb::class_<Rules>(m, "Rules")
        .def(nb::new_(&make_rules), "arity"_a, "constructor"_a, "actions"_a, "goal"_a, "equality"_a,
             "enter_leaves"_a, "no_repeats"_a)
        .def_prop_ro("actions", [](const Rules& rules) { return rules.actions.size(); });

    nb::class_<TreeNet>(m, "TreeNet")
        .def(nb::new_([](const Rules& rules, uint32_t size, uint32_t hidden, bool value) {
                 return std::make_shared<TreeNet>(rules.arity,
                                                  static_cast<uint32_t>(rules.actions.size()),
                                                  NetShape{size, hidden, value});
             }),
             "rules"_a, "size"_a, "hidden"_a, "value"_a)
        .def_prop_ro("parameters", &TreeNet::parameters)
        .def(
            "load", [](TreeNet& net, In<float> parameters) { net.load(view(parameters)); },
            "parameters"_a);

    nb::class_<TreePass>(m, "TreePass")
        .def(
            "outputs",
            [](const TreePass& pass, Out<float, 2> logits, Out<float, 1> values) {
                if (logits.shape(0) != pass.states() || logits.shape(1) != pass.net().actions() ||
                    values.shape(0) != pass.states())
                    throw std::invalid_argument("outputs: (states, actions) and (states)");
                pass.outputs(logits.data(), values.data());
            },
            "logits"_a, "values"_a)
        .def(
            "backward",
            [](const TreePass& pass, nb::ndarray<const float, nb::ndim<2>, nb::c_contig> dlogits,
               In<float> dvalues, Out<float, 1> gradient) {
                if (dlogits.shape(0) != pass.states() || dlogits.shape(1) != pass.net().actions() ||
                    dvalues.shape(0) != pass.states() ||
                    gradient.shape(0) != pass.net().parameters())
                    throw std::invalid_argument("backward: shapes do not fit");
                nb::gil_scoped_release release;
                pass.backward(dlogits.data(), dvalues.data(), gradient.data());
            },
            "dlogits"_a, "dvalues"_a, "gradient"_a)
        .def("schedule", [](const TreePass& pass) {
            const Schedule& schedule = pass.schedule();
            nb::typed<nb::list, nb::any> groups;
            for (const Schedule::Group& g : schedule.groups)
                groups.append(nb::make_tuple(g.network, g.begin, g.end, g.children, g.random));
            nb::typed<nb::dict, nb::str, nb::any> result;
            result["groups"] = groups;
            result["children"] = owned(schedule.children);
            result["random"] = owned(schedule.random);
            result["roots"] = owned(schedule.roots);
            return result;
        });

    nb::class_<StateStore>(m, "StateStore")
        .def(
            "__init__",
            [](StateStore* self, std::shared_ptr<Rules> rules, bool quirk) {
                new (self) StateStore(std::move(rules), quirk);
            },
            "rules"_a, "quirk"_a)
        .def(
            "load",
            [](StateStore& store, const ProblemList& pairs) { store.load(to_problems(pairs)); },
            "problems"_a)
        .def(
            "add",
            [](StateStore& store, uint32_t problem, In<uint16_t> actions, bool with_last) {
                return store.add(problem, view(actions), with_last);
            },
            "problem"_a, "actions"_a, "with_last"_a)
        .def(
            "prune",
            [](StateStore& store, uint32_t problem, In<uint16_t> actions) {
                return owned(store.prune(problem, view(actions)));
            },
            "problem"_a, "actions"_a)
        .def(
            "codes",
            [](const StateStore& store, size_t state) { return owned(store.codes(state)); },
            "state"_a)
        .def(
            "masks",
            [](const StateStore& store, In<uint32_t> states, Out<uint8_t, 2> out) {
                const size_t actions = store.rules().actions.size();
                if (out.shape(0) != states.shape(0) || out.shape(1) != actions)
                    throw std::invalid_argument("masks: (states, actions)");
                for (size_t i = 0; i < states.shape(0); ++i) {
                    if (states(i) >= store.size()) throw std::out_of_range("no such state");
                    const MaskWord* words = store.mask(states(i));
                    for (size_t a = 0; a < actions; ++a) out(i, a) = words[a / 64] >> a % 64 & 1;
                }
            },
            "states"_a, "out"_a)
        .def(
            "forward",
            [](StateStore& store, std::shared_ptr<TreeNet> net, In<uint32_t> states,
               In<uint64_t> draws, uint64_t seed, uint32_t stream) {
                nb::gil_scoped_release release;
                return std::make_unique<TreePass>(
                    net, store.schedule(view(states), view(draws), {seed, stream}, *net));
            },
            "net"_a, "states"_a, "draws"_a, "seed"_a, "stream"_a)
        .def("__len__", &StateStore::size)
        .def_prop_ro("terms", &StateStore::terms);

    bind_prover<TermSearch>(m, "TermSearch");
    nb::class_<LevinSearch>(m, "LevinSearch")
        .def(
            "__init__",
            [](LevinSearch* self, std::shared_ptr<Rules> rules, std::shared_ptr<TreeNet> net) {
                new (self) LevinSearch(std::move(rules), std::move(net));
            },
            "rules"_a, "net"_a)
        .def(
            "solve",
            [](LevinSearch& search, const std::vector<int32_t>& start,
               const std::vector<int32_t>& target, uint64_t expansions, double seconds,
               uint64_t terms, uint32_t steps, uint64_t seed, uint64_t episode) {
                SearchLimits limits;
                limits.expansions = expansions;
                limits.seconds = seconds;
                limits.terms = terms;
                LevinResult found;
                {
                    nb::gil_scoped_release release;
                    found = search.solve({start, target}, limits, steps, {{seed, 0}, episode});
                }
                nb::typed<nb::dict, nb::str, nb::any> result;
                result["status"] = static_cast<int>(found.status);
                result["expansions"] = found.expansions;
                result["actions"] = owned(std::move(found.actions));
                return result;
            },
            "start"_a, "target"_a, "expansions"_a, "seconds"_a, "terms"_a, "steps"_a, "seed"_a,
            "episode"_a);
    nb::class_<GuidedSearch>(m, "GuidedSearch")
        .def(
            "__init__",
            [](GuidedSearch* self, std::shared_ptr<Rules> rules, std::shared_ptr<TreeNet> net,
               std::vector<uint32_t> outputs) {
                new (self) GuidedSearch(std::move(rules), std::move(net), std::move(outputs));
            },
            "rules"_a, "net"_a, "outputs"_a)
        .def(
            "set_options",
            [](GuidedSearch& search, float noise, float size_cost, uint32_t variables,
               uint32_t growth) { search.options = {noise, size_cost, variables, growth}; },
            "noise"_a, "size_cost"_a, "variables"_a, "growth"_a)
        .def(
            "solve",
            [](GuidedSearch& search, const std::vector<int32_t>& codes, uint64_t expansions,
               double seconds, uint64_t terms, uint64_t seed, uint64_t episode) {
                SearchLimits limits;
                limits.expansions = expansions;
                limits.seconds = seconds;
                limits.terms = terms;
                GuidedResult found;
                Chain chain;
                {
                    nb::gil_scoped_release release;
                    found = search.solve(codes, limits, {{seed, 0}, episode});
                    if (found.status == SearchResult::Status::proved)
                        chain = read_out(search.rules(), codes, found.rewrites, found.solution);
                }
                nb::typed<nb::dict, nb::str, nb::any> result;
                result["status"] = static_cast<int>(found.status);
                result["expansions"] = found.expansions;
                result["terms"] = found.terms;
                result["actions"] = found.actions;
                result["chain"] = to_tuple(chain);
                return result;
            },
            "codes"_a, "expansions"_a, "seconds"_a, "terms"_a, "seed"_a, "episode"_a)
        .def(
            "explore",
            [](GuidedSearch& search, const std::vector<int32_t>& codes, uint64_t expansions,
               double seconds, uint64_t terms, uint64_t seed, size_t count, uint32_t first_free) {
                SearchLimits limits;
                limits.expansions = expansions;
                limits.seconds = seconds;
                limits.terms = terms;
                std::vector<Lemma> lemmas;
                {
                    nb::gil_scoped_release release;
                    lemmas = search.explore(codes, limits, {{seed, 0}, 0}, count, first_free);
                }
                nb::typed<nb::list, nb::any> result;
                for (const Lemma& lemma : lemmas)
                    result.append(nb::make_tuple(to_tuple(lemma.chain), lemma.log_probability));
                return result;
            },
            "codes"_a, "expansions"_a, "seconds"_a, "terms"_a, "seed"_a, "count"_a, "first_free"_a);
    bind_prover<Saturation>(m, "Saturation").def_rw("rule_cost", &Saturation::rule_cost);

    nb::class_<Batch>(m, "Batch")
        .def(
            "__init__",
            [](Batch* self, std::shared_ptr<Rules> rules, size_t width, size_t threads,
               uint32_t steps, uint32_t size, uint32_t depth, uint32_t variables,
               uint64_t bank_terms, bool quirk, bool self_check) {
                new (self) Batch(std::move(rules), {steps, size, depth, variables, bank_terms},
                                 width, threads, quirk, self_check);
            },
            "rules"_a, "width"_a, "threads"_a, "steps"_a, "size"_a, "depth"_a, "variables"_a,
            "bank_terms"_a, "quirk"_a, "self_check"_a)
        .def(
            "load",
            [](Batch& batch,
               const std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>>& pairs) {
                Problems problems;
                for (const auto& [start, target] : pairs) problems.all.push_back({start, target});
                batch.load(std::move(problems));
            },
            "problems"_a)
        .def(
            "replace",
            [](Batch& batch, size_t index, std::vector<int32_t> start,
               std::vector<int32_t> target) {
                batch.replace(index, {std::move(start), std::move(target)});
            },
            "index"_a, "start"_a, "target"_a)
        .def_prop_ro("width", &Batch::width)
        .def("reset", &Batch::reset, "slot"_a, "problem"_a)
        .def(
            "codes", [](const Batch& batch, size_t slot) { return owned(batch.codes(slot)); },
            "slot"_a)
        .def(
            "path", [](const Batch& batch, size_t slot) { return batch.episode(slot).path; },
            "slot"_a)
        .def(
            "end",
            [](const Batch& batch, size_t slot) {
                return static_cast<int>(batch.episode(slot).end);
            },
            "slot"_a)
        .def(
            "problem", [](const Batch& batch, size_t slot) { return batch.episode(slot).problem; },
            "slot"_a)
        .def(
            "actions",
            [](const Batch& batch, size_t slot) { return owned(batch.episode(slot).actions); },
            "slot"_a)
        .def("ends",
             [](const Batch& batch) {
                 std::vector<uint8_t> ends;
                 for (size_t slot = 0; slot < batch.width(); ++slot)
                     ends.push_back(static_cast<uint8_t>(batch.episode(slot).end));
                 return owned(std::move(ends));
             })
        .def(
            "step",
            [](Batch& batch, In<int32_t> actions) {
                nb::gil_scoped_release release;
                batch.step(view(actions));
            },
            "actions"_a)
        .def(
            "masks",
            [](Batch& batch, Out<uint8_t, 2> out) {
                if (out.shape(0) != batch.width() || out.shape(1) != batch.rules().actions.size())
                    throw std::invalid_argument("masks: the array must be (width, actions)");
                nb::gil_scoped_release release;
                batch.masks(out.data());
            },
            "out"_a)
        .def(
            "observe",
            [](const Batch& batch, Out<int32_t, 2> tokens, Out<int32_t, 1> lengths,
               Out<int32_t, 1> cursors, int32_t constants) {
                const size_t width = batch.width();
                if (tokens.shape(0) != width || lengths.shape(0) != width ||
                    cursors.shape(0) != width)
                    throw std::invalid_argument("observe: one row a slot");
                nb::gil_scoped_release release;
                batch.observe(tokens.data(), lengths.data(), cursors.data(), tokens.shape(1),
                              constants);
            },
            "tokens"_a, "lengths"_a, "cursors"_a, "constants"_a)
        .def(
            "play_random",
            [](Batch& batch, In<uint32_t> problems, uint64_t seed, uint32_t stream,
               uint64_t first_episode) {
                Played played;
                {
                    nb::gil_scoped_release release;
                    played = batch.play_random(view(problems), {seed, stream}, first_episode);
                }
                return to_dict(std::move(played));
            },
            "problems"_a, "seed"_a, "stream"_a, "first_episode"_a)
        .def(
            "play_guided",
            [](Batch& batch, std::shared_ptr<TreeNet> net, In<uint32_t> problems, uint64_t seed,
               uint32_t stream, uint64_t first_episode, float noise, bool greedy, bool all) {
                Played played;
                {
                    nb::gil_scoped_release release;
                    played = batch.play_guided(view(problems), net, {{seed, stream}, noise, greedy},
                                               first_episode, all);
                }
                return to_dict(std::move(played));
            },
            "net"_a, "problems"_a, "seed"_a, "stream"_a, "first_episode"_a, "noise"_a, "greedy"_a,
            "all"_a)
        .def(
            "logits",
            [](Batch& batch, std::shared_ptr<TreeNet> net, uint64_t seed, uint32_t stream,
               Out<float, 2> out) {
                if (out.shape(0) != batch.width() || out.shape(1) != batch.rules().actions.size())
                    throw std::invalid_argument("logits: the array must be (width, actions)");
                batch.logits(net, {seed, stream}, out.data());
            },
            "net"_a, "seed"_a, "stream"_a, "out"_a)
        .def(
            "replay",
            [](Batch& batch, In<uint32_t> problems, In<uint16_t> actions, In<uint64_t> offsets) {
                Played played;
                {
                    nb::gil_scoped_release release;
                    played = batch.replay(view(problems), view(actions), view(offsets));
                }
                return to_dict(std::move(played));
            },
            "problems"_a, "actions"_a, "offsets"_a)
        .def(
            "chain",
            [](Batch& batch, size_t slot, uint32_t problem, In<uint16_t> actions) {
                return to_tuple(batch.chain(slot, problem, view(actions)));
            },
            "slot"_a, "problem"_a, "actions"_a)
        .def("set_profiling", &Batch::set_profiling, "on"_a)
        .def("profile", &Batch::profile);
}
