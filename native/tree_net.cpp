#include "tree_net.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "gemm.hpp"

namespace threesil {

size_t Linear::columns() const { return padded_columns(out); }

void Linear::load(const float* parameters) {
    const size_t wide = columns();
    w.assign(in * wide, 0.0f);
    wt.assign(wide * in, 0.0f);
    b.assign(wide, 0.0f);
    for (size_t i = 0; i < in; ++i)
        for (size_t o = 0; o < out; ++o)
            w[i * wide + o] = wt[o * in + i] = parameters[weight + i * out + o];
    std::copy_n(parameters + bias, out, b.begin());
}

void Linear::add_gradient(const float* x, const float* dy, size_t rows, float* gradient,
                          std::vector<float>& scratch) const {
    const size_t wide = columns();
    if (wide == out) {
        add_outer(x, dy, gradient + weight, rows, in, out);
    } else {
        scratch.assign(in * wide, 0.0f);
        add_outer(x, dy, scratch.data(), rows, in, wide);
        for (size_t i = 0; i < in; ++i)
            for (size_t o = 0; o < out; ++o)
                gradient[weight + i * out + o] += scratch[i * wide + o];
    }
    for (size_t r = 0; r < rows; ++r)
        for (size_t o = 0; o < out; ++o) gradient[bias + o] += dy[r * wide + o];
}

Linear TreeNet::linear(size_t in, size_t out) {
    Linear layer;
    layer.in = in;
    layer.out = out;
    layer.weight = count_;
    layer.bias = count_ + in * out;
    count_ = layer.bias + out;
    return layer;
}

TreeNet::TreeNet(std::vector<uint8_t> arity, uint32_t actions, NetShape shape)
    : arity_(std::move(arity)), actions_(actions), shape_(shape) {
    const size_t n = shape.size;
    if (n == 0 || n % kLanes || shape.hidden == 0 || shape.hidden % kLanes)
        throw std::invalid_argument("sizes of a network are positive multiples of 16");
    leaf_offset_.assign(arity_.size(), 0);
    for (size_t s = 0; s < arity_.size(); ++s)
        if (arity_[s] == 0) {
            leaf_offset_[s] = count_;
            count_ += n;
        }
    leaves_.assign(arity_.size() * n, 0.0f);
    for (size_t s = 0; s < arity_.size() + 2; ++s) {
        if (is_leaf(s)) {
            first_.emplace_back();
            second_.emplace_back();
            continue;
        }
        first_.push_back(linear(arity_of(s) * n, n));
        second_.push_back(linear(n, n));
    }
    one_ = linear(n, shape.hidden);
    two_ = linear(shape.hidden, shape.hidden);
    third_ = linear(shape.hidden, actions);
    if (shape.value) value_ = linear(shape.hidden, 1);
}

void TreeNet::load(std::span<const float> parameters) {
    if (parameters.size() != count_) throw std::invalid_argument("wrong number of parameters");
    for (size_t s = 0; s < arity_.size(); ++s)
        if (is_leaf(s))
            std::copy_n(parameters.data() + leaf_offset_[s], shape_.size,
                        leaves_.begin() + static_cast<std::ptrdiff_t>(s * shape_.size));
    for (size_t s = 0; s < first_.size(); ++s) {
        if (is_leaf(s)) continue;
        first_[s].load(parameters.data());
        second_[s].load(parameters.data());
    }
    one_.load(parameters.data());
    two_.load(parameters.data());
    third_.load(parameters.data());
    if (shape_.value) value_.load(parameters.data());
    ++version_;
}

size_t TreeNet::network_of(Head head) const {
    if (is_variable(head)) return variable_network();
    return head < arity_.size() ? head : constant_network();
}

void TreeNet::embed(size_t network, const float* inputs, float* hidden, float* outputs,
                    size_t rows) const {
    const Linear& a = first_[network];
    const Linear& b = second_[network];
    multiply(inputs, a.w.data(), a.b.data(), hidden, rows, a.in, a.out, true);
    multiply(hidden, b.w.data(), b.b.data(), outputs, rows, b.in, b.out, false);
}

void TreeNet::predict(const float* states, float* h1, float* h2, float* logits, float* values,
                      size_t rows) const {
    multiply(states, one_.w.data(), one_.b.data(), h1, rows, one_.in, one_.out, true);
    multiply(h1, two_.w.data(), two_.b.data(), h2, rows, two_.in, two_.out, true);
    multiply(h2, third_.w.data(), third_.b.data(), logits, rows, third_.in, third_.columns(),
             false);
    if (!values || !shape_.value) return;
    for (size_t r = 0; r < rows; ++r) {
        float sum = value_.b[0];
        for (size_t k = 0; k < value_.in; ++k)
            sum += h2[r * value_.in + k] * value_.w[k * value_.columns()];
        values[r] = sum;
    }
}

void random_vector(const Draw& draw, Head head, float* out, size_t size) {
    // A counter space of its own: steps of an episode never reach the highest bit.
    const RandomKey key{draw.key.seed ^ (uint64_t{head} * 0x9e3779b97f4a7c15ull), draw.key.stream};
    for (size_t i = 0; i < size; i += 4) {
        const auto bits = key.draw(draw.episode, 0x80000000u | static_cast<uint32_t>(i));
        for (size_t half = 0; half < 2; ++half) {
            const double u = (bits[2 * half] + 1.0) / 4294967296.0;
            const double angle = 2.0 * std::numbers::pi * bits[2 * half + 1] / 4294967296.0;
            const double radius = std::sqrt(-2.0 * std::log(u));
            out[i + 2 * half] = static_cast<float>(radius * std::cos(angle));
            out[i + 2 * half + 1] = static_cast<float>(radius * std::sin(angle));
        }
    }
}

}  // namespace threesil
