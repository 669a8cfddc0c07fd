// Terms as rows of cells, in prefix order: what completion rewrites.
//
// A cell is a symbol of the signature, or a variable (~index, negative), and the length of the
// subterm that begins with it. Such terms are copied, spliced and compared fast, and they need no
// table that grows with all that was ever looked at.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace threesil {

struct Cell {
    int32_t symbol;
    uint32_t length;
};

using Flat = std::vector<Cell>;
using FlatView = std::span<const Cell>;

inline bool is_var(Cell cell) { return cell.symbol < 0; }
inline uint32_t var_of(Cell cell) { return static_cast<uint32_t>(~cell.symbol); }
inline Cell var_cell(uint32_t index) { return {~static_cast<int32_t>(index), 1}; }

inline FlatView subterm(FlatView term, size_t at) { return term.subspan(at, term[at].length); }

inline bool same(FlatView a, FlatView b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i].symbol != b[i].symbol) return false;
    return true;
}

// Sets the lengths of a row whose symbols are right.
inline void measure(Flat& term, const std::vector<uint8_t>& arity) {
    for (size_t i = term.size(); i-- > 0;) {
        size_t end = i + 1;
        if (!is_var(term[i]))
            for (uint32_t k = 0; k < arity[static_cast<size_t>(term[i].symbol)]; ++k) {
                assert(end < term.size());
                end += term[end].length;
            }
        term[i].length = static_cast<uint32_t>(end - i);
    }
    assert(term.empty() || term[0].length == term.size());
}

// 1 + the largest index of a variable.
inline uint32_t variables_of(FlatView term) {
    uint32_t bound = 0;
    for (const Cell cell : term)
        if (is_var(cell) && var_of(cell) >= bound) bound = var_of(cell) + 1;
    return bound;
}

// Values of variables: parts of other terms. An empty view is no value.
using FlatBindings = std::vector<FlatView>;

using FlatValues = std::span<const FlatView>;

// Appends the instance of a pattern; variables without a value become `filler`.
inline void append_instance(FlatView pattern, FlatValues values, Cell filler, Flat& out) {
    for (const Cell cell : pattern) {
        if (!is_var(cell)) {
            out.push_back(cell);
        } else if (var_of(cell) < values.size() && !values[var_of(cell)].empty()) {
            const FlatView value = values[var_of(cell)];
            out.insert(out.end(), value.begin(), value.end());
        } else {
            out.push_back(filler);
        }
    }
}

// The values under which a pattern is a term; false if there are none.
inline bool match_flat(FlatView pattern, FlatView term, FlatBindings& values) {
    size_t at = 0;
    for (const Cell cell : pattern) {
        if (at >= term.size()) return false;
        if (is_var(cell)) {
            const FlatView part = subterm(term, at);
            if (var_of(cell) >= values.size()) values.resize(var_of(cell) + 1);
            FlatView& value = values[var_of(cell)];
            if (value.empty())
                value = part;
            else if (!same(value, part))
                return false;
            at += part.size();
        } else if (term[at].symbol == cell.symbol) {
            ++at;
        } else {
            return false;
        }
    }
    return at == term.size();
}

}  // namespace threesil
