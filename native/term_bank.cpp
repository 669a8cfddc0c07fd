#include "term_bank.hpp"

#include <algorithm>
#include <cassert>
#include <new>
#include <stdexcept>

namespace threesil {

namespace {
constexpr size_t kFirstSlots = 1024;
constexpr size_t kFull = 0xffffffffu;  // arguments that offsets of 32 bits can tell apart
}  // namespace

TermBank::TermBank(const std::vector<uint8_t>& arity, const std::vector<uint8_t>& constructor)
    : arity_(arity), constructor_(constructor), table_(kFirstSlots, kNoTerm) {}

uint32_t TermBank::hash_of(Head head, const TermId* args, uint32_t count) const {
    uint64_t h = (head + 1) * 0x9e3779b97f4a7c15ull;
    for (uint32_t i = 0; i < count; ++i) {
        h = (h ^ args[i]) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    h *= 0xc4ceb9fe1a85ec53ull;
    return static_cast<uint32_t>(h >> 32);
}

TermId TermBank::make(Head head, const TermId* args, uint32_t count) {
    Timed timed(profile, Work::bank);
    assert(count == arity(head));
    const uint32_t hash = hash_of(head, args, count);
    const size_t last = table_.size() - 1;
    size_t slot = hash & last;
    for (TermId term; (term = table_[slot]) != kNoTerm; slot = (slot + 1) & last) {
        const Node& node = nodes_[term];
        if (node.hash == hash && node.head == head &&
            std::equal(args, args + count, pool_.data() + node.args))
            return term;
    }
    const auto id = static_cast<TermId>(nodes_.size());
    if (id >= kNoTerm || pool_.size() + count > kFull) throw std::bad_alloc();
    if (2 * (nodes_.size() + 1) > table_.size()) {
        rehash(2 * table_.size());
        slot = free_slot(hash);
    }
    Node node{};
    node.head = head;
    node.args = static_cast<uint32_t>(pool_.size());
    node.hash = hash;
    node.bound = is_variable(head) ? variable_index(head) + 1 : 0;
    uint64_t size = 1;
    uint32_t depth = 0;
    bool normal = head < constructor_.size() && constructor_[head];
    bool personal = head >= arity_.size();
    for (uint32_t i = 0; i < count; ++i) {
        assert(args[i] < id);
        const Node& arg = nodes_[args[i]];
        size += arg.size;
        depth = std::max<uint32_t>(depth, arg.depth);
        node.bound = std::max(node.bound, arg.bound);
        normal = normal && arg.normal;
        personal = personal || arg.personal;
    }
    node.size = static_cast<uint32_t>(std::min<uint64_t>(size, kHuge));
    node.depth = std::min<uint32_t>(depth + 1, kHuge);
    node.normal = normal;
    node.personal = personal;
    pool_.insert(pool_.end(), args, args + count);
    nodes_.push_back(node);
    assert(table_[slot] == kNoTerm);
    table_[slot] = id;
    return id;
}

TermId TermBank::replaced(TermId term, std::span<const uint32_t> path, TermId value) {
    std::vector<TermId> spine{term}, own;
    spend(1 + path.size());
    for (const uint32_t k : path) spine.push_back(arg(spine.back(), k));
    for (size_t i = path.size(); i-- > 0;) {
        const auto old = args(spine[i]);
        own.assign(old.begin(), old.end());
        own[path[i]] = value;
        value = make(head(spine[i]), own.data(), static_cast<uint32_t>(own.size()));
    }
    return value;
}

size_t TermBank::free_slot(uint32_t hash) const {
    const size_t last = table_.size() - 1;
    size_t slot = hash & last;
    while (table_[slot] != kNoTerm) slot = (slot + 1) & last;
    return slot;
}

void TermBank::rehash(size_t slots) {
    assert((slots & (slots - 1)) == 0 && nodes_.size() < slots);
    table_.assign(slots, kNoTerm);
    for (TermId term = 0; term < nodes_.size(); ++term) table_[free_slot(nodes_[term].hash)] = term;
}

void TermBank::clear() {
    nodes_.clear();
    pool_.clear();
    table_.assign(kFirstSlots, kNoTerm);
}

void TermBank::release() {
    std::vector<Node>().swap(nodes_);
    std::vector<TermId>().swap(pool_);
    table_.resize(kFirstSlots);
    table_.shrink_to_fit();
    clear();
}

void TermBank::check() const {
    size_t entered = 0;
    for (const TermId term : table_) {
        if (term == kNoTerm) continue;
        ++entered;
        if (term >= nodes_.size()) throw std::logic_error("self-check: a term that is not there");
    }
    if (entered != nodes_.size()) throw std::logic_error("self-check: a term is entered twice");
    for (TermId term = 0; term < nodes_.size(); ++term) {
        const Node& node = nodes_[term];
        const auto mine = args(term);
        bool fine = node.hash == hash_of(node.head, mine.data(), arity(node.head));
        size_t slot = node.hash & (table_.size() - 1);
        for (; table_[slot] != term; slot = (slot + 1) & (table_.size() - 1)) {
            if (table_[slot] == kNoTerm) throw std::logic_error("self-check: a term is lost");
            const Node& other = nodes_[table_[slot]];
            fine =
                fine && !(other.head == node.head && std::ranges::equal(args(table_[slot]), mine));
        }
        for (const TermId arg : mine) fine = fine && arg < term;
        if (!fine) throw std::logic_error("self-check: the term bank is damaged");
    }
}

size_t TermBank::bytes() const {
    return nodes_.capacity() * sizeof(Node) +
           (pool_.capacity() + table_.capacity()) * sizeof(TermId);
}

std::vector<TermId> TermBank::collect(std::vector<uint8_t>& mark) {
    Timed timed(profile, Work::bank);
    mark.resize(nodes_.size(), 0);
    for (size_t term = nodes_.size(); term-- > 0;)
        if (mark[term])
            for (TermId arg : args(static_cast<TermId>(term))) mark[arg] = 1;
    std::vector<TermId> moved(nodes_.size(), kNoTerm);
    TermId next = 0;
    uint32_t end = 0;
    for (TermId term = 0; term < nodes_.size(); ++term) {
        if (!mark[term]) continue;
        Node node = nodes_[term];
        const uint32_t count = arity(node.head);
        assert(end <= node.args);  // arguments move down, onto those that are done
        for (uint32_t i = 0; i < count; ++i) pool_[end + i] = moved[pool_[node.args + i]];
        node.args = end;
        node.hash = hash_of(node.head, pool_.data() + end, count);
        end += count;
        moved[term] = next;
        nodes_[next++] = node;
    }
    nodes_.resize(next);
    pool_.resize(end);
    size_t slots = table_.size();
    while (slots > kFirstSlots && 8 * nodes_.size() < slots) slots /= 2;
    rehash(slots);
    return moved;
}

TermId TermBank::read(std::span<const int32_t> codes) {
    std::vector<TermId> operands;
    for (size_t i = codes.size(); i-- > 0;) {
        const int32_t code = codes[i];
        if (code < 0) {
            operands.push_back(variable(static_cast<uint32_t>(-(code + 1))));
            continue;
        }
        const auto head = static_cast<Head>(code);
        const uint32_t count = arity(head);
        if (operands.size() < count) throw std::invalid_argument("prefix codes end too early");
        // Read from the right, the first argument is on top.
        TermId args[256];
        for (uint32_t k = 0; k < count; ++k) {
            args[k] = operands.back();
            operands.pop_back();
        }
        operands.push_back(make(head, args, count));
    }
    if (operands.size() != 1) throw std::invalid_argument("prefix codes are not one term");
    return operands[0];
}

void TermBank::write(TermId term, std::vector<int32_t>& codes, size_t most) const {
    std::vector<TermId> stack{term};
    for (size_t written = 0; !stack.empty() && written < most; ++written) {
        spend();
        const TermId t = stack.back();
        stack.pop_back();
        const Head h = head(t);
        codes.push_back(is_variable(h) ? -static_cast<int32_t>(variable_index(h)) - 1
                                       : static_cast<int32_t>(h));
        const auto a = args(t);
        stack.insert(stack.end(), a.rbegin(), a.rend());
    }
}

}  // namespace threesil
