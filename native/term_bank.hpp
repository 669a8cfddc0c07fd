// Hash-consed terms: structurally equal terms have the same 32-bit id.
//
// A head is a symbol of the signature (below the number of symbols), a constant of the problem
// (above), or a variable (highest bit set, index in the rest). Arguments always have smaller ids
// than the term they belong to, so a scan by ids is a scan bottom-up and nothing here recurses.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "control.hpp"
#include "profile.hpp"

namespace threesil {

using TermId = uint32_t;
using Head = uint32_t;

inline constexpr TermId kNoTerm = 0x7fffffff;
inline constexpr Head kVariable = 0x80000000u;
inline constexpr uint32_t kHuge = 0x3fffffff;  // sizes and depths stop counting here

inline bool is_variable(Head head) { return head & kVariable; }
inline uint32_t variable_index(Head head) { return head & ~kVariable; }

struct Node {
    Head head;
    uint32_t args;   // offset of the arguments in the pool
    uint32_t size;   // nodes of the tree
    uint32_t bound;  // 1 + largest variable index, 0 for a ground term
    uint32_t depth : 30;
    uint32_t normal : 1;    // all heads are constructors
    uint32_t personal : 1;  // has a leaf that is not in the signature
    uint32_t hash;
};

class TermBank {
   public:
    // `arity` and `constructor` of the symbols of the signature; both outlive the bank.
    TermBank(const std::vector<uint8_t>& arity, const std::vector<uint8_t>& constructor);

    TermId make(Head head, const TermId* args, uint32_t count);
    TermId variable(uint32_t index) { return make(kVariable | index, nullptr, 0); }
    // The term with `value` for the subterm at `path`.
    TermId replaced(TermId term, std::span<const uint32_t> path, TermId value);

    const Node& operator[](TermId term) const {
        assert(term < nodes_.size());
        return nodes_[term];
    }
    Head head(TermId term) const { return (*this)[term].head; }
    bool ground(TermId term) const { return (*this)[term].bound == 0; }
    uint32_t arity(Head head) const { return head < arity_.size() ? arity_[head] : 0; }
    std::span<const TermId> args(TermId term) const {
        const Node& node = (*this)[term];
        return {pool_.data() + node.args, arity(node.head)};
    }
    TermId arg(TermId term, uint32_t index) const {
        assert(index < arity(head(term)));
        return pool_[nodes_[term].args + index];
    }

    size_t size() const { return nodes_.size(); }
    void clear();
    // Clears, and gives the memory back.
    void release();
    size_t bytes() const;
    // Throws std::logic_error unless every term is found where its hash says, once: slow.
    void check() const;

    // Keeps the terms reachable from those with mark[t] != 0 and returns the new id of each old
    // one (kNoTerm for a dropped one). The order of ids is kept.
    std::vector<TermId> collect(std::vector<uint8_t>& mark);

    // Terms as prefix codes: a symbol is its number, a variable -(index + 1).
    TermId read(std::span<const int32_t> codes);
    // Appends the codes of a term, at most so many.
    void write(TermId term, std::vector<int32_t>& codes, size_t most = ~size_t{0}) const;

    // Who watches the work on the terms of this bank.
    Profile* profile = nullptr;
    Control* control = nullptr;
    void spend(uint64_t work = 1) const {
        if (control) control->spend(work);
    }
    void put_off(uint64_t work = 1) const {
        if (control) control->put_off(work);
    }

   private:
    uint32_t hash_of(Head head, const TermId* args, uint32_t count) const;
    size_t free_slot(uint32_t hash) const;
    void rehash(size_t slots);

    const std::vector<uint8_t>& arity_;
    const std::vector<uint8_t>& constructor_;
    std::vector<Node> nodes_;
    std::vector<TermId> pool_;
    std::vector<TermId> table_;  // open addressing, a power of two, kNoTerm where free
};

// Lets a control watch a bank for the length of a scope.
class Watch {
   public:
    Watch(TermBank& bank, Control& control) : bank_(bank) { bank_.control = &control; }
    ~Watch() { bank_.control = nullptr; }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    TermBank& bank_;
};

}  // namespace threesil
