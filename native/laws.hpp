// Equations evaluated in finite interpretations, many of them in many.
//
// An interpretation has the elements 0 ... size - 1 and a table for each symbol: row-major, those
// of all symbols one behind the other. A law is compiled to a straight program: its variables
// and operations have a slot each; an operation is done again only where a variable below it, in
// the order of the odometer, has changed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "control.hpp"

namespace threesil {

// `unknown`: there are too many values to look at.
enum class Holds : uint8_t { no, yes, unknown };

struct Interpretation {
    uint32_t size;
    std::vector<uint8_t> tables;
    std::vector<size_t> starts;  // of each symbol's table
};

class Laws {
   public:
    using Codes = std::vector<int32_t>;  // prefix: a symbol's number, or ~index of a variable

    // No more than `values` assignments of a law are looked at.
    Laws(std::vector<uint8_t> arity, uint64_t values);

    void add_law(const Codes& lhs, const Codes& rhs);
    // Throws std::invalid_argument if the tables are not those of the symbols.
    void add_model(uint32_t size, std::span<const uint8_t> tables);

    size_t laws() const { return laws_.size(); }
    size_t models() const { return models_.size(); }

    Holds holds(size_t law, size_t model, Control& control) const;
    // The first model from `first` on, and before `last`, in which one law holds and the other
    // fails; `last` if there is none.
    size_t refuting(size_t law, size_t other, size_t first, size_t last, Control& control) const;
    // The variables, in order of first occurrence, for which a law fails in a model where it does.
    std::vector<uint8_t> failing(size_t law, size_t model, Control& control) const;
    // Bit l of a row, in bytes, the highest first: whether law l holds, and whether it fails.
    void rows(size_t model, std::span<uint8_t> hold, std::span<uint8_t> fail,
              Control& control) const;

   private:
    struct Operation {
        uint32_t symbol, first, count, result;  // arguments `first` ... in `arguments`
    };
    struct Law {
        std::vector<Operation> operations;  // by the last variable below each
        std::vector<uint32_t> arguments;    // slots
        std::vector<uint32_t> from;         // the first operation above each variable
        uint32_t variables, slots, left, right;
    };

    uint32_t compile(Law& law, const Codes& codes, size_t& at, std::vector<int32_t>& names,
                     std::vector<uint32_t>& level) const;
    Holds evaluate(const Law& law, const Interpretation& in, std::vector<uint8_t>& slots,
                   Control& control) const;

    const std::vector<uint8_t> arity_;
    const uint64_t values_;
    std::vector<Law> laws_;
    std::vector<Interpretation> models_;
};

}  // namespace threesil
