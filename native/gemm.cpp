#include "gemm.hpp"

#include <cassert>
#include <cstring>

// One portable binary that uses the widest vectors of the processor it runs on, where the loader
// can choose among several versions of a function: with GCC and its C library.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(THREESIL_SANITIZE)
#define THREESIL_CLONES \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define THREESIL_CLONES
#endif

namespace threesil {

namespace {

using Lanes = float __attribute__((vector_size(kLanes * sizeof(float)), aligned(4)));

// Four rows and kLanes columns: sum[i] += a[i * a_row + k * a_column] * b[k], k below `inner`.
[[gnu::always_inline]] inline void block(const float* a, size_t a_row, size_t a_column,
                                         const float* b, size_t b_row, size_t inner, Lanes* sum) {
    Lanes s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    for (size_t k = 0; k < inner; ++k) {
        Lanes w;
        std::memcpy(&w, b + k * b_row, sizeof w);
        const float* x = a + k * a_column;
        s0 += w * x[0];
        s1 += w * x[a_row];
        s2 += w * x[2 * a_row];
        s3 += w * x[3 * a_row];
    }
    sum[0] = s0;
    sum[1] = s1;
    sum[2] = s2;
    sum[3] = s3;
}

}  // namespace

THREESIL_CLONES
void multiply(const float* x, const float* w, const float* bias, float* y, size_t rows, size_t in,
              size_t out, bool relu) {
    assert(out % kLanes == 0);
    for (size_t r = 0; r < rows; r += kRows)
        for (size_t c = 0; c < out; c += kLanes) {
            Lanes sum[kRows];
            for (auto& s : sum) {
                if (bias)
                    std::memcpy(&s, bias + c, sizeof s);
                else
                    s = Lanes{};
            }
            block(x + r * in, in, 1, w + c, out, in, sum);
            for (size_t i = 0; i < kRows; ++i) {
                if (relu) sum[i] = sum[i] > 0.0f ? sum[i] : Lanes{};
                std::memcpy(y + (r + i) * out + c, &sum[i], sizeof sum[i]);
            }
        }
}

THREESIL_CLONES
void add_outer(const float* x, const float* y, float* w, size_t rows, size_t in, size_t out) {
    assert(in % kRows == 0 && out % kLanes == 0);
    for (size_t i = 0; i < in; i += kRows)
        for (size_t c = 0; c < out; c += kLanes) {
            Lanes sum[kRows];
            for (size_t k = 0; k < kRows; ++k)
                std::memcpy(&sum[k], w + (i + k) * out + c, sizeof sum[k]);
            block(x + i, 1, in, y + c, out, rows, sum);
            for (size_t k = 0; k < kRows; ++k)
                std::memcpy(w + (i + k) * out + c, &sum[k], sizeof sum[k]);
        }
}

THREESIL_CLONES
void add_row(const float* x, const float* w, float* y, size_t in, size_t out) {
    assert(out % kLanes == 0);
    for (size_t c = 0; c < out; c += kLanes) {
        Lanes sum;
        std::memcpy(&sum, y + c, sizeof sum);
        for (size_t k = 0; k < in; ++k) {
            Lanes row;
            std::memcpy(&row, w + k * out + c, sizeof row);
            sum += row * x[k];
        }
        std::memcpy(y + c, &sum, sizeof sum);
    }
}

}  // namespace threesil
