#include "egraph.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace threesil {

namespace {
constexpr size_t kFirstSlots = 4096;
}

void EGraph::clear() {
    parent_.clear();
    next_.clear();
    smallest_.clear();
    count_.clear();
    generation_.clear();
    changed_.clear();
    clock = 1;
    heads_.clear();
    uses_.clear();
    known_.clear();
    duplicate_.clear();
    nodes_.clear();
    table_.assign(kFirstSlots, kNoTerm);
    entered_ = 0;
    pending_.clear();
    proof_.clear();
    reason_.clear();
    forward_.clear();
}

void EGraph::release() {
    clear();
    for (auto* numbers : {&parent_, &next_, &smallest_, &count_, &generation_, &changed_, &nodes_,
                          &table_, &proof_, &reason_, &stack_})
        std::vector<uint32_t>().swap(*numbers);
    for (auto* bytes : {&known_, &duplicate_, &forward_}) std::vector<uint8_t>().swap(*bytes);
    std::vector<uint64_t>().swap(heads_);
    std::vector<std::vector<TermId>>().swap(uses_);
    pending_.shrink_to_fit();
}

void EGraph::grow() {
    if (parent_.size() >= bank_.size()) return;
    const size_t size = bank_.size() + bank_.size() / 2 + 64;
    const size_t old = parent_.size();
    parent_.resize(size);
    next_.resize(size);
    smallest_.resize(size);
    for (size_t t = old; t < size; ++t)
        parent_[t] = next_[t] = smallest_[t] = static_cast<TermId>(t);
    count_.resize(size, 1);
    generation_.resize(size, 0);
    changed_.resize(size, 0);
    heads_.resize(size, 0);
    uses_.resize(size);
    known_.resize(size, 0);
    duplicate_.resize(size, 0);
    proof_.resize(size, kNoTerm);
    reason_.resize(size, kCongruence);
    forward_.resize(size, 1);
}

uint64_t EGraph::signature(TermId term) {
    uint64_t h = (bank_.head(term) + 1) * 0x9e3779b97f4a7c15ull;
    for (const TermId arg : bank_.args(term)) {
        h = (h ^ find(arg)) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    return h * 0xc4ceb9fe1a85ec53ull >> 20;
}

bool EGraph::same_signature(TermId a, TermId b) {
    if (bank_.head(a) != bank_.head(b)) return false;
    const auto x = bank_.args(a), y = bank_.args(b);
    for (size_t k = 0; k < x.size(); ++k)
        if (find(x[k]) != find(y[k])) return false;
    return true;
}

void EGraph::rehash(size_t slots) {
    // Terms that have become duplicates leave the table here. In the middle of a merge, that may
    // be one which no use of the merged class will find again: so it is noted now.
    assert((slots & (slots - 1)) == 0);
    bank_.put_off(slots);
    std::vector<TermId> old = std::move(table_);
    table_.assign(slots, kNoTerm);
    entered_ = 0;
    for (const TermId term : old) {
        if (term == kNoTerm || duplicate_[term]) continue;
        const TermId same = enter(term);
        if (same == term) continue;
        duplicate_[term] = 1;
        pending_.emplace_back(term, same);
    }
}

TermId EGraph::enter(TermId term) {
    if (2 * (entered_ + 1) > table_.size()) rehash(2 * table_.size());
    assert(known_[term] && entered_ < table_.size());
    size_t slot = signature(term) & (table_.size() - 1);
    bool there = false;  // from an older signature, perhaps before a term that is congruent now
    for (TermId other; (other = table_[slot]) != kNoTerm; slot = (slot + 1) & (table_.size() - 1)) {
        if (other == term)
            there = true;
        else if (same_signature(other, term))
            return other;
    }
    if (there) return term;
    table_[slot] = term;
    ++entered_;
    return term;
}

TermId EGraph::lookup(Head head, const TermId* classes, uint32_t count) {
    uint64_t h = (head + 1) * 0x9e3779b97f4a7c15ull;
    for (uint32_t k = 0; k < count; ++k) {
        h = (h ^ classes[k]) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    size_t slot = (h * 0xc4ceb9fe1a85ec53ull >> 20) & (table_.size() - 1);
    for (TermId other; (other = table_[slot]) != kNoTerm; slot = (slot + 1) & (table_.size() - 1)) {
        if (bank_.head(other) != head) continue;
        bool same = true;
        for (uint32_t k = 0; same && k < count; ++k) same = find(bank_.arg(other, k)) == classes[k];
        if (same) return find(other);
    }
    return kNoTerm;
}

void EGraph::add(TermId root, uint32_t generation) {
    grow();
    stack_.assign(1, root);
    while (!stack_.empty()) {
        bank_.put_off();
        const TermId term = stack_.back();
        if (known_[term]) {
            stack_.pop_back();
            continue;
        }
        const size_t before = stack_.size();
        for (const TermId arg : bank_.args(term))
            if (!known_[arg]) stack_.push_back(arg);
        if (stack_.size() > before) continue;
        stack_.pop_back();
        known_[term] = 1;
        generation_[term] = generation;
        changed_[term] = clock;
        heads_[term] = head_bit(bank_.head(term));
        const TermId same = enter(term);
        if (same != term) {
            duplicate_[term] = 1;
            unite(term, same, kCongruence, true);
            continue;
        }
        assert(!duplicate_[term] && parent_[term] == term);
        nodes_.push_back(term);
        for (const TermId arg : bank_.args(term)) {
            auto& uses = uses_[find(arg)];
            if (uses.empty() || uses.back() != term) uses.push_back(term);
        }
    }
}

void EGraph::merge(TermId from, TermId to, uint32_t reason) { unite(from, to, reason, true); }

void EGraph::unite(TermId a, TermId b, uint32_t reason, bool forward) {
    assert(known_[a] && known_[b]);
    TermId x = find(a), y = find(b);
    if (x == y) return;
    if (count_[x] > count_[y]) {
        std::swap(x, y);
        std::swap(a, b);
        forward = !forward;
    }
    // a's tree of the proof forest is turned so that a is its root, then hung below b.
    TermId child = kNoTerm;
    uint32_t child_reason = kCongruence;
    uint8_t child_forward = 1;
    for (TermId t = a; t != kNoTerm;) {
        bank_.put_off();
        const TermId up = proof_[t];
        const uint32_t up_reason = reason_[t];
        const uint8_t up_forward = forward_[t];
        proof_[t] = child;
        reason_[t] = child_reason;
        forward_[t] = child_forward;
        child = t;
        child_reason = up_reason;
        child_forward = !up_forward;
        t = up;
    }
    proof_[a] = b;
    reason_[a] = reason;
    forward_[a] = forward;
    assert(child_reason == kCongruence || child != kNoTerm);
    // x goes into y.
    parent_[x] = y;
    count_[y] += count_[x];
    heads_[y] |= heads_[x];
    changed_[y] = clock;
    std::swap(next_[x], next_[y]);
    if (bank_[smallest_[x]].size < bank_[smallest_[y]].size) smallest_[y] = smallest_[x];
    std::vector<TermId> uses = std::move(uses_[x]);
    uses_[x].clear();
    for (const TermId use : uses) {
        bank_.put_off();
        if (duplicate_[use]) continue;
        const TermId same = enter(use);
        if (same == use) {
            uses_[y].push_back(use);
            continue;
        }
        duplicate_[use] = 1;
        pending_.emplace_back(use, same);
    }
}

void EGraph::rebuild() {
    while (!pending_.empty()) {
        const auto [a, b] = pending_.back();
        pending_.pop_back();
        assert(same_signature(a, b));
        unite(a, b, kCongruence, true);
    }
}

void EGraph::compact() {
    std::erase_if(nodes_, [this](TermId t) { return duplicate_[t] != 0; });
}

void EGraph::check(const std::function<bool(TermId, TermId, uint32_t)>& reasoned) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::logic_error(std::string("self-check: ") + what);
    };
    require(pending_.empty(), "a merge was forgotten");
    std::map<std::vector<uint32_t>, TermId> classes;  // by head and classes of the arguments
    std::unordered_map<TermId, uint32_t> members, trees;
    for (TermId term = 0; term < bank_.size(); ++term) {
        if (!known(term)) continue;
        const TermId root = find(term);
        ++members[root];
        require(known(next_[term]) && find(next_[term]) == root, "a class is torn");
        require(heads_[root] & head_bit(bank_.head(term)), "a class has lost a head");
        require(bank_[smallest_[root]].size <= bank_[term].size && find(smallest_[root]) == root,
                "a class has a smaller term");
        std::vector<uint32_t> key{bank_.head(term)};
        for (const TermId arg : bank_.args(term)) {
            require(known(arg), "an argument is not known");
            key.push_back(find(arg));
        }
        require(classes.emplace(key, root).first->second == root, "congruent terms are apart");
        if (!duplicate_[term])
            require(lookup(key[0], key.data() + 1, static_cast<uint32_t>(key.size() - 1)) == root,
                    "a signature is lost");
        if (proof_[term] == kNoTerm) {
            require(++trees[root] == 1, "a class has two proof trees");
            continue;
        }
        const TermId a = forward_[term] ? term : proof_[term];
        const TermId b = forward_[term] ? proof_[term] : term;
        require(find(a) == find(b), "a proof leads out of its class");
        if (reason_[term] == kCongruence)
            require(same_signature(a, b), "terms are not congruent");
        else
            require(reasoned(a, b, reason_[term]), "a merge is no instance of its rule");
    }
    for (const auto& [root, count] : members) {
        require(count == count_[root], "a class is miscounted");
        uint32_t round = 1;
        for (TermId t = next_[root]; t != root && round <= count; t = next_[t]) ++round;
        require(round == count, "a class is torn");
    }
}

std::vector<EGraph::Edge> EGraph::path(TermId from, TermId to) const {
    assert(known(from) && known(to));
    std::unordered_map<TermId, size_t> seen;
    std::vector<Edge> up, down;
    for (TermId t = from; t != kNoTerm; t = proof_[t]) {
        seen[t] = up.size();
        if (proof_[t] != kNoTerm) up.push_back({t, proof_[t], reason_[t], forward_[t] != 0});
    }
    TermId t = to;
    while (!seen.count(t)) {
        down.push_back({proof_[t], t, reason_[t], forward_[t] == 0});
        t = proof_[t];
        assert(t != kNoTerm);
    }
    up.resize(seen[t]);
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
}

}  // namespace threesil
