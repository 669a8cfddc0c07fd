#include "tree_net.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "gemm.hpp"

namespace threesil {

namespace {
constexpr uint32_t kWidest = 4096;
}

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
                          std::vector<float>& scratch, Control* control) const {
    const size_t wide = columns();
    const auto add_all = [&](float* sum) {
        in_parts(rows, in * wide, control, [&](size_t first, size_t count) {
            add_outer(x + first * in, dy + first * wide, sum, count, in, wide);
        });
    };
    if (wide == out) {
        add_all(gradient + weight);
    } else {
        scratch.assign(in * wide, 0.0f);
        add_all(scratch.data());
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
    for (const uint32_t width : {shape.size, shape.hidden})
        if (width == 0 || width % kLanes || width > kWidest)
            throw std::invalid_argument("sizes of a network are multiples of 16, up to 4096");
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
    for (const float parameter : parameters)
        if (!std::isfinite(parameter))
            throw std::invalid_argument("a parameter of the network is not a finite number");
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

bool TreeNet::fits(const Rules& rules, bool outputs) const {
    return arity_ == rules.arity && (!outputs || actions_ == rules.actions.size());
}

void TreeNet::embed(size_t network, const float* inputs, float* hidden, float* outputs, size_t rows,
                    Control* control) const {
    assert(network < first_.size() && !is_leaf(network) && version_ > 0);
    const Linear& a = first_[network];
    const Linear& b = second_[network];
    in_parts(rows, a.in * a.out + b.in * b.out, control, [&](size_t first, size_t count) {
        float* middle = hidden + first * a.out;
        multiply(inputs + first * a.in, a.w.data(), a.b.data(), middle, count, a.in, a.out, true);
        multiply(middle, b.w.data(), b.b.data(), outputs + first * b.out, count, b.in, b.out,
                 false);
    });
}

void TreeNet::predict(const float* states, float* h1, float* h2, float* logits, float* values,
                      size_t rows, Control* control) const {
    assert(version_ > 0);
    const size_t n = one_.in, wide = one_.out, columns = third_.columns();
    in_parts(rows, wide * (n + wide + columns), control, [&](size_t first, size_t count) {
        float* a = h1 + first * wide;
        float* b = h2 + first * wide;
        multiply(states + first * n, one_.w.data(), one_.b.data(), a, count, n, wide, true);
        multiply(a, two_.w.data(), two_.b.data(), b, count, wide, wide, true);
        multiply(b, third_.w.data(), third_.b.data(), logits + first * columns, count, wide,
                 columns, false);
    });
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
