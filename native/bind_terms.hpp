// Terms of completion on their way in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flat.hpp"

namespace threesil {

// A term from codes: a symbol's number, or ~index of a variable.
Flat to_flat(std::span<const int32_t> codes, const std::vector<uint8_t>& arity, bool ground);

// Refuses what does not fit the symbols: scaffolding is given for all of them or for none.
void check_symbols(const std::vector<uint8_t>& arity, const std::vector<uint8_t>& scaffolding,
                   int32_t equals);

}  // namespace threesil
