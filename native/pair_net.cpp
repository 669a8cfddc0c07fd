#include "pair_net.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "gemm.hpp"

namespace threesil {

namespace {

constexpr size_t kLargest = 256;
constexpr float kClip = 5;  // standardised features

void cut(std::span<float> values) {
    for (float& value : values) value = std::max(value, 0.0f);
}

}  // namespace

PairNet::PairNet(Shape shape) : shape_(shape) {
    if (shape.size % kLanes || shape.hidden % kLanes || shape.hidden == 0)
        throw std::invalid_argument("sizes of the network should be multiples of 16");
    if (shape.size > kLargest || shape.hidden > kLargest)
        throw std::invalid_argument("the network is too large");
}

// The order in which the parameters stand in their array.
std::vector<PairNet::Part> PairNet::parts() {
    const size_t n = shape_.size, h = shape_.hidden;
    std::vector<Part> result{{&mean_, kFeatures}, {&scale_, kFeatures}, {&skip_, kFeatures}};
    if (n > 0) {
        result.insert(result.end(), {{&head_, head_size() * n}, {&head_bias_, n}});
        for (auto& child : child_) result.push_back({&child, n * n});
        result.insert(result.end(), {{&out_, n * n}, {&out_bias_, n}});
    }
    result.insert(result.end(), {{&first_, inputs() * h},
                                 {&first_bias_, h},
                                 {&second_, h * h},
                                 {&second_bias_, h},
                                 {&last_, h},
                                 {&last_bias_, 1}});
    return result;
}

size_t PairNet::parameters() const {
    size_t count = 0;
    for (const Part& part : PairNet(shape_).parts()) count += part.size;
    return count;
}

void PairNet::load(std::span<const float> parameters) {
    if (parameters.size() != this->parameters())
        throw std::invalid_argument("the network has another number of parameters");
    if (!std::all_of(parameters.begin(), parameters.end(),
                     [](float p) { return std::isfinite(p); }))
        throw std::invalid_argument("a parameter of the network is not a finite number");
    auto next = parameters.begin();
    for (const Part& part : parts()) {
        const auto end = next + static_cast<std::ptrdiff_t>(part.size);
        part.values->assign(next, end);
        next = end;
    }
}

void PairNet::head(const float* vector, float* out) const {
    std::copy(head_bias_.begin(), head_bias_.end(), out);
    add_row(vector, head_.data(), out, head_size(), shape_.size);
}

void PairNet::embed(const float* head, std::span<const float* const> arguments, float* out) const {
    const size_t n = shape_.size;
    std::array<float, kLargest> room;
    const std::span<float> hidden(room.data(), n);
    std::copy(head, head + n, hidden.begin());
    for (size_t k = 0; k < arguments.size(); ++k)
        add_row(arguments[k], child_[std::min(k, kArguments - 1)].data(), hidden.data(), n, n);
    cut(hidden);
    std::copy(out_bias_.begin(), out_bias_.end(), out);
    add_row(hidden.data(), out_.data(), out, n, n);
    float squares = 0;
    for (size_t i = 0; i < n; ++i) squares += out[i] * out[i];
    const float scale = 1 / std::sqrt(squares / static_cast<float>(n) + 1e-5f);
    for (size_t i = 0; i < n; ++i) out[i] *= scale;
}

float PairNet::predict(float* inputs) const {
    float result = last_bias_[0];
    for (size_t i = 0; i < kFeatures; ++i) {
        const float x = (inputs[i] - mean_[i]) * scale_[i];
        result += x * skip_[i];
        inputs[i] = std::clamp(x, -kClip, kClip);
    }
    const size_t h = shape_.hidden;
    std::array<float, kLargest> room[2];
    const std::span<float> one(room[0].data(), h), two(room[1].data(), h);
    std::copy(first_bias_.begin(), first_bias_.end(), one.begin());
    std::copy(second_bias_.begin(), second_bias_.end(), two.begin());
    add_row(inputs, first_.data(), one.data(), this->inputs(), h);
    cut(one);
    add_row(one.data(), second_.data(), two.data(), h, h);
    cut(two);
    for (size_t i = 0; i < h; ++i) result += two[i] * last_[i];
    return result;
}

}  // namespace threesil
