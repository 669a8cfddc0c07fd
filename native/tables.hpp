// Finite models by backtracking: tables with n elements in which equations hold and others fail.
//
// A *cell* is a place in the table of a symbol, f(a, b); it has a set of values that are still
// possible. A *law* is an equation, or a pair of terms that must differ, under one choice of values
// for its variables. Its two sides are evaluated as far as the tables go. Where one side has a
// value and the other is a cell, the cell gets that value, or loses it; otherwise the law waits for
// the cells at which its sides are stuck. When nothing follows any more, a cell is chosen and its
// values are tried; of the elements that nothing has mentioned yet one is enough (Zhang and Zhang:
// SEM 1995; McCune: Mace4 2003).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "control.hpp"

namespace threesil {

class TableSearch {
   public:
    using Codes = std::vector<int32_t>;  // prefix: a symbol's number, or ~index of a variable
    static constexpr uint32_t kMostElements = 32;

    // `differ`: pairs that are to differ for all values of their variables. The symbols from `goal`
    // on are constants that occur in these alone. Laws are not listed beyond `laws`: then `fits` is
    // false, and nothing is searched.
    TableSearch(uint32_t elements, std::vector<uint8_t> arity,
                const std::vector<std::pair<Codes, Codes>>& equations,
                const std::vector<std::pair<Codes, Codes>>& differ, uint32_t goal, uint64_t laws);

    bool fits() const { return fits_; }
    uint32_t elements() const { return n_; }
    // Where the table of each symbol begins; the last entry is the number of cells.
    const std::vector<uint32_t>& offsets() const { return offset_; }

    // Looks for tables that agree with `given` (-1: open), trying at most `nodes` values: proved
    // (then `table` has them), exhausted, expansions, or what the control says.
    Status search(std::span<const int8_t> given, uint64_t nodes, Control& control);
    const std::vector<int8_t>& table() const { return value_; }
    uint64_t nodes() const { return nodes_; }

   private:
    // A term in postfix order; a symbol comes after its arguments.
    struct Op {
        int32_t code;
        uint8_t arity;
    };
    struct Law {
        std::vector<Op> sides[2];
        uint32_t variables;
        uint64_t count;  // choices of values
        bool differ;
    };
    struct Instance {
        uint32_t law;
        uint32_t choice;  // the values of the variables, as digits in base n
    };
    // What evaluating a side comes to: a value, or the cell where it is stuck; `root`: the cell
    // is the side itself.
    struct Side {
        int32_t value;
        uint32_t cell;
        bool root;
    };
    struct Undo {
        enum Kind : uint8_t { assigned, domain, waiting, mentioned } kind;
        uint32_t cell;
        uint32_t before;
    };

    static constexpr uint32_t kMostVariables = 64;
    static constexpr uint64_t kMostLaws = uint64_t{1} << 31;  // numbers of 32 bits tell them apart
    static constexpr uint64_t kLight = 1500;  // instances of a law that is looked at early

    void reset();
    bool activate(uint32_t law, Control& control);
    void add_law(const std::pair<Codes, Codes>& sides, bool differ);
    Side evaluate(const std::vector<Op>& side) const;
    bool assign(uint32_t cell, uint32_t value);
    bool forbid(uint32_t cell, uint32_t value);
    bool look(uint32_t instance);
    bool propagate(Control& control);
    void wait(uint32_t cell, uint32_t instance);
    void mention(uint32_t element);
    void undo(size_t length);
    int64_t choose() const;

    uint32_t n_, goal_;
    std::vector<uint8_t> arity_;
    std::vector<uint32_t> offset_;
    std::vector<uint32_t> owner_;    // of a cell: its symbol
    std::vector<uint8_t> greatest_;  // of a cell: its greatest argument, 0 for a constant
    std::vector<Law> laws_;
    std::vector<Instance> instances_;
    std::vector<uint64_t> first_;  // of a law: its first instance
    bool fits_ = true, given_ = false;

    std::vector<int8_t> value_;
    std::vector<uint32_t> domain_;
    std::vector<std::vector<uint32_t>> waiting_;  // of a cell: instances
    std::vector<Undo> trail_;
    std::vector<uint32_t> queue_;  // cells that were assigned, for propagation
    uint32_t known_ = 0;           // elements below it have been mentioned
    uint64_t nodes_ = 0;
    mutable std::vector<uint32_t> stack_, choice_;
};

}  // namespace threesil
