#include "bindings.hpp"
#include "schedule.hpp"

namespace threesil {

namespace {

void bind_pass(nb::module_& m) {
    nb::class_<TreePass>(m, "TreePass")
        .def(
            "outputs",
            [](const TreePass& pass, Out<float, 2> logits, Out<float, 1> values) {
                if (logits.shape(0) != pass.states() || logits.shape(1) != pass.net().actions() ||
                    values.shape(0) != pass.states())
                    throw std::invalid_argument("outputs: (states, actions) and (states)");
                pass.outputs(logits.data(), values.data());
            },
            "logits"_a.noconvert(), "values"_a.noconvert())
        .def(
            "backward",
            [](const TreePass& pass, In2<float> dlogits, In<float> dvalues, Out<float, 1> gradient,
               const Stop& stop) {
                if (dlogits.shape(0) != pass.states() || dlogits.shape(1) != pass.net().actions() ||
                    dvalues.shape(0) != pass.states() ||
                    gradient.shape(0) != pass.net().parameters())
                    throw std::invalid_argument("backward: shapes do not fit");
                const Gate::Read read(pass.net().gate, "network");
                controlled(stop, Control::kForever, [&](Control& control) {
                    pass.backward(dlogits.data(), dvalues.data(), gradient.data(), control);
                });
            },
            "dlogits"_a.noconvert(), "dvalues"_a.noconvert(), "gradient"_a.noconvert(),
            "stop"_a.none() = nb::none())
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
}

void bind_states(nb::module_& m) {
    constexpr const char* kName = "store of states";
    nb::class_<StateStore>(m, "StateStore")
        .def(
            "__init__",
            [](StateStore* self, std::shared_ptr<Rules> rules, bool quirk, bool self_check) {
                new (self) StateStore(std::move(rules), quirk, self_check);
            },
            "rules"_a, "quirk"_a, "self_check"_a)
        .def(
            "load",
            [](StateStore& store, std::shared_ptr<Problems> problems) {
                const Gate::Use use(store.gate, kName);
                store.load(std::move(problems));
            },
            "problems"_a)
        .def(
            "add",
            [](StateStore& store, uint32_t problem, In<uint16_t> actions, bool with_last) {
                const Gate::Use use(store.gate, kName);
                return store.add(problem, view(actions), with_last);
            },
            "problem"_a, "actions"_a.noconvert(), "with_last"_a)
        .def(
            "prune",
            [](StateStore& store, uint32_t problem, In<uint16_t> actions) {
                const Gate::Use use(store.gate, kName);
                return owned(store.prune(problem, view(actions)));
            },
            "problem"_a, "actions"_a.noconvert())
        .def(
            "codes",
            [](StateStore& store, size_t state) {
                const Gate::Use use(store.gate, kName);
                return owned(store.codes(state));
            },
            "state"_a)
        .def(
            "masks",
            [](StateStore& store, In<uint32_t> states, Out<uint8_t, 2> out) {
                const Gate::Use use(store.gate, kName);
                const size_t actions = store.rules().actions.size();
                if (out.shape(0) != states.shape(0) || out.shape(1) != actions)
                    throw std::invalid_argument("masks: (states, actions)");
                for (size_t i = 0; i < states.shape(0); ++i) {
                    if (states(i) >= store.size()) throw std::out_of_range("no such state");
                    const MaskWord* words = store.mask(states(i));
                    for (size_t a = 0; a < actions; ++a) out(i, a) = words[a / 64] >> a % 64 & 1;
                }
            },
            "states"_a.noconvert(), "out"_a.noconvert())
        .def(
            "forward",
            [](StateStore& store, std::shared_ptr<TreeNet> net, In<uint32_t> states,
               In<uint64_t> draws, uint64_t seed, uint32_t stream, const Stop& stop) {
                const Gate::Use use(store.gate, kName);
                const Gate::Read read(net->gate, "network");
                return controlled(stop, Control::kForever, [&](Control& control) {
                    return std::make_unique<TreePass>(
                        net,
                        store.schedule(view(states), view(draws), {seed, stream}, *net, control),
                        control);
                });
            },
            "net"_a, "states"_a.noconvert(), "draws"_a.noconvert(), "seed"_a, "stream"_a,
            "stop"_a.none() = nb::none())
        .def("__len__", &StateStore::size)
        .def_prop_ro("terms", &StateStore::terms);
}

}  // namespace

void bind_network(nb::module_& m) {
    nb::class_<TreeNet>(m, "TreeNet")
        .def(nb::new_([](const Rules& rules, uint32_t size, uint32_t hidden, bool value) {
                 return std::make_shared<TreeNet>(rules.arity,
                                                  static_cast<uint32_t>(rules.actions.size()),
                                                  NetShape{size, hidden, value});
             }),
             "rules"_a, "size"_a, "hidden"_a, "value"_a)
        .def_prop_ro("parameters", &TreeNet::parameters)
        .def(
            "load",
            [](TreeNet& net, In<float> parameters) {
                const Gate::Use use(net.gate, "network");
                net.load(view(parameters));
            },
            "parameters"_a.noconvert());
    bind_pass(m);
    bind_states(m);
}

}  // namespace threesil
