// Small dense matrix products, single precision, row-major.
//
// Columns come in multiples of kLanes, and buffers have room for rows in multiples of kRows. Each
// element is summed in the same order whatever the number of rows, so a row's result does not
// depend on the batch it is computed in.
#pragma once

#include <cstddef>

namespace threesil {

inline constexpr size_t kLanes = 16;
inline constexpr size_t kRows = 4;

inline size_t padded_rows(size_t rows) { return (rows + kRows - 1) / kRows * kRows; }
inline size_t padded_columns(size_t columns) { return (columns + kLanes - 1) / kLanes * kLanes; }

// y (rows x out) = x (rows x in) w (in x out) + bias, then max(0, .) if `relu`. bias may be null.
void multiply(const float* x, const float* w, const float* bias, float* y, size_t rows, size_t in,
              size_t out, bool relu);

// w (in x out) += transpose of x (rows x in) times y (rows x out); `in` in multiples of kRows.
void add_outer(const float* x, const float* y, float* w, size_t rows, size_t in, size_t out);

// y (out) += x (in) w (in x out): one row, no room for more needed.
void add_row(const float* x, const float* w, float* y, size_t in, size_t out);

}  // namespace threesil
