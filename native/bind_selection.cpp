#include "bind_terms.hpp"
#include "bindings.hpp"
#include "selection.hpp"

namespace threesil {

namespace {

using Codes = std::vector<int32_t>;
using Pairs = std::vector<std::pair<Codes, Codes>>;
constexpr uint32_t kMostTurns = 1'000'000;
constexpr const char* kName = "selection";

std::shared_ptr<Selection> make_selection(const std::vector<uint8_t>& arity,
                                          const std::vector<uint32_t>& weight,
                                          const std::vector<uint32_t>& rank, const Pairs& equations,
                                          const std::pair<Codes, Codes>& goal,
                                          const std::vector<uint8_t>& scaffolding, int32_t equals,
                                          std::shared_ptr<PairNet> net, uint32_t turns,
                                          uint64_t seed, bool record) {
    check_symbols(arity, scaffolding, equals);
    if (turns > kMostTurns) throw std::invalid_argument("too many turns");
    std::shared_ptr<Selection> result(
        new Selection{Order(arity, weight, rank),
                      {},
                      {},
                      std::move(net),
                      turns,
                      seed,
                      record ? std::make_shared<PairRecord>() : nullptr,
                      {}});
    PairContext& context = result->context;
    const auto flat = [&](const Codes& codes) {
        return codes.empty() ? Flat() : to_flat(codes, arity, false);
    };
    for (const auto& [lhs, rhs] : equations) context.axioms.emplace_back(flat(lhs), flat(rhs));
    context.goal = {flat(goal.first), flat(goal.second)};
    context.scaffolding = scaffolding;
    result->by_size.equals = equals;
    return result;
}

// Calls each(pair, its index) for the pairs of a row.
template <typename Each>
void for_pairs(const Selection& selection, const In<int32_t>& codes, const In<uint64_t>& ends,
               const In<uint32_t>& depths, const Each& each) {
    if (ends.shape(0) != 2 * depths.shape(0))
        throw std::invalid_argument("a pair has two ends and a depth");
    SizeScorer by_size(selection.by_size);
    uint64_t begin = 0;
    Flat sides[2];
    for (size_t i = 0; i < ends.shape(0); ++i) {
        const uint64_t end = ends.data()[i];
        if (end < begin || end > codes.shape(0)) throw std::invalid_argument("ends out of order");
        sides[i % 2] =
            to_flat(view(codes).subspan(begin, end - begin), selection.order.arity(), false);
        begin = end;
        if (i % 2 == 0) continue;
        ScoredPair pair{sides[0], sides[1], depths.data()[i / 2], 0};
        pair.size = by_size.score(pair);
        each(pair, i / 2);
    }
}

}  // namespace

void bind_selection(nb::module_& m) {
    nb::class_<PairNet>(m, "PairNet")
        .def(
            "__init__",
            [](PairNet* self, uint32_t size, uint32_t hidden, In<float> parameters) {
                PairNet net({size, hidden});
                net.load(view(parameters));
                new (self) PairNet(std::move(net));
            },
            "size"_a, "hidden"_a, "parameters"_a.noconvert());
    m.attr("PAIR_FEATURES") = PairFeatures::kCount;
    m.attr("PAIR_MARKS") = PairFeatures::kMarks;
    nb::class_<Selection>(m, "Selection")
        .def(nb::new_(&make_selection), "arity"_a, "weight"_a, "rank"_a, "equations"_a, "goal"_a,
             "scaffolding"_a, "equals"_a, "net"_a.none(), "turns"_a, "seed"_a, "record"_a)
        .def(
            "features",
            [](Selection& selection, In<int32_t> codes, In<uint64_t> ends, In<uint32_t> depths,
               Out<float, 2> out, Out<uint8_t, 1> swapped) {
                const Gate::Use use(selection.gate, kName);
                if (out.shape(0) != depths.shape(0) || out.shape(1) != PairFeatures::kCount ||
                    swapped.shape(0) != depths.shape(0))
                    throw std::invalid_argument("features: (pairs, features) and (pairs)");
                PairFeatures features(selection.order, selection.context);
                for_pairs(selection, codes, ends, depths, [&](const ScoredPair& pair, size_t i) {
                    features.describe(pair, out.data() + i * PairFeatures::kCount);
                    swapped.data()[i] = features.swapped();
                });
            },
            "codes"_a.noconvert(), "ends"_a.noconvert(), "depths"_a.noconvert(),
            "out"_a.noconvert(), "swapped"_a.noconvert(),
            "The features of pairs in a row, and whether the right side is the larger.")
        .def(
            "judge",
            [](Selection& selection, In<int32_t> codes, In<uint64_t> ends, In<uint32_t> depths,
               Out<float, 1> out) {
                const Gate::Use use(selection.gate, kName);
                if (!selection.net) throw std::invalid_argument("there is no network");
                if (out.shape(0) != depths.shape(0)) throw std::invalid_argument("judge: (pairs)");
                NetScorer scorer(selection.order, selection.context, selection.net, selection.seed);
                for_pairs(selection, codes, ends, depths, [&](const ScoredPair& pair, size_t i) {
                    out.data()[i] = scorer.judge(pair);
                });
            },
            "codes"_a.noconvert(), "ends"_a.noconvert(), "depths"_a.noconvert(),
            "out"_a.noconvert(), "What the network says about pairs that are given in a row.")
        .def(
            "marks",
            [](Selection& selection, Out<float, 2> out) {
                const Gate::Use use(selection.gate, kName);
                const size_t symbols = selection.order.arity().size();
                if (out.shape(0) != symbols + 1 || out.shape(1) != PairFeatures::kMarks)
                    throw std::invalid_argument("marks: (symbols + 1, marks)");
                const PairFeatures features(selection.order, selection.context);
                for (size_t f = 0; f <= symbols; ++f)
                    features.mark(f < symbols ? Cell{static_cast<int32_t>(f), 1} : var_cell(0),
                                  out.data() + f * PairFeatures::kMarks);
            },
            "out"_a.noconvert(), "The marks of the symbols, and last of a variable.")
        .def(
            "vector",
            [](Selection& selection, int32_t code) {
                const Gate::Use use(selection.gate, kName);
                if (!selection.net || code >= static_cast<int32_t>(selection.order.arity().size()))
                    throw std::invalid_argument("no network or no such symbol");
                const NetScorer scorer(selection.order, selection.context, selection.net,
                                       selection.seed);
                return owned(scorer.vector({code, 1}));
            },
            "code"_a, "The random numbers and marks of a symbol or ~variable.")
        .def(
            "recorded",
            [](Selection& selection) {
                const Gate::Use use(selection.gate, kName);
                if (!selection.record) throw std::invalid_argument("nothing was to be recorded");
                const PairRecord& record = *selection.record;
                return nb::typed<nb::tuple, nb::any, nb::ellipsis>(
                    nb::make_tuple(owned(record.codes), owned(record.ends), owned(record.depths),
                                   owned(record.numbers)));
            },
            "(codes, ends, depths, numbers) of the pairs that were scored.");
}

}  // namespace threesil
