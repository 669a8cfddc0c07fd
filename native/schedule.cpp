#include "schedule.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "gemm.hpp"

namespace threesil {

namespace {

Limits no_limits() {
    Limits limits;
    limits.steps = limits.size = limits.depth = limits.variables = kHuge;
    limits.bank_terms = kHuge;
    return limits;
}

}  // namespace

StateStore::StateStore(std::shared_ptr<const Rules> rules, bool quirk, bool self_check)
    : rules_(std::move(rules)),
      self_check_(self_check),
      worker_(rules_, std::make_shared<Problems>(rules_), no_limits(), quirk, self_check) {}

void StateStore::load(std::shared_ptr<const Problems> problems) {
    if (!problems->fits(*rules_)) throw std::invalid_argument("problems of another theory");
    problems_ = problems->size();
    worker_.set_problems(std::move(problems));
}

// visit(state, mask) before each action and behind the last one.
template <typename Visit>
void StateStore::play(uint32_t problem, std::span<const uint16_t> actions, Visit visit) {
    if (problem >= problems_) throw std::out_of_range("no such problem");
    Episode episode;
    worker_.reset(episode, problem);
    std::vector<MaskWord> words(rules_->mask_words());
    for (size_t i = 0;; ++i) {
        worker_.mask(episode, words.data());
        visit(worker_.with_cursor(episode), words);
        if (i == actions.size()) break;
        const uint32_t action = actions[i];
        if (action >= rules_->actions.size() || !(words[action / 64] >> action % 64 & 1))
            throw IllegalAction{problem, action};
        worker_.step(episode, action);
    }
}

size_t StateStore::add(uint32_t problem, std::span<const uint16_t> actions, bool with_last) {
    const size_t first = states_.size();
    const size_t kept = actions.size() + (with_last ? 1 : 0);
    try {
        play(problem, actions, [&](TermId state, const std::vector<MaskWord>& words) {
            if (states_.size() - first == kept) return;
            states_.push_back(state);
            masks_.insert(masks_.end(), words.begin(), words.end());
        });
    } catch (...) {
        states_.resize(first);
        masks_.resize(first * rules_->mask_words());
        throw;
    }
    return first;
}

std::vector<uint16_t> StateStore::prune(uint32_t problem, std::span<const uint16_t> actions) {
    std::vector<TermId> path;
    std::vector<uint16_t> kept;
    std::unordered_map<TermId, size_t> where;
    size_t next = 0;
    play(problem, actions, [&](TermId state, const std::vector<MaskWord>&) {
        if (const auto seen = where.find(state); seen != where.end()) {
            for (size_t i = seen->second + 1; i < path.size(); ++i) where.erase(path[i]);
            path.resize(seen->second + 1);
            kept.resize(seen->second);
        } else {
            where[state] = path.size();
            path.push_back(state);
        }
        if (next < actions.size()) kept.push_back(actions[next++]);
    });
    return kept;
}

std::vector<int32_t> StateStore::codes(size_t state) const {
    std::vector<int32_t> result;
    if (state >= states_.size()) throw std::out_of_range("no such state");
    worker_.bank().write(states_[state], result);
    return result;
}

Schedule StateStore::schedule(std::span<const uint32_t> states, std::span<const uint64_t> draws,
                              RandomKey key, const TreeNet& net, Control& control) {
    if (draws.size() != states.size()) throw std::invalid_argument("one draw a state");
    if (!net.fits(*rules_)) throw std::invalid_argument("the network belongs to another theory");
    const TermBank& bank = worker_.bank();
    seen_.resize(bank.size(), {0, 0});
    struct Entry {
        uint32_t depth, network;
        TermId term;
        uint32_t sample;
        std::vector<uint32_t>::size_type children;
    };
    std::vector<Entry> entries;
    std::vector<uint32_t> children;  // by entry, arity each
    std::vector<uint32_t> roots;
    std::vector<TermId> stack;
    const uint64_t shared = ++stamp_;
    for (size_t b = 0; b < states.size(); ++b) {
        if (states[b] >= states_.size()) throw std::out_of_range("no such state");
        const uint64_t own = ++stamp_;
        const auto known = [&](TermId t) {
            return seen_[t].first == (bank[t].personal ? own : shared);
        };
        stack.assign(1, states_[states[b]]);
        while (!stack.empty()) {
            const TermId t = stack.back();
            if (known(t)) {
                stack.pop_back();
                continue;
            }
            control.spend();
            const auto args = bank.args(t);
            const size_t before = stack.size();
            for (TermId arg : args)
                if (!known(arg)) stack.push_back(arg);
            if (stack.size() > before) continue;
            stack.pop_back();
            assert(entries.size() < kHuge);
            seen_[t] = {bank[t].personal ? own : shared, static_cast<uint32_t>(entries.size())};
            entries.push_back({bank[t].depth, static_cast<uint32_t>(net.network_of(bank.head(t))),
                               t, static_cast<uint32_t>(b), children.size()});
            for (TermId arg : args) children.push_back(seen_[arg].second);
        }
        roots.push_back(seen_[states_[states[b]]].second);
    }
    std::vector<uint32_t> order(entries.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return entries[a].depth != entries[b].depth ? entries[a].depth < entries[b].depth
                                                    : entries[a].network < entries[b].network;
    });
    std::vector<uint32_t> place(entries.size());
    for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;

    Schedule schedule;
    schedule.nodes = entries.size();
    const size_t n = net.shape().size;
    for (uint32_t begin = 0; begin < order.size();) {
        const Entry& head = entries[order[begin]];
        uint32_t end = begin;
        Schedule::Group group{head.network, begin, begin, schedule.children.size(),
                              schedule.random.size()};
        for (; end < order.size(); ++end) {
            control.spend();
            const Entry& entry = entries[order[end]];
            if (entry.depth != head.depth || entry.network != head.network) break;
            if (entry.network >= net.constant_network()) {
                control.spend(n / 4);
                schedule.random.resize(schedule.random.size() + n);
                random_vector({key, draws[entry.sample]}, bank.head(entry.term),
                              schedule.random.data() + schedule.random.size() - n, n);
                continue;
            }
            for (uint32_t k = 0; k < net.arity_of(entry.network); ++k)
                schedule.children.push_back(place[children[entry.children + k]]);
        }
        group.end = end;
        schedule.groups.push_back(group);
        begin = end;
    }
    for (const uint32_t root : roots) schedule.roots.push_back(place[root]);
    if (self_check_) check(schedule, net);
    return schedule;
}

// Every node stands in one group, behind those it is made of.
void StateStore::check(const Schedule& schedule, const TreeNet& net) {
    uint32_t next = 0;
    bool fine = schedule.nodes <= kHuge;
    for (const Schedule::Group& group : schedule.groups) {
        fine = fine && group.begin == next && group.end > group.begin;
        next = group.end;
        if (group.network >= net.constant_network()) continue;
        const size_t count = (group.end - group.begin) * net.arity_of(group.network);
        for (size_t i = 0; i < count; ++i)
            fine = fine && schedule.children[group.children + i] < group.begin;
    }
    for (const uint32_t root : schedule.roots) fine = fine && root < schedule.nodes;
    if (!fine || next != schedule.nodes)
        throw std::logic_error("self-check: the order of evaluation is wrong");
}

TreePass::TreePass(std::shared_ptr<TreeNet> net, Schedule schedule, Control& control)
    : net_(std::move(net)), schedule_(std::move(schedule)) {
    if (net_->version() == 0) throw std::invalid_argument("the network has no weights yet");
    const size_t n = net_->shape().size;
    const size_t hidden = net_->shape().hidden;
    vectors_.resize((schedule_.nodes + kRows) * n);
    hidden_.resize((schedule_.nodes + kRows) * n);
    std::vector<float> inputs;
    for (const Schedule::Group& group : schedule_.groups) {
        const size_t rows = group.end - group.begin;
        float* out = vectors_.data() + group.begin * n;
        if (net_->is_leaf(group.network)) {
            for (size_t r = 0; r < rows; ++r)
                std::copy_n(net_->leaf(group.network), n, out + r * n);
            continue;
        }
        gather(group, inputs);
        // Rows behind the group are written too; they belong to later groups or to the padding.
        net_->embed(group.network, inputs.data(), hidden_.data() + group.begin * n, out, rows,
                    &control);
    }
    const size_t rows = padded_rows(states());
    states_.resize(rows * n);
    for (size_t b = 0; b < states(); ++b)
        std::copy_n(vectors_.data() + schedule_.roots[b] * n, n, states_.data() + b * n);
    h1_.resize(rows * hidden);
    h2_.resize(rows * hidden);
    logits_.resize(rows * net_->outputs());
    values_.resize(rows);
    net_->predict(states_.data(), h1_.data(), h2_.data(), logits_.data(), values_.data(), states(),
                  &control);
}

void TreePass::gather(const Schedule::Group& group, std::vector<float>& inputs) const {
    const size_t n = net_->shape().size;
    const size_t rows = group.end - group.begin;
    const size_t arity = net_->arity_of(group.network);
    inputs.resize(std::max(inputs.size(), padded_rows(rows) * arity * n));
    if (group.network >= net_->constant_network()) {
        std::copy_n(schedule_.random.data() + group.random, rows * n, inputs.data());
        return;
    }
    assert(group.children + rows * arity <= schedule_.children.size());
    const uint32_t* child = schedule_.children.data() + group.children;
    for (size_t i = 0; i < rows * arity; ++i)
        std::copy_n(vectors_.data() + child[i] * n, n, inputs.data() + i * n);
}

void TreePass::outputs(float* logits, float* values) const {
    for (size_t b = 0; b < states(); ++b)
        std::copy_n(logits_.data() + b * net_->outputs(), net_->actions(),
                    logits + b * net_->actions());
    if (values) std::copy_n(values_.data(), states(), values);
}

void TreePass::backward(const float* dlogits, const float* dvalues, float* gradient,
                        Control& control) const {
    const size_t n = net_->shape().size;
    const size_t hidden = net_->shape().hidden;
    const size_t count = states();
    const size_t rows = padded_rows(count);
    assert(net_->version() > 0 && logits_.size() == rows * net_->outputs());
    std::vector<float> scratch;
    // Through one linear layer with ReLU inputs x: dx = (dy wt) where x is positive.
    const auto through = [&](const Linear& layer, const float* x, const float* dy, float* dx,
                             size_t r, bool relu) {
        layer.add_gradient(x, dy, r, gradient, scratch, &control);
        in_parts(r, layer.columns() * layer.in, &control, [&](size_t first, size_t part) {
            multiply(dy + first * layer.columns(), layer.wt.data(), nullptr, dx + first * layer.in,
                     part, layer.columns(), layer.in, false);
        });
        if (relu)
            for (size_t i = 0; i < r * layer.in; ++i) dx[i] = x[i] > 0.0f ? dx[i] : 0.0f;
    };
    std::vector<float> dy(rows * net_->outputs(), 0.0f);
    for (size_t b = 0; b < count; ++b)
        std::copy_n(dlogits + b * net_->actions(), net_->actions(),
                    dy.data() + b * net_->outputs());
    std::vector<float> d2(rows * hidden), d1(rows * hidden), d0(rows * n);
    through(net_->predictor(2), h2_.data(), dy.data(), d2.data(), count, true);
    if (dvalues && net_->shape().value) {
        const Linear& value = net_->predictor(3);
        for (size_t b = 0; b < count; ++b)
            for (size_t k = 0; k < hidden; ++k) {
                const float x = h2_[b * hidden + k];
                gradient[value.weight + k] += dvalues[b] * x;
                if (x > 0.0f) d2[b * hidden + k] += dvalues[b] * value.w[k * value.columns()];
            }
        for (size_t b = 0; b < count; ++b) gradient[value.bias] += dvalues[b];
    }
    through(net_->predictor(1), h1_.data(), d2.data(), d1.data(), count, true);
    through(net_->predictor(0), states_.data(), d1.data(), d0.data(), count, false);

    std::vector<float> dvectors((schedule_.nodes + kRows) * n, 0.0f);
    for (size_t b = 0; b < count; ++b)
        for (size_t k = 0; k < n; ++k) dvectors[schedule_.roots[b] * n + k] += d0[b * n + k];
    std::vector<float> inputs, dhidden, dinputs;
    for (size_t g = schedule_.groups.size(); g-- > 0;) {
        const Schedule::Group& group = schedule_.groups[g];
        const size_t r = group.end - group.begin;
        const float* d = dvectors.data() + group.begin * n;
        if (net_->is_leaf(group.network)) {
            float* leaf = gradient + net_->leaf_offset(group.network);
            for (size_t i = 0; i < r * n; ++i) leaf[i % n] += d[i];
            continue;
        }
        const size_t arity = net_->arity_of(group.network);
        dhidden.resize(std::max(dhidden.size(), padded_rows(r) * n));
        dinputs.resize(std::max(dinputs.size(), padded_rows(r) * arity * n));
        gather(group, inputs);
        through(net_->second(group.network), hidden_.data() + group.begin * n, d, dhidden.data(), r,
                true);
        through(net_->first(group.network), inputs.data(), dhidden.data(), dinputs.data(), r,
                false);
        if (group.network >= net_->constant_network()) continue;
        const uint32_t* child = schedule_.children.data() + group.children;
        for (size_t i = 0; i < r * arity; ++i)
            for (size_t k = 0; k < n; ++k) dvectors[child[i] * n + k] += dinputs[i * n + k];
    }
}

}  // namespace threesil
