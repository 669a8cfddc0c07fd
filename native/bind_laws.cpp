#include "bindings.hpp"
#include "gate.hpp"
#include "laws.hpp"

namespace threesil {

namespace {

struct Shelf {
    Shelf(std::vector<uint8_t> arity, uint64_t values) : laws(std::move(arity), values) {}

    // That there is the law, and so many models from this one on.
    void check(size_t law, size_t model, size_t count = 0) const {
        if (law >= laws.laws() || model > laws.models() || count > laws.models() - model)
            throw std::invalid_argument("no such law or model");
    }

    Laws laws;
    Gate gate;
};
constexpr const char* kName = "shelf of laws";

}  // namespace

void bind_laws(nb::module_& m) {
    nb::class_<Shelf>(m, "Laws", "Equations, and interpretations in which they are evaluated.")
        .def(nb::new_([](std::vector<uint8_t> arity, uint64_t values,
                         const std::vector<std::pair<Laws::Codes, Laws::Codes>>& laws) {
                 if (arity.size() > 256) throw std::invalid_argument("at most 256 symbols");
                 auto shelf = std::make_unique<Shelf>(std::move(arity), values);
                 for (const auto& [lhs, rhs] : laws) shelf->laws.add_law(lhs, rhs);
                 return shelf;
             }),
             "arity"_a, "values"_a, "laws"_a)
        .def_prop_ro("models",
                     [](Shelf& shelf) {
                         const Gate::Read read(shelf.gate, kName);
                         return shelf.laws.models();
                     })
        .def(
            "add",
            [](Shelf& shelf, uint32_t size, In<uint8_t> tables) {
                const Gate::Use use(shelf.gate, kName);
                shelf.laws.add_model(size, view(tables));
            },
            "size"_a, "tables"_a.noconvert())
        .def(
            "refuting",
            [](Shelf& shelf, size_t law, size_t other, size_t first, size_t last, double seconds,
               const Stop& stop) {
                const Gate::Read read(shelf.gate, kName);
                shelf.check(law, first);
                shelf.check(other, first);
                return controlled(stop, seconds, [&](Control& control) {
                    try {
                        return shelf.laws.refuting(law, other, first, last, control);
                    } catch (const Ended& ended) {
                        if (ended.status != Status::seconds) throw;
                        return last;
                    }
                });
            },
            "law"_a, "other"_a, "first"_a, "last"_a, "seconds"_a, "stop"_a.none(),
            "The first of these models in which one law holds and the other fails; the last if "
            "there "
            "is none, or time is up.")
        .def(
            "failing",
            [](Shelf& shelf, size_t law, size_t model, const Stop& stop) {
                const Gate::Read read(shelf.gate, kName);
                shelf.check(law, model, 1);
                return controlled(stop, Control::kForever, [&](Control& control) {
                    return shelf.laws.failing(law, model, control);
                });
            },
            "law"_a, "model"_a, "stop"_a.none(), "Values for which a law fails.")
        .def(
            "rows",
            [](Shelf& shelf, size_t first, Out<uint8_t, 2> hold, Out<uint8_t, 2> fail,
               const Stop& stop) {
                const Gate::Read read(shelf.gate, kName);
                const size_t count = hold.shape(0), bytes = hold.shape(1);
                shelf.check(0, first, count);
                if (fail.shape(0) != count || fail.shape(1) != bytes ||
                    bytes != (shelf.laws.laws() + 7) / 8)
                    throw std::invalid_argument("rows of another shape");
                controlled(stop, Control::kForever, [&](Control& control) {
                    for (size_t k = 0; k < count; ++k)
                        shelf.laws.rows(first + k, {hold.data() + k * bytes, bytes},
                                        {fail.data() + k * bytes, bytes}, control);
                });
            },
            "first"_a, "hold"_a.noconvert(), "fail"_a.noconvert(), "stop"_a.none(),
            "Which laws hold, and which fail, in so many models from the first on.");
}

}  // namespace threesil
