#include "unify.hpp"

#include <algorithm>
#include <cassert>
#include <unordered_set>

namespace threesil {

namespace {
// Terms share subterms, so the pairs that unification meets may be far more than there are
// terms. Past this many, it remembers which pairs it has met.
constexpr size_t kPairsBeforeMemory = 4096;
constexpr size_t kPairsBeforeLook = 128;
}  // namespace

void Unifier::begin(uint32_t variables) {
    for (uint32_t v : trail_) binding_[v] = kUnbound;
    trail_.clear();
    pairs_.clear();
    binds_goal_ = false;
    if (binding_.size() < variables) {
        binding_.resize(variables, kUnbound);
        bound_at_.resize(variables, 0);
    }
    if (++stamp_ == 0) {
        built_.clear();
        built_rule_.clear();
        stamp_ = 1;
    }
}

void Unifier::bind(uint32_t variable, Ref value) {
    assert(variable < binding_.size() && binding_[variable] == kUnbound);
    binding_[variable] = value;
    bound_at_[variable] = static_cast<uint32_t>(trail_.size());
    trail_.push_back(variable);
    binds_goal_ = binds_goal_ || variable < offset_;
}

bool Unifier::unify(TermId term, const Rule& rule, uint32_t offset) {
    assert(bank_[term].bound <= offset);  // the rule's variables are renamed apart
    rule_ = &rule;
    offset_ = offset;
    begin(offset + rule.variables);
    if (bank_.ground(term)) return match(term, rule);
    return solve(term, kRule | rule.from.root());
}

bool Unifier::unify(TermId left, TermId right) {
    rule_ = nullptr;
    offset_ = std::max(bank_[left].bound, bank_[right].bound);
    begin(offset_);
    return left == right || (!(bank_.ground(left) && bank_.ground(right)) && solve(left, right));
}

// Against a ground term unification is matching: only the rule's variables are bound.
bool Unifier::match(TermId term, const Rule& rule) {
    assert(bank_.ground(term));
    const Pattern& from = rule.from;
    stack_.clear();
    stack_.push_back(from.root());
    stack_.push_back(term);
    while (!stack_.empty()) {
        const TermId t = stack_.back();
        stack_.pop_back();
        const Pattern::PatternNode& node = from.nodes[stack_.back()];
        stack_.pop_back();
        if (is_variable(node.head)) {
            const uint32_t v = offset_ + variable_index(node.head);
            if (binding_[v] == kUnbound)
                bind(v, t);
            else if (binding_[v] != t)
                return false;
            continue;
        }
        if (bank_.head(t) != node.head) return false;
        for (uint32_t k = node.arity; k-- > 0;) {
            stack_.push_back(from.children[node.children + k]);
            stack_.push_back(bank_.arg(t, k));
        }
    }
    return true;
}

Unifier::Ref Unifier::resolve(Ref ref) const {
    for (;;) {
        const Head h = head(ref);
        if (!is_variable(h)) return ref;
        const Ref next = binding_[variable_index(h)];
        if (next == kUnbound) return ref;
        ref = next;
    }
}

// The same with the first `seen` bindings only.
Unifier::Ref Unifier::as_seen(Ref ref, uint32_t seen) const {
    for (;;) {
        const Head h = head(ref);
        if (!is_variable(h)) return ref;
        const uint32_t v = variable_index(h);
        if (binding_[v] == kUnbound || bound_at_[v] >= seen) return ref;
        ref = binding_[v];
    }
}

// Depth-first, arguments from left to right; the left one of two unbound variables is bound.
bool Unifier::solve(Ref left, Ref right) {
    std::unordered_set<uint64_t> met;
    size_t count = 0;
    pairs_.push_back({left, right, 0, 0});
    while (!pairs_.empty()) {
        Pair pair = pairs_.back();
        pairs_.pop_back();
        const Ref p = resolve(pair.left);
        const Ref q = resolve(pair.right);
        if (quirk_) {
            const Head l = head(as_seen(pair.left, pair.left_seen));
            const Head r = head(as_seen(pair.right, pair.right_seen));
            if (is_variable(l) && l == r) continue;
            // The occurs check fires on a variable that is bound to this one.
            if (is_variable(head(p)) && head(p) == head(q) && r != head(p)) return false;
            // A variable bound since its side was seen stands for its value of now.
            if (is_variable(l)) pair.left_seen = static_cast<uint32_t>(trail_.size());
            if (is_variable(r)) pair.right_seen = static_cast<uint32_t>(trail_.size());
        }
        if (p == q && (!quirk_ || pair.left_seen == pair.right_seen || ground(p))) continue;
        const Head hp = head(p);
        const Head hq = head(q);
        if (is_variable(hp)) {
            if (hp == hq) continue;
            if (occurs(variable_index(hp), q)) return false;
            bind(variable_index(hp), q);
            continue;
        }
        if (is_variable(hq)) {
            if (occurs(variable_index(hq), p)) return false;
            bind(variable_index(hq), p);
            continue;
        }
        if (hp != hq || (ground(p) && ground(q))) return false;
        if (++count % kPairsBeforeLook == 0) bank_.spend(kPairsBeforeLook);
        if (!quirk_ && count > kPairsBeforeMemory && !met.insert(uint64_t{p} << 32 | q).second)
            continue;
        for (uint32_t k = bank_.arity(hp); k-- > 0;)
            pairs_.push_back({child(p, k), child(q, k), pair.left_seen, pair.right_seen});
    }
    return true;
}

bool Unifier::occurs(uint32_t variable, Ref in) {
    if (++seen_stamp_ == 0) {
        seen_.clear();
        seen_rule_.clear();
        seen_stamp_ = 1;
    }
    stack_.clear();
    stack_.push_back(in);
    size_t count = 0;
    while (!stack_.empty()) {
        if (++count % kPairsBeforeLook == 0) bank_.spend(kPairsBeforeLook);
        const Ref ref = resolve(stack_.back());
        stack_.pop_back();
        const Head h = head(ref);
        if (is_variable(h)) {
            if (variable_index(h) == variable) return true;
            continue;
        }
        if (ground(ref)) continue;
        std::vector<uint32_t>& seen = ref & kRule ? seen_rule_ : seen_;
        const uint32_t index = ref & ~kRule;
        if (index >= seen.size())
            seen.resize(ref & kRule ? rule_->from.nodes.size() : bank_.size(), 0);
        if (seen[index] == seen_stamp_) continue;
        seen[index] = seen_stamp_;
        for (uint32_t k = bank_.arity(h); k-- > 0;) stack_.push_back(child(ref, k));
    }
    return false;
}

std::pair<uint32_t, TermId>& Unifier::result_of(Ref ref) {
    assert((ref & (kRule | kTo)) != (kRule | kTo));
    Results& results = ref & kRule ? built_rule_ : built_;
    const uint32_t index = ref & ~kRule;
    if (index >= results.size())
        results.resize(ref & kRule ? rule_->from.nodes.size() : bank_.size(), {0, kNoTerm});
    return results[index];
}

// The instance of a term or node, if it is at hand without building; kNoTerm otherwise.
TermId Unifier::value(Ref ref) {
    ref = resolve(ref);
    if (ground(ref)) return ref;
    const Head h = head(ref);
    if (is_variable(h)) return bank_.variable(variable_index(h));
    const auto& [stamp, term] = result_of(ref);
    return stamp == stamp_ ? term : kNoTerm;
}

TermId Unifier::build(Ref root) {
    TermId result = value(root);
    if (result != kNoTerm) return result;
    build_stack_.assign(1, resolve(root));
    while (!build_stack_.empty()) {
        bank_.spend();
        const Ref ref = build_stack_.back();
        const Head h = head(ref);
        const uint32_t count = bank_.arity(h);
        build_args_.resize(count);
        bool ready = true;
        for (uint32_t k = count; k-- > 0;) {
            const Ref argument = child(ref, k);
            build_args_[k] = value(argument);
            if (build_args_[k] == kNoTerm) {
                build_stack_.push_back(resolve(argument));
                ready = false;
            }
        }
        if (!ready) continue;
        build_stack_.pop_back();
        result = bank_.make(h, build_args_.data(), count);
        result_of(ref) = {stamp_, result};
    }
    return result;
}

TermId Unifier::instance() {
    assert(rule_);
    const Pattern& to = rule_->to;
    node_values_.resize(to.nodes.size());
    TermId args[256];
    for (size_t i = 0; i < to.nodes.size(); ++i) {
        const Pattern::PatternNode& node = to.nodes[i];
        if (is_variable(node.head)) {
            node_values_[i] = build(kRule | kTo | static_cast<Ref>(i));
            continue;
        }
        for (uint32_t k = 0; k < node.arity; ++k)
            args[k] = node_values_[to.children[node.children + k]];
        node_values_[i] = bank_.make(node.head, args, node.arity);
    }
    return node_values_.back();
}

TermId Unifier::instance(TermId term) { return build(term); }

bool Unifier::same(Ref root, TermId expected) {
    compare_.clear();
    compare_.push_back({root, expected});
    for (size_t count = 0; !compare_.empty(); ++count) {
        const auto [raw, other] = compare_.back();
        compare_.pop_back();
        const Ref ref = resolve(raw);
        if (ground(ref)) {
            if (ref != other) return false;
            continue;
        }
        const Head h = head(ref);
        if (h != bank_.head(other)) return false;
        if (count > kPairsBeforeMemory && !(ref & kRule)) {  // much sharing: build, don't walk
            if (build(ref) != other) return false;
            continue;
        }
        for (uint32_t k = bank_.arity(h); k-- > 0;)
            compare_.push_back({child(ref, k), bank_.arg(other, k)});
    }
    return true;
}

bool Unifier::instance_is(TermId expected) {
    assert(rule_);
    return same(kRule | kTo | rule_->to.root(), expected);
}

bool Unifier::instance_is(TermId term, TermId expected) { return same(term, expected); }

std::vector<std::pair<uint32_t, TermId>> Unifier::bindings() {
    std::vector<std::pair<uint32_t, TermId>> result;
    for (uint32_t v : trail_) result.emplace_back(v, build(binding_[v]));
    return result;
}

}  // namespace threesil
