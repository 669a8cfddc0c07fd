#include "laws.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <stdexcept>

namespace threesil {

namespace {

constexpr uint32_t kLargest = 255;              // elements
constexpr uint64_t kCells = uint64_t{1} << 24;  // of all tables of a model
constexpr uint64_t kPiece = 1024;               // assignments between two looks at the control

// size^exponent, or a number above `most`.
uint64_t power(uint64_t size, uint64_t exponent, uint64_t most) {
    uint64_t result = 1;
    for (; exponent > 0 && result <= most; --exponent) result *= size;
    return result;
}

}  // namespace

Laws::Laws(std::vector<uint8_t> arity, uint64_t values)
    : arity_(std::move(arity)), values_(values) {}

// The slot of the term that begins at codes[at]; variables have theirs before all operations.
uint32_t Laws::compile(Law& law, const Codes& codes, size_t& at, std::vector<int32_t>& names,
                       std::vector<uint32_t>& level) const {
    struct Open {
        uint32_t symbol;
        std::vector<uint32_t> arguments;
    };
    std::vector<Open> open;
    for (;;) {
        if (at == codes.size()) throw std::invalid_argument("a term without its end");
        const int32_t code = codes[at++];
        uint32_t slot;
        if (code < 0) {
            slot =
                static_cast<uint32_t>(std::find(names.begin(), names.end(), code) - names.begin());
            assert(slot < names.size());
        } else {
            if (static_cast<size_t>(code) >= arity_.size())
                throw std::invalid_argument("no such symbol");
            open.push_back({static_cast<uint32_t>(code), {}});
            slot = std::numeric_limits<uint32_t>::max();
        }
        // What is complete becomes an argument of what is open around it.
        for (;;) {
            if (slot != std::numeric_limits<uint32_t>::max()) {
                if (open.empty()) return slot;
                open.back().arguments.push_back(slot);
            }
            if (open.back().arguments.size() < arity_[open.back().symbol]) break;
            const Open done = std::move(open.back());
            open.pop_back();
            slot = static_cast<uint32_t>(level.size());
            uint32_t highest = 0;
            for (const uint32_t argument : done.arguments)
                highest = std::max(highest, level[argument]);
            level.push_back(highest);
            law.operations.push_back({done.symbol, static_cast<uint32_t>(law.arguments.size()),
                                      static_cast<uint32_t>(done.arguments.size()), slot});
            law.arguments.insert(law.arguments.end(), done.arguments.begin(), done.arguments.end());
        }
    }
}

void Laws::add_law(const Codes& lhs, const Codes& rhs) {
    Law law{};
    std::vector<int32_t> names;
    for (const Codes* side : {&lhs, &rhs})
        for (const int32_t code : *side)
            if (code < 0 && std::find(names.begin(), names.end(), code) == names.end())
                names.push_back(code);
    law.variables = static_cast<uint32_t>(names.size());
    // The level of a slot: the number of the variables up to the last one below it.
    std::vector<uint32_t> level(names.size());
    for (uint32_t v = 0; v < law.variables; ++v) level[v] = v + 1;
    for (uint32_t* side : {&law.left, &law.right}) {
        size_t at = 0;
        const Codes& codes = side == &law.left ? lhs : rhs;
        *side = compile(law, codes, at, names, level);
        if (at != codes.size()) throw std::invalid_argument("codes behind the end of a term");
    }
    std::stable_sort(
        law.operations.begin(), law.operations.end(),
        [&](const Operation& a, const Operation& b) { return level[a.result] < level[b.result]; });
    for (uint32_t v = 0; v < law.variables; ++v)
        law.from.push_back(static_cast<uint32_t>(
            std::find_if(law.operations.begin(), law.operations.end(),
                         [&](const Operation& o) { return level[o.result] > v; }) -
            law.operations.begin()));
    law.slots = static_cast<uint32_t>(level.size());
    laws_.push_back(std::move(law));
}

void Laws::add_model(uint32_t size, std::span<const uint8_t> tables) {
    if (size < 1 || size > kLargest) throw std::invalid_argument("a model has 1 to 255 elements");
    uint64_t cells = 0;
    std::vector<size_t> starts;
    for (const uint8_t arity : arity_) {
        starts.push_back(cells);
        cells += power(size, arity, kCells);
        if (cells > kCells) throw std::invalid_argument("the tables are too large");
    }
    if (cells != tables.size()) throw std::invalid_argument("tables of another length");
    if (std::any_of(tables.begin(), tables.end(), [&](uint8_t value) { return value >= size; }))
        throw std::invalid_argument("a value that is no element");
    models_.push_back({size, {tables.begin(), tables.end()}, std::move(starts)});
}

Holds Laws::evaluate(const Law& law, const Interpretation& in, std::vector<uint8_t>& slots,
                     Control& control) const {
    const uint32_t n = in.size;
    slots.assign(law.slots, 0);
    if (power(n, law.variables, values_) > values_) return Holds::unknown;
    uint8_t* const value = slots.data();
    size_t first = 0;
    uint64_t looked = 0;
    for (;;) {
        for (size_t o = first; o < law.operations.size(); ++o) {
            const Operation& operation = law.operations[o];
            const uint32_t* const arguments = law.arguments.data() + operation.first;
            size_t place = 0;
            if (operation.count == 2) [[likely]]
                place = value[arguments[0]] * n + value[arguments[1]];
            else
                for (uint32_t k = 0; k < operation.count; ++k)
                    place = place * n + value[arguments[k]];
            value[operation.result] = in.tables[in.starts[operation.symbol] + place];
        }
        if (value[law.left] != value[law.right]) return Holds::no;
        uint32_t v = law.variables;
        for (;;) {  // the odometer: the last variable is the fastest
            if (v == 0) return Holds::yes;
            --v;
            if (++value[v] < n) break;
            value[v] = 0;
        }
        first = law.from[v];
        if (++looked % kPiece == 0) control.spend(kPiece / 16);
    }
}

Holds Laws::holds(size_t law, size_t model, Control& control) const {
    std::vector<uint8_t> slots;
    return evaluate(laws_.at(law), models_.at(model), slots, control);
}

size_t Laws::refuting(size_t law, size_t other, size_t first, size_t last, Control& control) const {
    last = std::min(last, models_.size());
    std::vector<uint8_t> slots;
    const Law &one = laws_.at(law), &two = laws_.at(other);
    for (size_t m = first; m < last; ++m) {
        control.spend();
        if (evaluate(one, models_[m], slots, control) == Holds::yes &&
            evaluate(two, models_[m], slots, control) == Holds::no)
            return m;
    }
    return last;
}

std::vector<uint8_t> Laws::failing(size_t law, size_t model, Control& control) const {
    std::vector<uint8_t> slots;
    if (evaluate(laws_.at(law), models_.at(model), slots, control) != Holds::no)
        throw std::invalid_argument("the law does not fail there");
    slots.resize(laws_[law].variables);
    return slots;
}

void Laws::rows(size_t model, std::span<uint8_t> hold, std::span<uint8_t> fail,
                Control& control) const {
    assert(hold.size() * 8 >= laws_.size() && fail.size() == hold.size());
    std::fill(hold.begin(), hold.end(), 0);
    std::fill(fail.begin(), fail.end(), 0);
    std::vector<uint8_t> slots;
    for (size_t l = 0; l < laws_.size(); ++l) {
        control.spend();
        const Holds found = evaluate(laws_[l], models_.at(model), slots, control);
        const auto bit = static_cast<uint8_t>(128 >> (l % 8));
        if (found == Holds::yes) hold[l / 8] |= bit;
        if (found == Holds::no) fail[l / 8] |= bit;
    }
}

}  // namespace threesil
