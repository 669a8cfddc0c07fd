// The Python face of the core: plain arrays in, plain arrays out; threesil.engine gives them sense.
#include "bindings.hpp"
#include "problems.hpp"
#include "state.hpp"

namespace threesil {

namespace {

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

}  // namespace

bool in_main_thread() {
    // Asked every time: after a fork, another thread is the main one. The module is never freed.
    static const nb::handle main_thread =
        nb::object(nb::module_::import_("threading").attr("main_thread")).release();
    return nb::cast<unsigned long>(main_thread().attr("ident")) == PyThread_get_thread_ident();
}

nb::typed<nb::tuple, nb::any, nb::ellipsis> to_tuple(const Chain& chain) {
    nb::list steps;
    for (const ChainStep& step : chain.steps)
        steps.append(
            nb::make_tuple(step.path, step.equation, step.left_to_right, step.values, step.result));
    return nb::make_tuple(chain.heads, chain.args, chain.start, steps);
}

void bind_problems(nb::module_& m) {
    nb::class_<StopFlag>(m, "Stop",
                         "A flag that ends native work, set by another thread or a signal handler; "
                         "it can be used for many calls.")
        .def(nb::new_([] { return std::make_shared<StopFlag>(); }))
        .def("set", &StopFlag::set)
        .def("clear", &StopFlag::clear)
        .def("is_set", &StopFlag::is_set);

    nb::class_<Rules>(m, "Rules")
        .def(nb::new_(&make_rules), "arity"_a, "constructor"_a, "actions"_a, "goal"_a, "equality"_a,
             "enter_leaves"_a, "no_repeats"_a)
        .def_prop_ro("actions", [](const Rules& rules) { return rules.actions.size(); });

    using Pairs = std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>>;
    nb::class_<Problems>(m, "Problems")
        .def(nb::new_([](std::shared_ptr<Rules> rules, Pairs pairs) {
                 std::vector<Problem> problems;
                 problems.reserve(pairs.size());
                 for (auto& [start, target] : pairs)
                     problems.push_back({std::move(start), std::move(target)});
                 return std::make_shared<Problems>(std::move(rules), std::move(problems));
             }),
             "rules"_a, "problems"_a)
        .def("__len__", &Problems::size);
}

}  // namespace threesil

NB_MODULE(_native, m) {
    using namespace threesil;
    nb::set_leak_warnings(false);  // compiled theories live as long as the interpreter
    m.doc() = "threesil's native core; use it through threesil.engine";
    static nb::handle stopped = PyErr_NewExceptionWithDoc(
        "threesil._native.Stopped", "Native work ended because its stop flag was set.", nullptr,
        nullptr);
    m.attr("Stopped") = stopped;
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const IllegalAction& e) {
            PyErr_Format(PyExc_ValueError, "illegal action %u in slot %zu", e.action, e.slot);
        } catch (const nb::cast_error&) {
            PyErr_SetString(PyExc_TypeError, "an argument has a part of another type");
        } catch (const std::length_error&) {  // a list longer than any memory
            PyErr_NoMemory();
        } catch (const Ended&) {
            PyErr_SetString(stopped.ptr(), "stopped");
        }
    });
    bind_problems(m);
    bind_network(m);
    bind_search(m);
    bind_batch(m);
    bind_selection(m);
    bind_completion(m);
    bind_laws(m);
    bind_tables(m);
}
