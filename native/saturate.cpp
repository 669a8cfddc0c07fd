#include "saturate.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <new>
#include <stdexcept>
#include <utility>

#include "verify.hpp"

namespace threesil {

namespace {

constexpr size_t kRoundAtLeast = 64;     // instances added in a round
constexpr size_t kLongestProof = 20000;  // rewrites; a longer explanation is given up
constexpr uint64_t kFirstCheck = 64;     // merges before the first self-check of the whole graph
constexpr float kMostCost = 1e6f;        // of a rule
constexpr size_t kFirstSeen = 4096;

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
    }
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
    values_.clear();
    seen_.assign(kFirstSeen, {0, kFree});
    entered_ = 0;
}

Saturation::Program Saturation::compile(const Rule& rule) const {
    const Pattern& from = rule.from;
    Program program{is_variable(from.root_head()), {}, {}, {}, 1, false};
    program.registers.assign(rule.variables, kNone);
    std::vector<std::pair<uint32_t, uint32_t>> waiting{{from.root(), 0}};  // node, register
    for (size_t w = 0; w < waiting.size(); ++w) {
        const auto [index, in] = waiting[w];
        const Pattern::PatternNode& node = from.nodes[index];
        if (is_variable(node.head)) {
            uint32_t& place = program.registers[variable_index(node.head)];
            if (place == kNone)
                place = in;
            else
                program.equal.emplace_back(place, in);
            continue;
        }
        program.binds.push_back({in, program.count, node.head});
        for (uint32_t k = 0; k < node.arity; ++k)
            waiting.emplace_back(from.children[node.children + k], program.count++);
    }
    assert(program.any == program.binds.empty());
    for (const auto& node : rule.to.nodes)
        if (is_variable(node.head) && program.registers[variable_index(node.head)] == kNone)
            program.own = true;
    return program;
}

// Matches one rule with a node as the root of the pattern; calls found() for each way.
void Saturation::match(uint32_t rule, TermId root, const SearchLimits& limits) {
    const Program& program = programs_[rule];
    registers_.assign(program.count, kNoTerm);
    registers_[0] = graph_.find(root);
    // Fills the registers of a bind from a node; false if equal registers differ.
    const auto take = [&](uint32_t pc, TermId node) {
        const Bind& bind = program.binds[pc];
        const auto args = bank_.args(node);
        for (uint32_t k = 0; k < args.size(); ++k) registers_[bind.out + k] = graph_.find(args[k]);
        const uint32_t filled = bind.out + static_cast<uint32_t>(args.size());
        for (const auto& [a, b] : program.equal)
            if (b >= bind.out && b < filled && registers_[a] != registers_[b]) return false;
        return true;
    };
    const auto fits = [&](uint32_t pc, TermId node) {
        bank_.spend();
        return bank_.head(node) == program.binds[pc].head && graph_.known(node) &&
               !graph_.duplicate(node) && take(pc, node);
    };
    assert(!program.any && bank_.head(root) == program.binds[0].head);
    choices_.clear();
    if (!take(0, root)) return;
    uint32_t pc = 1;
    for (;;) {
        bool advance = false;
        if (pc == program.binds.size()) {
            uint32_t generation = graph_.generation(root);
            for (const Choice& c : choices_)
                generation = std::max(generation, graph_.generation(c.node));
            found(rule, root, generation + 1, limits);
        } else {
            const TermId first = registers_[program.binds[pc].in];
            if (graph_.heads(first) & EGraph::head_bit(program.binds[pc].head)) {
                choices_.push_back({pc, first});
                advance = fits(pc, first);
                if (advance) ++pc;
            }
        }
        while (!advance && !choices_.empty()) {
            Choice& c = choices_.back();
            const TermId first = registers_[program.binds[c.pc].in];
            c.node = graph_.next(c.node);
            if (c.node == first) {
                choices_.pop_back();
            } else if (fits(c.pc, c.node)) {
                pc = c.pc + 1;
                advance = true;
            }
        }
        if (!advance) return;
    }
}

// The values of the rule's variables are in the registers; its own on the right are chosen here.
void Saturation::found(uint32_t rule, TermId root, uint32_t generation,
                       const SearchLimits& limits) {
    const Program& program = programs_[rule];
    current_.assign(program.registers.size(), kNoTerm);
    std::vector<size_t> open;
    for (size_t v = 0; v < current_.size(); ++v) {
        if (program.registers[v] == kNone)
            open.push_back(v);
        else
            current_[v] = registers_[program.registers[v]];
    }
    if (open.empty()) {
        offer(rule, root, generation, limits);
        return;
    }
    assert(program.own && !seeds_.empty());
    std::vector<size_t> pick(open.size(), 0);
    for (;;) {
        for (size_t i = 0; i < open.size(); ++i) current_[open[i]] = graph_.find(seeds_[pick[i]]);
        offer(rule, root, generation, limits);
        size_t i = 0;
        while (i < pick.size() && ++pick[i] == seeds_.size()) pick[i++] = 0;
        if (i == pick.size()) return;
    }
}

void Saturation::offer(uint32_t rule, TermId root, uint32_t generation,
                       const SearchLimits& limits) {
    bank_.spend(2);
    const Pattern& to = rules_->rules[rule].to;
    uint64_t size = 0;
    for (const auto& node : to.nodes)
        size += is_variable(node.head)
                    ? bank_[graph_.smallest(current_[variable_index(node.head)])].size
                    : 1;
    if (size > largest_) return;
    const auto place = static_cast<uint32_t>(values_.size() + 1);
    if (!enter(rule)) return;
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
    if (known && classes_.back() == graph_.find(root)) return;
    const double growth =
        static_cast<double>(size) - bank_[graph_.smallest(graph_.find(root))].size;
    double cost = static_cast<double>(limits.depth_cost) * generation + std::max(0.0, growth);
    if (!rule_cost_.empty()) cost += rule_cost_[rule];
    const auto bucket = static_cast<size_t>(std::max(0.0, cost));
    if (bucket >= queue_.size()) queue_.resize(bucket + 1);
    queue_[bucket].push_back({rule, generation, place});
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
    bank_.spend(seen_.size() / 4);
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

// Matches the rules with all nodes below which something has changed since the last time.
void Saturation::match_all(bool with_own, const SearchLimits& limits) {
    graph_.compact();
    const std::vector<TermId> nodes = graph_.nodes();
    bank_.spend(bank_.size() / 64 * (levels_ + 2));
    // recent_[d][c]: when a class at most d levels below c last changed.
    recent_.resize(levels_ + 1);
    for (auto& recent : recent_) recent.assign(bank_.size(), 0);
    for (const TermId node : nodes) {
        const TermId root = graph_.find(node);
        recent_[0][root] = graph_.changed(root);
    }
    for (uint32_t d = 1; d <= levels_; ++d) {
        for (const TermId node : nodes) {
            bank_.spend();
            const TermId root = graph_.find(node);
            uint32_t& mine = recent_[d][root];
            mine = std::max(mine, recent_[d - 1][root]);
            for (const TermId arg : bank_.args(node))
                mine = std::max(mine, recent_[d - 1][graph_.find(arg)]);
        }
    }
    // The node itself is one level; a class that changed at the time of the last match may have
    // done so behind it.
    const uint32_t since = last_match_;
    last_match_ = graph_.clock++;
    const uint32_t own_since = last_own_match_;
    if (with_own) last_own_match_ = last_match_;
    listed_.assign(bank_.size(), 0);
    for (const TermId node : nodes) {
        bank_.spend();
        const TermId root = graph_.find(node);
        if (recent_[levels_][root] > since) {
            const Head head = bank_.head(node);
            if (head < by_head_.size())
                for (const uint16_t rule : by_head_[head])
                    if (!programs_[rule].own) match(rule, node, limits);
        }
        const bool own = with_own && recent_[levels_][root] > own_since;
        if (own) {
            const Head head = bank_.head(node);
            if (head < by_head_.size())
                for (const uint16_t rule : by_head_[head])
                    if (programs_[rule].own) match(rule, node, limits);
        }
        if (std::exchange(listed_[root], uint8_t{1})) continue;
        const bool changed = recent_[0][root] > since;
        if (!changed && !own) continue;
        for (uint32_t rule = 0; rule < programs_.size(); ++rule) {
            if (!programs_[rule].any || !(programs_[rule].own ? own : changed)) continue;
            registers_.assign(1, root);
            found(rule, node, graph_.generation(node) + 1, limits);
        }
    }
}

size_t Saturation::cheapest() const {
    size_t bucket = 0;
    while (bucket < queue_.size() && queue_[bucket].empty()) ++bucket;
    return bucket;
}

SearchResult Saturation::prove(std::span<const int32_t> codes, const SearchLimits& limits,
                               Control& control) {
    const Watch watch(bank_, control);
    clear();
    SearchResult result;
    try {
        search(codes, limits, result);
    } catch (const Ended& ended) {
        result.status = ended.status;
        result.terms = bank_.size();
    } catch (const std::bad_alloc&) {
        result = {Status::memory, result.expansions, bank_.size(), {}};
        std::vector<std::vector<Instance>>().swap(queue_);
        std::vector<TermId>().swap(values_);
        std::vector<Seen>().swap(seen_);
        graph_.release();
        bank_.release();
    }
    return result;
}

void Saturation::search(std::span<const int32_t> codes, const SearchLimits& limits,
                        SearchResult& result) {
    most_values_ = std::min<size_t>(20 * limits.terms, kFree - 1);
    const TermId goal = bank_.read(codes);
    const TermId left = bank_.arg(goal, 0), right = bank_.arg(goal, 1);
    if (left == right) {
        result.status = Status::proved;
        return;
    }
    graph_.add(left, 0);
    graph_.add(right, 0);
    seeds_ = graph_.nodes();
    std::sort(seeds_.begin(), seeds_.end(),
              [&](TermId a, TermId b) { return bank_[a].size < bank_[b].size; });
    largest_ = std::max(bank_[left].size, bank_[right].size) + limits.growth;
    last_match_ = last_own_match_ = 0;
    own_cost_ = 1e9;
    for (size_t r = 0; r < programs_.size(); ++r)
        if (programs_[r].own)
            own_cost_ = std::min<double>(own_cost_, rule_cost_.empty() ? 0.0 : rule_cost_[r]);
    own_cost_ += limits.depth_cost;
    uint64_t merges = 0, next_check = kFirstCheck;
    const auto proved = [&] { return graph_.find(left) == graph_.find(right); };
    if (limits.expansions == 0) throw Ended{Status::expansions};
    while (!proved()) {
        match_all(false, limits);
        // Rules that bring in values wait until their cheapest instances are due, or until there
        // are no others.
        const size_t due = cheapest();
        if (due == queue_.size() || static_cast<double>(due) >= own_cost_) match_all(true, limits);
        size_t quota = std::max(kRoundAtLeast, graph_.nodes().size() / 2);
        bool any = false;
        while (quota > 0 && !proved()) {
            const size_t bucket = cheapest();
            if (bucket == queue_.size()) break;
            const Instance instance = queue_[bucket].back();
            queue_[bucket].pop_back();
            any = true;
            bank_.spend();
            if (apply(instance)) {
                --quota;
                if (self_check_ && ++merges == next_check) {
                    check_graph();
                    next_check *= 2;
                }
            }
            if (++result.expansions >= limits.expansions) {
                result.status = Status::expansions;
                break;
            }
            if (bank_.size() > limits.terms) {
                result.status = Status::memory;
                break;
            }
        }
        result.terms = bank_.size();
        if (result.status != Status::exhausted || !any) break;
    }
    if (self_check_) check_graph();
    if (!proved()) return;
    bank_.control->lift_budget();
    result.status = Status::length;  // until the proof turns out to be short enough
    result.rewrites = proof(left, right);
    result.status = Status::proved;
}

// The chain of rewrites from one term to another of its class: edges of the proof forest, those
// of congruence unfolded into the chains of the arguments.
std::vector<RewriteRecord> Saturation::proof(TermId from, TermId to) {
    struct Item {
        EGraph::Edge edge;
        std::vector<uint32_t> path;
    };
    std::vector<Item> stack;
    const auto push_path = [&](TermId a, TermId b, const std::vector<uint32_t>& path) {
        auto edges = graph_.path(a, b);
        for (size_t i = edges.size(); i-- > 0;) stack.push_back({edges[i], path});
    };
    std::vector<RewriteRecord> records;
    push_path(from, to, {0});
    while (!stack.empty()) {
        bank_.spend(4);
        const Item item = std::move(stack.back());
        stack.pop_back();
        const auto [a, b, reason, forward] = item.edge;
        if (reason == EGraph::kCongruence) {
            for (uint32_t k = bank_.arity(bank_.head(a)); k-- > 0;) {
                if (bank_.arg(a, k) == bank_.arg(b, k)) continue;
                auto path = item.path;
                path.push_back(k);
                push_path(bank_.arg(a, k), bank_.arg(b, k), path);
            }
            continue;
        }
        const Rule& rule = rules_->rules[reason];
        std::vector<TermId> values(rule.variables, kNoTerm);
        if (!bind_pattern(bank_, rule.from, forward ? a : b, values) ||
            !bind_pattern(bank_, rule.to, forward ? b : a, values))
            throw std::logic_error("an edge of the proof forest is no instance of its rule");
        RewriteRecord record{item.path, rule.equation,  rule.left_to_right == forward,
                             0,         rule.variables, {}};
        for (uint32_t v = 0; v < rule.variables; ++v) {
            record.bindings.emplace_back(v, std::vector<int32_t>{});
            bank_.write(values[v], record.bindings.back().second);
        }
        records.push_back(std::move(record));
        if (records.size() > kLongestProof) throw Ended{Status::length};
    }
    return records;
}

}  // namespace threesil
