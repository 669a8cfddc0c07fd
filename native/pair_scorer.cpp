#include "pair_scorer.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tree_net.hpp"

namespace threesil {

VectorTable::VectorTable(size_t size)
    : size_(size), vectors_(std::make_unique_for_overwrite<float[]>(kMost * size)) {
    clear();
}

void VectorTable::clear() {
    count_ = 0;
    keys_.assign(1024, 0);
    numbers_.assign(1024, 0);
}

size_t VectorTable::slot(uint64_t hash) const {
    size_t at = (hash >> 7) & (keys_.size() - 1);
    while (keys_[at] && keys_[at] != hash) at = (at + 1) & (keys_.size() - 1);
    return at;
}

const float* VectorTable::find(uint64_t hash) const {
    const size_t at = slot(hash | 1);
    return keys_[at] ? vectors_.get() + numbers_[at] * size_ : nullptr;
}

float* VectorTable::add(uint64_t hash) {
    assert(has_room(1) && !find(hash));
    if (2 * count_ >= keys_.size()) {
        std::vector<uint64_t> keys(2 * keys_.size(), 0);
        std::vector<uint32_t> numbers(keys.size(), 0);
        keys.swap(keys_);
        numbers.swap(numbers_);
        for (size_t i = 0; i < keys.size(); ++i) {
            if (!keys[i]) continue;
            const size_t at = slot(keys[i]);
            keys_[at] = keys[i];
            numbers_[at] = numbers[i];
        }
    }
    const size_t at = slot(hash | 1);
    keys_[at] = hash | 1;
    numbers_[at] = static_cast<uint32_t>(count_);
    return vectors_.get() + count_++ * size_;
}

NetScorer::NetScorer(const Order& order, const PairContext& context,
                     std::shared_ptr<const PairNet> net, uint64_t seed)
    : net_(std::move(net)),
      seed_(seed),
      features_(order, context),
      vectors_(net_->shape().size),
      inputs_(net_->inputs()) {
    const size_t n = net_->shape().size;
    goal_.assign(n, 0.0f);
    if (n == 0) return;
    make_room(context.goal.first.size() + context.goal.second.size());
    for (const Flat* side : {&context.goal.first, &context.goal.second}) {
        if (side->empty()) continue;
        const float* vector = embed(*side, features_.hashes(*side));
        for (size_t i = 0; i < n; ++i) goal_[i] += vector[i] / 2;
    }
}

std::vector<float> NetScorer::vector(Cell cell) const {
    const size_t n = net_->shape().size;
    std::vector<float> result(net_->head_size());
    const Head head = is_var(cell) ? kVariable | var_of(cell) : static_cast<Head>(cell.symbol);
    random_vector(Draw{RandomKey{seed_, 0}, 0}, head, result.data(), n);
    features_.mark(cell, result.data() + n);
    return result;
}

void NetScorer::make_room(size_t terms) {
    if (!vectors_.has_room(terms)) vectors_.clear();
    if (!vectors_.has_room(terms))
        throw std::invalid_argument("a term is too large for the network");
}

// What the head of a term adds to its vector, made once.
const float* NetScorer::head(Cell cell) {
    auto& known = heads_[is_var(cell)];
    const auto index = is_var(cell) ? var_of(cell) : static_cast<size_t>(cell.symbol);
    if (index >= known.size()) known.resize(index + 1);
    if (known[index].empty()) {
        known[index].resize(net_->shape().size);
        net_->head(vector(cell).data(), known[index].data());
    }
    return known[index].data();
}

const float* NetScorer::embed(FlatView term, const std::vector<uint64_t>& hashes) {
    fresh_.clear();
    for (size_t i = 0; i < term.size();) {
        if (vectors_.find(hashes[i])) {
            i += term[i].length;
        } else {
            fresh_.push_back(static_cast<uint32_t>(i));
            ++i;
        }
    }
    for (size_t k = fresh_.size(); k-- > 0;) {
        const size_t at = fresh_[k];
        if (vectors_.find(hashes[at])) continue;  // the same subterm came again
        arguments_.clear();
        for (size_t j = at + 1; j < at + term[at].length; j += term[j].length)
            arguments_.push_back(vectors_.find(hashes[j]));
        const float* own = head(term[at]);
        net_->embed(own, arguments_, vectors_.add(hashes[at]));
    }
    return vectors_.find(hashes[0]);
}

// What overflows comes last: a queue needs numbers that can be compared.
float NetScorer::score(const ScoredPair& pair) {
    const float score = -judge(pair);
    return std::isfinite(score) ? score : std::numeric_limits<float>::max();
}

float NetScorer::judge(const ScoredPair& pair) {
    features_.describe(pair, inputs_.data());
    const size_t n = net_->shape().size;
    if (n > 0) {
        make_room(pair.left.size() + pair.right.size());
        float* parts = inputs_.data() + PairNet::kFeatures;
        for (size_t s = 0; s < 2; ++s) {
            const float* vector = embed(features_.side(s), features_.hashes(s));
            std::copy(vector, vector + n, parts + s * n);
            for (size_t i = 0; i < n; ++i) parts[(3 + s) * n + i] = vector[i] * goal_[i];
        }
        std::copy(goal_.begin(), goal_.end(), parts + 2 * n);
    }
    return net_->predict(inputs_.data());
}

}  // namespace threesil
