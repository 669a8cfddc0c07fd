#include "bindings.hpp"
#include "gate.hpp"
#include "laws.hpp"

namespace threesil {

namespace {

struct GuardedLaws {
    GuardedLaws(std::vector<uint8_t> arity, uint64_t values) : laws(std::move(arity), values) {}

    // That there is the law, and so many models from this one on.
    void check(size_t law, size_t model, size_t count = 0) const {
        if (law >= laws.laws() || model > laws.models() || count > laws.models() - model)
            throw std::invalid_argument("no such law or model");
    }

    Laws laws;
    Gate gate;
};
constexpr const char* kName = "set of laws";

}  // namespace

void bind_laws(nb::module_& m) {
    nb::class_<GuardedLaws>(m, "Laws",
                            "Equations, and interpretations in which they are evaluated.")
        .def(nb::new_([](std::vector<uint8_t> arity, uint64_t values,
                         const std::vector<std::pair<Laws::Codes, Laws::Codes>>& laws) {
                 if (arity.size() > 256) throw std::invalid_argument("at most 256 symbols");
                 auto guarded = std::make_unique<GuardedLaws>(std::move(arity), values);
                 for (const auto& [lhs, rhs] : laws) guarded->laws.add_law(lhs, rhs);
                 return guarded;
             }),
             "arity"_a, "values"_a, "laws"_a)
        .def_prop_ro("models",
                     [](GuardedLaws& guarded) {
                         const Gate::Read read(guarded.gate, kName);
                         return guarded.laws.models();
                     })
        .def(
            "add",
            [](GuardedLaws& guarded, uint32_t size, In<uint8_t> tables) {
                const Gate::Use use(guarded.gate, kName);
                guarded.laws.add_model(size, view(tables));
            },
            "size"_a, "tables"_a.noconvert())
        .def(
            "refuting",
            [](GuardedLaws& guarded, size_t law, size_t other, size_t first, size_t last,
               double seconds, const Stop& stop) {
                const Gate::Read read(guarded.gate, kName);
                guarded.check(law, first);
                guarded.check(other, first);
                return controlled(stop, seconds, [&](Control& control) {
                    try {
                        return guarded.laws.refuting(law, other, first, last, control);
                    } catch (const Ended& ended) {
                        if (ended.status != Status::seconds) throw;
                        return last;
                    }
                });
            },
            "law"_a, "other"_a, "first"_a, "last"_a, "seconds"_a, "stop"_a.none(),
            "The first of these models in which one law holds and the other fails; the last if "
            "there is none, or time is up.")
        .def(
            "failing",
            [](GuardedLaws& guarded, size_t law, size_t model, const Stop& stop) {
                const Gate::Read read(guarded.gate, kName);
                guarded.check(law, model, 1);
                return controlled(stop, Control::kForever, [&](Control& control) {
                    return guarded.laws.failing(law, model, control);
                });
            },
            "law"_a, "model"_a, "stop"_a.none(), "Values for which a law fails.")
        .def(
            "rows",
            [](GuardedLaws& guarded, size_t first, Out<uint8_t, 2> hold, Out<uint8_t, 2> fail,
               const Stop& stop) {
                const Gate::Read read(guarded.gate, kName);
                const size_t count = hold.shape(0), bytes = hold.shape(1);
                guarded.check(0, first, count);
                if (fail.shape(0) != count || fail.shape(1) != bytes ||
                    bytes != (guarded.laws.laws() + 7) / 8)
                    throw std::invalid_argument("rows of another shape");
                controlled(stop, Control::kForever, [&](Control& control) {
                    for (size_t k = 0; k < count; ++k)
                        guarded.laws.rows(first + k, {hold.data() + k * bytes, bytes},
                                          {fail.data() + k * bytes, bytes}, control);
                });
            },
            "first"_a, "hold"_a.noconvert(), "fail"_a.noconvert(), "stop"_a.none(),
            "Which laws hold, and which fail, in so many models from the first on.");
}

}  // namespace threesil
