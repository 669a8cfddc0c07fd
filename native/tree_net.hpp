// The tree network (paper, section 5): a small network for each symbol turns the vectors of the
// arguments into the vector of the term; a predictor turns the vector of a state into logits.
//
// A network is linear, ReLU, linear. Constants of the signature have vectors of their own. The
// problem's constants and the introduced variables have random vectors, drawn for each episode,
// that pass through the networks `constant` and `variable`. All parameters stand one after the
// other in one array: leaf vectors, networks by symbol, cursor, constant, variable, predictor.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "control.hpp"
#include "gate.hpp"
#include "random.hpp"
#include "rules.hpp"

namespace threesil {

struct NetShape {
    uint32_t size;    // n, of all vectors; a multiple of 16
    uint32_t hidden;  // of the predictor; a multiple of 16
    bool value;       // whether the predictor has a value head
};

// One linear layer inside the array of parameters, and padded copies for the products.
struct Linear {
    size_t weight, bias;  // offsets; weight is in x out
    size_t in, out;
    std::vector<float> w, b, wt;  // in x padded out; padded out; padded out x in

    size_t columns() const;  // padded out
    void load(const float* parameters);
    // Adds gradients for x -> dy (padded) to the array.
    void add_gradient(const float* x, const float* dy, size_t rows, float* gradient,
                      std::vector<float>& scratch, Control* control) const;
};

// Calls part(first row, rows) for few rows at a time, which changes no result (see gemm.hpp), and
// tells the control, if there is one. A row takes `work` multiplications.
template <typename Part>
void in_parts(size_t rows, size_t work, Control* control, const Part& part) {
    constexpr size_t kWork = 1 << 20, kPiece = 1 << 10;
    if (rows * work <= kWork) {
        part(size_t{0}, rows);
        if (control) control->spend(rows * work / kPiece);
        return;
    }
    const size_t most = std::max<size_t>(kWork / work / 4, 1) * 4;
    for (size_t first = 0; first < rows; first += most) {
        const size_t count = std::min(most, rows - first);
        part(first, count);
        if (control) control->spend(count * work / kPiece + 1);
    }
}

class TreeNet {
   public:
    TreeNet(std::vector<uint8_t> arity, uint32_t actions, NetShape shape);

    size_t parameters() const { return count_; }
    void load(std::span<const float> parameters);
    uint64_t version() const { return version_; }
    // Whether states of these rules can be read; `outputs`: one for each of their actions.
    bool fits(const Rules& rules, bool outputs = true) const;
    Gate gate;

    const NetShape& shape() const { return shape_; }
    size_t actions() const { return actions_; }
    size_t outputs() const { return third_.columns(); }

    // Networks: one for each symbol (unused for constants), then these two for random leaves.
    // The cursor is the last symbol of the signature.
    size_t networks() const { return first_.size(); }
    size_t constant_network() const { return arity_.size(); }
    size_t variable_network() const { return arity_.size() + 1; }
    size_t network_of(Head head) const;
    uint32_t arity_of(size_t network) const {
        return network < arity_.size() ? arity_[network] : 1;
    }
    bool is_leaf(size_t network) const { return network < arity_.size() && arity_[network] == 0; }
    const float* leaf(size_t network) const {
        assert(is_leaf(network));
        return leaves_.data() + network * shape_.size;
    }
    size_t leaf_offset(size_t network) const {
        assert(is_leaf(network));
        return leaf_offset_[network];
    }

    // Vectors of `rows` terms with the same network from their inputs (rows x arity n). `hidden`
    // keeps the middle layer (rows x n). All with room for padded rows.
    void embed(size_t network, const float* inputs, float* hidden, float* outputs, size_t rows,
               Control* control) const;
    // Logits (rows x outputs()) and values (rows, if any) from state vectors (rows x n);
    // h1, h2 keep the middle layers (rows x hidden).
    void predict(const float* states, float* h1, float* h2, float* logits, float* values,
                 size_t rows, Control* control) const;

    const Linear& first(size_t network) const { return first_[network]; }
    const Linear& second(size_t network) const { return second_[network]; }
    const Linear& predictor(size_t layer) const {
        return layer == 0 ? one_ : layer == 1 ? two_ : layer == 2 ? third_ : value_;
    }

   private:
    Linear linear(size_t in, size_t out);

    std::vector<uint8_t> arity_;
    size_t actions_;
    NetShape shape_;
    size_t count_ = 0;
    uint64_t version_ = 0;
    std::vector<size_t> leaf_offset_;
    std::vector<float> leaves_;
    std::vector<Linear> first_, second_;
    Linear one_, two_, third_, value_;
};

// The random vector of a leaf: standard normal numbers that depend on the draw and the head only.
struct Draw {
    RandomKey key;
    uint64_t episode = 0;
};
void random_vector(const Draw& draw, Head head, float* out, size_t size);

}  // namespace threesil
