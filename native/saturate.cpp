#include "saturate.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <new>
#include <stdexcept>
#include <utility>

#include "explain.hpp"
#include "verify.hpp"

namespace threesil {

namespace {

constexpr size_t kRoundAtLeast = 64;  // instances added in a round
constexpr uint64_t kFirstCheck = 64;  // merges before the first self-check of the whole graph
constexpr float kMostCost = 1e6f;     // of a rule
constexpr size_t kFirstSeen = 4096;
constexpr size_t kFirstWidth = 4096;  // choices of values for a rule
constexpr size_t kFirstJoined = 16;   // terms that a symbol makes of values
constexpr double kNever = 1e9;        // a cost

}  // namespace

Saturation::Saturation(std::shared_ptr<const Rules> rules, bool self_check)
    : rules_(std::move(rules)),
      self_check_(self_check),
      bank_(rules_->arity, rules_->constructor),
      graph_(bank_) {
    if (rules_->goal != Goal::equation) throw std::invalid_argument("saturation proves equations");
    by_head_.resize(rules_->arity.size());
    for (size_t r = 0; r < rules_->rules.size(); ++r) {
        programs_.push_back(compile(rules_->rules[r]));
        const Head head = rules_->rules[r].from.root_head();
        if (!programs_.back().any) by_head_[head].push_back(static_cast<uint16_t>(r));
        // Nested symbols of the pattern; its nodes are bottom-up.
        const Pattern& from = rules_->rules[r].from;
        std::vector<uint32_t> level(from.nodes.size(), 0);
        for (size_t i = 0; i < level.size(); ++i) {
            const Pattern::PatternNode& node = from.nodes[i];
            if (is_variable(node.head)) continue;
            for (uint32_t k = 0; k < node.arity; ++k)
                level[i] = std::max(level[i], level[from.children[node.children + k]]);
            ++level[i];
        }
        levels_ = std::max(levels_, level.back());
        for (const Pattern* side : {&rules_->rules[r].from, &rules_->rules[r].to})
            for (const auto& node : side->nodes)
                if (node.arity > 0) symbols_.push_back(node.head);
    }
    std::sort(symbols_.begin(), symbols_.end());
    symbols_.erase(std::unique(symbols_.begin(), symbols_.end()), symbols_.end());
}

void Saturation::set_rule_cost(std::vector<float> cost) {
    if (!cost.empty() && cost.size() != rules_->rules.size())
        throw std::invalid_argument("one cost for each rule, or none at all");
    for (const float c : cost)
        if (!(c >= 0 && c <= kMostCost)) throw std::invalid_argument("a rule costs 0 to 1e6");
    rule_cost_ = std::move(cost);
}

void Saturation::clear() {
    bank_.clear();
    graph_.clear();
    queue_.clear();
    lowest_ = 0;
    values_.clear();
    seen_.assign(kFirstSeen, {0, kFree});
    entered_ = 0;
}

bool Saturation::offer(uint32_t rule, TermId root, uint32_t generation) {
    bank_.spend(2);
    const Pattern& to = rules_->rules[rule].to;
    uint64_t size = 0;
    for (const auto& node : to.nodes)
        size += is_variable(node.head)
                    ? bank_[graph_.smallest(current_[variable_index(node.head)])].size
                    : 1;
    if (size > largest_) {
        refused_ = true;
        return false;
    }
    const auto place = static_cast<uint32_t>(values_.size() + 1);
    if (!enter(rule)) return true;
    // Is it known already?
    classes_.resize(to.nodes.size());
    bool known = true;
    TermId args[256];
    for (size_t i = 0; known && i < to.nodes.size(); ++i) {
        const Pattern::PatternNode& node = to.nodes[i];
        if (is_variable(node.head)) {
            classes_[i] = current_[variable_index(node.head)];
            continue;
        }
        for (uint32_t k = 0; k < node.arity; ++k)
            args[k] = classes_[to.children[node.children + k]];
        classes_[i] = graph_.lookup(node.head, args, node.arity);
        known = classes_[i] != kNoTerm;
    }
    if (known && classes_.back() == graph_.find(root)) return true;
    const double growth =
        static_cast<double>(size) - bank_[graph_.smallest(graph_.find(root))].size;
    double cost = static_cast<double>(depth_cost_) * generation + std::max(0.0, growth);
    if (!rule_cost_.empty()) cost += rule_cost_[rule];
    const auto bucket = static_cast<size_t>(std::max(0.0, cost));
    if (bucket >= queue_.size()) queue_.resize(bucket + 1);
    lowest_ = std::min(lowest_, bucket);
    queue_[bucket].push_back({rule, generation, place});
    return true;
}

bool Saturation::enter(uint32_t rule) {
    uint64_t key = (rule + 1) * 0x9e3779b97f4a7c15ull;
    assert(current_.size() == rules_->rules[rule].variables);
    for (const TermId value : current_) {
        assert(graph_.find(value) == value);
        key = (key ^ value) * 0xff51afd7ed558ccdull;
        key ^= key >> 29;
    }
    key *= 0xc4ceb9fe1a85ec53ull;
    const auto hash = static_cast<uint32_t>(key >> 32);
    const size_t last = seen_.size() - 1;
    size_t slot = hash & last;
    for (; seen_[slot].place != kFree; slot = (slot + 1) & last) {
        if (seen_[slot].hash != hash) continue;
        const TermId* other = values_.data() + seen_[slot].place;
        if (other[0] == rule && std::equal(current_.begin(), current_.end(), other + 1))
            return false;
    }
    if (values_.size() + current_.size() > most_values_) throw Ended{Status::memory};
    seen_[slot] = {hash, static_cast<uint32_t>(values_.size())};
    values_.push_back(rule);
    values_.insert(values_.end(), current_.begin(), current_.end());
    if (2 * ++entered_ > seen_.size()) grow_seen();
    return true;
}

void Saturation::grow_seen() {
    std::vector<Seen> old(2 * seen_.size(), {0, kFree});
    old.swap(seen_);
    const size_t last = seen_.size() - 1;
    for (const Seen& seen : old) {
        if (seen.place == kFree) continue;
        size_t slot = seen.hash & last;
        while (seen_[slot].place != kFree) slot = (slot + 1) & last;
        seen_[slot] = seen;
    }
    bank_.put_off(seen_.size() / 4);  // the instance is not in the queue yet
}

TermId Saturation::build(const Pattern& pattern, const TermId* values) {
    node_values_.resize(pattern.nodes.size());
    TermId args[256];
    for (size_t i = 0; i < pattern.nodes.size(); ++i) {
        const Pattern::PatternNode& node = pattern.nodes[i];
        if (is_variable(node.head)) {
            node_values_[i] = values[variable_index(node.head)];
            continue;
        }
        for (uint32_t k = 0; k < node.arity; ++k)
            args[k] = node_values_[pattern.children[node.children + k]];
        node_values_[i] = bank_.make(node.head, args, node.arity);
    }
    return node_values_.back();
}

bool Saturation::apply(const Instance& instance) {
    const Rule& rule = rules_->rules[instance.rule];
    assert(instance.values + rule.variables <= values_.size());
    assert(values_[instance.values - 1] == instance.rule);
    std::vector<TermId> values(rule.variables);
    for (uint32_t v = 0; v < rule.variables; ++v)
        values[v] = graph_.smallest(graph_.find(values_[instance.values + v]));
    const TermId from = build(rule.from, values.data());
    const TermId to = build(rule.to, values.data());
    graph_.add(from, instance.generation);
    graph_.add(to, instance.generation);
    if (graph_.find(from) == graph_.find(to)) return false;
    if (self_check_ && !is_instance(bank_, rule, from, to))
        throw std::logic_error("self-check: an instance is wrong");
    graph_.merge(from, to, instance.rule);
    graph_.rebuild();
    assert(graph_.find(from) == graph_.find(to));
    return true;
}

void Saturation::check_graph() {
    bank_.check();
    graph_.check([this](TermId from, TermId to, uint32_t rule) {
        return is_instance(bank_, rules_->rules[rule], from, to);
    });
}

size_t Saturation::cheapest() {
    while (lowest_ < queue_.size() && queue_[lowest_].empty()) ++lowest_;
    return lowest_;
}

SearchResult Saturation::prove(std::span<const int32_t> codes, const SearchLimits& limits,
                               Control& control) {
    codes_.assign(codes.begin(), codes.end());
    growth_ = limits.growth;
    depth_cost_ = limits.depth_cost;
    whole_ = false;
    return resume(limits, control);
}

SearchResult Saturation::resume(const SearchLimits& limits, Control& control) {
    if (codes_.empty()) throw std::invalid_argument("there is no problem to resume");
    const Watch watch(bank_, control);
    SearchResult result;
    most_values_ = std::min<size_t>(20 * limits.terms, kFree - 1);
    try {
        if (!whole_) start();
        search(limits, result);
    } catch (const Ended& ended) {
        result.status = ended.status;
    } catch (const std::bad_alloc&) {
        result = {Status::memory, result.expansions, bank_.size(), {}, {}};
        whole_ = false;
        std::vector<std::vector<Instance>>().swap(queue_);
        std::vector<TermId>().swap(values_);
        std::vector<Seen>().swap(seen_);
        graph_.release();
        bank_.release();
    }
    result.terms = std::max<uint64_t>(result.terms, bank_.size());
    return result;
}

void Saturation::start() {
    clear();
    const TermId goal = bank_.read(codes_);
    left_ = bank_.arg(goal, 0), right_ = bank_.arg(goal, 1);
    graph_.add(left_, 0);
    graph_.add(right_, 0);
    seeds_ = graph_.nodes();
    std::sort(seeds_.begin(), seeds_.end(),
              [&](TermId a, TermId b) { return bank_[a].size < bank_[b].size; });
    largest_ = std::max(bank_[left_].size, bank_[right_].size) + growth_;
    stage_ = 0;
    width_ = kFirstWidth;
    refused_ = all_ = false;
    quota_ = 0;
    last_match_ = last_own_match_ = 0;
    own_cost_ = kNever;
    for (size_t r = 0; r < programs_.size(); ++r)
        if (!programs_[r].open.empty())
            own_cost_ = std::min<double>(own_cost_, rule_cost_.empty() ? 0.0 : rule_cost_[r]);
    own_cost_ += depth_cost_;
    merges_ = 0;
    next_check_ = kFirstCheck;
    whole_ = true;
}

bool Saturation::refill(SearchResult& result) {
    match_all(false);
    // Rules that bring in values wait until their cheapest instances are due, or until there are
    // no others.
    const size_t due = cheapest();
    if (due == queue_.size() || static_cast<double>(due) >= own_cost_) match_all(true);
    quota_ = std::max(kRoundAtLeast, graph_.nodes().size() / 2);
    return cheapest() < queue_.size() || widen(result);
}

bool Saturation::widen(SearchResult& result) {
    const bool brings = own_cost_ < kNever;
    if (!refused_ && (all_ || !brings)) return false;  // the graph is closed under all rules
    if (largest_ >= kHuge / 2) return false;
    whole_ = false;
    ++stage_;
    ++result.expansions;
    largest_ += largest_ / 2;
    width_ *= 2;
    refused_ = false;
    last_match_ = last_own_match_ = 0;
    if (brings) add_values(result);
    whole_ = true;
    return true;
}

// Joins the smallest values by the symbols, then takes the smallest classes as values.
void Saturation::add_values(SearchResult& result) {
    all_ = true;
    std::vector<TermId> args, classes;
    for (const Head symbol : symbols_) {
        const size_t count = bank_.arity(symbol);
        const size_t choices = std::min(seeds_.size(), root_of(kFirstJoined << stage_, count));
        all_ &= choices == seeds_.size();
        std::vector<size_t> pick(count, 0);
        for (size_t i = 0; i < count;) {
            args.clear();
            classes.clear();
            for (const size_t p : pick) {
                classes.push_back(graph_.find(seeds_[p]));
                args.push_back(graph_.smallest(classes.back()));
            }
            const auto arity = static_cast<uint32_t>(count);
            if (graph_.lookup(symbol, classes.data(), arity) == kNoTerm) {
                graph_.add(bank_.make(symbol, args.data(), arity), stage_);
                ++result.expansions;
                all_ = false;
            }
            for (i = 0; i < count && ++pick[i] == choices; ++i) pick[i] = 0;
        }
    }
    const size_t most = 2 * seeds_.size();
    seeds_.clear();
    listed_.assign(bank_.size(), 0);
    for (const TermId node : graph_.nodes()) {
        const TermId root = graph_.find(node);
        if (!std::exchange(listed_[root], uint8_t{1})) seeds_.push_back(root);
    }
    std::sort(seeds_.begin(), seeds_.end(), [&](TermId a, TermId b) {
        const uint32_t x = bank_[graph_.smallest(a)].size, y = bank_[graph_.smallest(b)].size;
        return x != y ? x < y : a < b;
    });
    if (seeds_.size() > most) {
        seeds_.resize(most);
        all_ = false;
    }
    for (const Program& program : programs_)
        if (!program.open.empty()) all_ &= root_of(width_, program.open.size()) >= seeds_.size();
}

void Saturation::search(const SearchLimits& limits, SearchResult& result) {
    while (!proved()) {
        if (result.expansions >= limits.expansions) {
            result.status = Status::expansions;
            return;
        }
        if (bank_.size() > limits.terms) throw Ended{Status::memory};
        if (quota_ == 0 || cheapest() == queue_.size()) {
            if (!refill(result)) return;
            continue;
        }
        bank_.spend();
        const size_t bucket = cheapest();
        const Instance instance = queue_[bucket].back();
        queue_[bucket].pop_back();
        ++result.expansions;
        whole_ = false;
        const bool merged = apply(instance);
        whole_ = true;
        if (!merged) continue;
        --quota_;
        if (self_check_ && ++merges_ == next_check_) {
            check_graph();
            next_check_ *= 2;
        }
    }
    if (self_check_) check_graph();
    bank_.control->allow_reading();
    result.chains = explain(*rules_, bank_, graph_, left_, right_);
    result.status = Status::proved;
}

}  // namespace threesil
