#include "bindings.hpp"
#include "gate.hpp"
#include "tables.hpp"

namespace threesil {

namespace {

using Pairs = std::vector<std::pair<TableSearch::Codes, TableSearch::Codes>>;

struct Tables {
    TableSearch search;
    Gate gate;
};
constexpr const char* kName = "a search for tables";

}  // namespace

void bind_tables(nb::module_& m) {
    nb::class_<Tables>(m, "TableSearch")
        .def(nb::new_([](uint32_t elements, std::vector<uint8_t> arity, const Pairs& equations,
                         const Pairs& differ, uint32_t goal, uint64_t laws) {
                 return std::unique_ptr<Tables>(new Tables{
                     TableSearch(elements, std::move(arity), equations, differ, goal, laws),
                     Gate()});
             }),
             "elements"_a, "arity"_a, "equations"_a, "differ"_a, "goal"_a, "laws"_a)
        .def_prop_ro("fits", [](const Tables& t) { return t.search.fits(); })
        .def_prop_ro("offsets", [](const Tables& t) { return t.search.offsets(); })
        .def(
            "search",
            [](Tables& t, const In<int8_t>& given, uint64_t nodes, double seconds,
               const Stop& stop) {
                const Gate::Use use(t.gate, kName);
                const std::span<const int8_t> cells = view(given);
                if (!t.search.fits() || cells.size() != t.search.offsets().back())
                    throw std::invalid_argument("a value for each cell, or -1");
                for (const int8_t cell : cells)
                    if (cell < -1 || cell >= static_cast<int8_t>(t.search.elements()))
                        throw std::invalid_argument("a value that is no element");
                const Status status = controlled(stop, seconds, [&](Control& control) {
                    try {
                        return t.search.search(cells, nodes, control);
                    } catch (const Ended& ended) {
                        return ended.status;
                    }
                });
                return nb::typed<nb::tuple, nb::any, nb::ellipsis>(
                    nb::make_tuple(static_cast<int>(status), t.search.nodes(),
                                   owned(std::vector<int8_t>(t.search.table()))));
            },
            "given"_a.noconvert(), "nodes"_a, "seconds"_a, "stop"_a.none(),
            "(status, values tried, cells): looks for tables that agree with those given.");
}

}  // namespace threesil
