#include "bindings.hpp"
#include "collect.hpp"

namespace threesil {

namespace {

constexpr const char* kName = "batch";

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

void bind_slots(nb::class_<Batch>& batch) {
    batch
        .def(
            "reset",
            [](Batch& self, size_t slot, uint32_t problem) {
                const Gate::Use use(self.gate, kName);
                self.reset(slot, problem);
            },
            "slot"_a, "problem"_a)
        .def(
            "codes",
            [](Batch& self, size_t slot) {
                const Gate::Use use(self.gate, kName);
                return owned(self.codes(slot));
            },
            "slot"_a)
        .def(
            "path",
            [](Batch& self, size_t slot) {
                const Gate::Use use(self.gate, kName);
                return self.episode(slot).path;
            },
            "slot"_a)
        .def(
            "end",
            [](Batch& self, size_t slot) {
                const Gate::Use use(self.gate, kName);
                return static_cast<int>(self.episode(slot).end);
            },
            "slot"_a)
        .def(
            "problem",
            [](Batch& self, size_t slot) {
                const Gate::Use use(self.gate, kName);
                return self.episode(slot).problem;
            },
            "slot"_a)
        .def(
            "actions",
            [](Batch& self, size_t slot) {
                const Gate::Use use(self.gate, kName);
                return owned(self.episode(slot).actions);
            },
            "slot"_a)
        .def("ends",
             [](Batch& self) {
                 const Gate::Use use(self.gate, kName);
                 std::vector<uint8_t> ends;
                 for (size_t slot = 0; slot < self.width(); ++slot)
                     ends.push_back(static_cast<uint8_t>(self.episode(slot).end));
                 return owned(std::move(ends));
             })
        .def(
            "step",
            [](Batch& self, In<int32_t> actions) {
                const Gate::Use use(self.gate, kName);
                const nb::gil_scoped_release release;
                self.step(view(actions));
            },
            "actions"_a.noconvert())
        .def(
            "masks",
            [](Batch& self, Out<uint8_t, 2> out) {
                const Gate::Use use(self.gate, kName);
                if (out.shape(0) != self.width() || out.shape(1) != self.rules().actions.size())
                    throw std::invalid_argument("masks: the array must be (width, actions)");
                const nb::gil_scoped_release release;
                self.masks(out.data());
            },
            "out"_a.noconvert())
        .def(
            "observe",
            [](Batch& self, Out<int32_t, 2> tokens, Out<int32_t, 1> lengths,
               Out<int32_t, 1> cursors, int32_t constants) {
                const Gate::Use use(self.gate, kName);
                const size_t width = self.width();
                if (tokens.shape(0) != width || lengths.shape(0) != width ||
                    cursors.shape(0) != width)
                    throw std::invalid_argument("observe: one row a slot");
                if (constants < 0 || constants > int32_t{kHuge})
                    throw std::invalid_argument("observe: no such number of constants");
                const nb::gil_scoped_release release;
                self.observe(tokens.data(), lengths.data(), cursors.data(), tokens.shape(1),
                             constants);
            },
            "tokens"_a.noconvert(), "lengths"_a.noconvert(), "cursors"_a.noconvert(), "constants"_a)
        .def(
            "logits",
            [](Batch& self, std::shared_ptr<TreeNet> net, uint64_t seed, uint32_t stream,
               Out<float, 2> out) {
                const Gate::Use use(self.gate, kName);
                const Gate::Read read(net->gate, "network");
                if (out.shape(0) != self.width() || out.shape(1) != self.rules().actions.size())
                    throw std::invalid_argument("logits: the array must be (width, actions)");
                controlled(nullptr, Control::kForever, [&](Control& control) {
                    self.logits(net, {seed, stream}, out.data(), control);
                });
            },
            "net"_a, "seed"_a, "stream"_a, "out"_a.noconvert())
        .def(
            "chain",
            [](Batch& self, size_t slot, uint32_t problem, In<uint16_t> actions) {
                const Gate::Use use(self.gate, kName);
                return to_tuple(controlled(nullptr, Control::kForever, [&](Control& control) {
                    return self.chain(slot, problem, view(actions), control);
                }));
            },
            "slot"_a, "problem"_a, "actions"_a.noconvert())
        .def(
            "side_chain",
            [](Batch& self, size_t slot, uint32_t problem, In<uint16_t> actions, uint32_t side,
               uint32_t first_free) {
                const Gate::Use use(self.gate, kName);
                return to_tuple(controlled(nullptr, Control::kForever, [&](Control& control) {
                    return self.side_chain(slot, problem, view(actions), side, first_free, control);
                }));
            },
            "slot"_a, "problem"_a, "actions"_a.noconvert(), "side"_a, "first_free"_a);
}

void bind_play(nb::class_<Batch>& batch) {
    batch
        .def(
            "play_random",
            [](Batch& self, In<uint32_t> problems, uint64_t seed, uint32_t stream,
               uint64_t first_episode, const Stop& stop) {
                const Gate::Use use(self.gate, kName);
                return to_dict(controlled(stop, Control::kForever, [&](Control& control) {
                    return self.play_random(view(problems), {seed, stream}, first_episode, control);
                }));
            },
            "problems"_a.noconvert(), "seed"_a, "stream"_a, "first_episode"_a,
            "stop"_a.none() = nb::none())
        .def(
            "play_guided",
            [](Batch& self, std::shared_ptr<TreeNet> net, In<uint32_t> problems, uint64_t seed,
               uint32_t stream, uint64_t first_episode, float noise, bool greedy, bool all,
               const Stop& stop) {
                const Gate::Use use(self.gate, kName);
                const Gate::Read read(net->gate, "network");
                if (!(noise >= 0 && noise <= 1))
                    throw std::invalid_argument("noise is a share: 0 to 1");
                return to_dict(controlled(stop, Control::kForever, [&](Control& control) {
                    return self.play_guided(view(problems), net, {{seed, stream}, noise, greedy},
                                            first_episode, all, control);
                }));
            },
            "net"_a, "problems"_a.noconvert(), "seed"_a, "stream"_a, "first_episode"_a, "noise"_a,
            "greedy"_a, "all"_a, "stop"_a.none() = nb::none())
        .def(
            "replay",
            [](Batch& self, In<uint32_t> problems, In<uint16_t> actions, In<uint64_t> offsets,
               const Stop& stop) {
                const Gate::Use use(self.gate, kName);
                return to_dict(controlled(stop, Control::kForever, [&](Control& control) {
                    return self.replay(view(problems), view(actions), view(offsets), control);
                }));
            },
            "problems"_a.noconvert(), "actions"_a.noconvert(), "offsets"_a.noconvert(),
            "stop"_a.none() = nb::none());
}

}  // namespace

void bind_batch(nb::module_& m) {
    auto batch =
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
                [](Batch& self, std::shared_ptr<Problems> problems) {
                    const Gate::Use use(self.gate, kName);
                    self.load(std::move(problems));
                },
                "problems"_a)
            .def(
                "replace",
                [](Batch& self, size_t index, std::vector<int32_t> start,
                   std::vector<int32_t> target) {
                    const Gate::Use use(self.gate, kName);
                    self.replace(index, {std::move(start), std::move(target)});
                },
                "index"_a, "start"_a, "target"_a)
            .def_prop_ro("width", &Batch::width)
            .def(
                "set_profiling",
                [](Batch& self, bool on) {
                    const Gate::Use use(self.gate, kName);
                    self.set_profiling(on);
                },
                "on"_a)
            .def("profile", [](Batch& self) {
                const Gate::Use use(self.gate, kName);
                return self.profile();
            });
    bind_slots(batch);
    bind_play(batch);
}

}  // namespace threesil
