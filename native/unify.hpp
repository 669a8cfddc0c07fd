// Unification of a term with one side of a rule, and what follows from a unifier.
//
// The rule's variables are renamed apart by an offset: variable j of the rule is variable
// `offset + j`. Bindings are triangular: a bound variable points to a term or to a node of the
// rule, whose own variables may be bound in turn. Nothing is built until it is asked for.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "rules.hpp"
#include "term_bank.hpp"

namespace threesil {

class Unifier {
   public:
    // `quirk`: AIMLEAP's unifier. It keeps bindings fully substituted, and where a pair (X, Y) of
    // variables comes up, X unbound and Y, as it stands there, bound to X (directly or by a
    // chain), its occurs check fires and it fails; textbook unification takes the pair as solved.
    Unifier(TermBank& bank, bool quirk) : bank_(bank), quirk_(quirk) {}

    // Each call forgets the bindings of the one before.
    bool unify(TermId term, const Rule& rule, uint32_t offset);
    bool unify(TermId left, TermId right);

    // True if a variable below the offset is bound, so that the rest of the goal changes too.
    bool binds_goal() const { return binds_goal_; }

    // The instance of the right side of the last rule, or of a term, under the unifier.
    TermId instance();
    TermId instance(TermId term);
    // The same compared with a given term, without building it.
    bool instance_is(TermId expected);
    bool instance_is(TermId term, TermId expected);

    // (variable, its value) for every bound variable, in the order in which they were bound.
    std::vector<std::pair<uint32_t, TermId>> bindings();

   private:
    // A term, or with kRule a node of a side of the rule; kTo tells which side.
    using Ref = uint32_t;
    static constexpr Ref kRule = 0x80000000u;
    static constexpr Ref kTo = 0x40000000u;
    static constexpr Ref kUnbound = 0xffffffffu;

    // A side stands as it was when `left_seen` or `right_seen` variables were bound (0: in the
    // input); bindings made since then do not show in it.
    struct Pair {
        Ref left, right;
        uint32_t left_seen, right_seen;
    };

    void begin(uint32_t variables);
    bool match(TermId term, const Rule& rule);
    bool solve(Ref left, Ref right);
    bool occurs(uint32_t variable, Ref in);
    void bind(uint32_t variable, Ref value);

    const Pattern& side(Ref ref) const { return ref & kTo ? rule_->to : rule_->from; }
    const Pattern::PatternNode& rule_node(Ref ref) const {
        assert(rule_ && (ref & kRule) && (ref & ~(kRule | kTo)) < side(ref).nodes.size());
        return side(ref).nodes[ref & ~(kRule | kTo)];
    }
    Head head(Ref ref) const {
        if (!(ref & kRule)) return bank_.head(ref);
        const Head h = rule_node(ref).head;
        return is_variable(h) ? h + offset_ : h;
    }
    Ref child(Ref ref, uint32_t index) const {
        if (!(ref & kRule)) return bank_.arg(ref, index);
        return (ref & (kRule | kTo)) | side(ref).children[rule_node(ref).children + index];
    }
    bool ground(Ref ref) const { return !(ref & kRule) && bank_.ground(ref); }
    Ref resolve(Ref ref) const;
    Ref as_seen(Ref ref, uint32_t seen) const;
    TermId build(Ref ref);
    std::pair<uint32_t, TermId>& result_of(Ref ref);
    TermId value(Ref ref);
    bool same(Ref ref, TermId expected);

    TermBank& bank_;
    const bool quirk_;
    const Rule* rule_ = nullptr;
    uint32_t offset_ = 0;
    bool binds_goal_ = false;
    std::vector<Ref> binding_;
    std::vector<uint32_t> trail_;
    std::vector<uint32_t> bound_at_;  // length of the trail when a variable was bound
    std::vector<Pair> pairs_;
    std::vector<Ref> stack_;
    std::vector<std::pair<Ref, TermId>> compare_;
    // Results of build() under the current bindings: (stamp, result) by term and by node of `from`.
    using Results = std::vector<std::pair<uint32_t, TermId>>;
    Results built_, built_rule_;
    uint32_t stamp_ = 0;
    std::vector<Ref> build_stack_;
    std::vector<TermId> build_args_, node_values_;
    std::vector<uint32_t> seen_, seen_rule_;
    uint32_t seen_stamp_ = 0;
};

}  // namespace threesil
