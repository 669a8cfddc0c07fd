#include "chain.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "verify.hpp"

namespace threesil {

namespace {

class Reader {
   public:
    Reader(const Rules& rules, Control* control)
        : rules_(rules), bank_(rules.arity, rules.constructor) {
        bank_.control = control;
    }

    Chain read(std::span<const int32_t> start, const std::vector<RewriteRecord>& records,
               const Bindings& solution, Head first_free);

   private:
    struct Whole {  // a step before its terms are listed as nodes
        const RewriteRecord* record;
        uint32_t first;  // number of the rule's first variable
        TermId before, after;
    };

    void bind(const Bindings& bindings);
    void resolve(Head first_free);
    TermId substitute(TermId root);
    TermId instance(const Pattern& pattern, uint32_t first);
    const Pattern& result_of(const RewriteRecord& record) const;
    void list(Chain& chain, TermId start, const std::vector<Whole>& steps);

    const Rules& rules_;
    TermBank bank_;
    std::vector<uint32_t> name_;   // by variable of the current state: its own number
    std::vector<TermId> value_;    // by own number; kNoTerm while unbound
    std::vector<uint32_t> bound_;  // own numbers in the order in which they were bound
    std::vector<TermId> memo_;
};

// Takes in values, which are written with the variables of the current state.
void Reader::bind(const Bindings& bindings) {
    std::vector<std::pair<uint32_t, TermId>> fresh;
    for (const auto& [variable, codes] : bindings) {
        std::vector<int32_t> own(codes.begin(), codes.end());
        for (int32_t& code : own)
            if (code < 0) {
                assert(static_cast<size_t>(-(code + 1)) < name_.size());
                code = -static_cast<int32_t>(name_[static_cast<size_t>(-(code + 1))]) - 1;
            }
        bank_.spend(own.size());
        fresh.emplace_back(name_[variable], bank_.read(own));
    }
    for (const auto& [number, value] : fresh) {
        assert(value_[number] == kNoTerm);
        value_[number] = value;
        bound_.push_back(number);
    }
}

// Full values of all variables; a value uses only variables that were bound later, or never.
void Reader::resolve(Head first_free) {
    const auto constant = std::find(rules_.arity.begin(), rules_.arity.end(), 0);
    const auto any = constant != rules_.arity.end()
                         ? static_cast<Head>(constant - rules_.arity.begin())
                         : static_cast<Head>(rules_.arity.size());
    const TermId filler = bank_.make(any, nullptr, 0);
    std::vector<uint8_t> has(value_.size(), 0);
    for (const uint32_t number : bound_) has[number] = 1;
    for (size_t number = 0; number < value_.size(); ++number)
        if (!has[number])
            value_[number] = first_free == kFill ? filler : bank_.make(first_free++, nullptr, 0);
    for (size_t i = bound_.size(); i-- > 0;) value_[bound_[i]] = substitute(value_[bound_[i]]);
}

// A term with its variables replaced by their values.
TermId Reader::substitute(TermId root) {
    if (bank_.ground(root)) return root;
    std::vector<TermId> stack{root}, args;
    memo_.assign(bank_.size(), kNoTerm);
    bank_.spend(bank_.size() / 64);
    while (!stack.empty()) {
        bank_.spend();
        const TermId term = stack.back();
        if (memo_[term] != kNoTerm) {
            stack.pop_back();
            continue;
        }
        const Head head = bank_.head(term);
        if (bank_.ground(term) || is_variable(head)) {
            memo_[term] = is_variable(head) ? value_[variable_index(head)] : term;
            continue;
        }
        const size_t before = stack.size();
        for (const TermId arg : bank_.args(term))
            if (memo_[arg] == kNoTerm) stack.push_back(arg);
        if (stack.size() > before) continue;
        args.clear();
        for (const TermId arg : bank_.args(term)) args.push_back(memo_[arg]);
        memo_[term] = bank_.make(head, args.data(), static_cast<uint32_t>(args.size()));
    }
    return memo_[root];
}

TermId Reader::instance(const Pattern& pattern, uint32_t first) {
    std::vector<TermId> values(pattern.nodes.size()), args;
    assert(first <= value_.size());
    for (size_t i = 0; i < values.size(); ++i) {
        const Pattern::PatternNode& node = pattern.nodes[i];
        if (is_variable(node.head)) {
            values[i] = value_[first + variable_index(node.head)];
            continue;
        }
        args.clear();
        for (uint32_t k = 0; k < node.arity; ++k)
            args.push_back(values[pattern.children[node.children + k]]);
        values[i] = bank_.make(node.head, args.data(), node.arity);
    }
    return values.back();
}

const Pattern& Reader::result_of(const RewriteRecord& record) const {
    const auto it = std::find_if(rules_.rules.begin(), rules_.rules.end(), [&](const Rule& rule) {
        return rule.equation == record.equation;
    });
    if (it == rules_.rules.end()) throw std::logic_error("a record of an unknown equation");
    return it->left_to_right == record.left_to_right ? it->to : it->from;
}

Chain Reader::read(std::span<const int32_t> codes, const std::vector<RewriteRecord>& records,
                   const Bindings& solution, Head first_free) {
    const TermId whole = bank_.read(codes);
    const bool two_sided = rules_.goal == Goal::equation;
    std::vector<uint32_t> first;
    for (const RewriteRecord& record : records) {
        const auto own = static_cast<uint32_t>(value_.size());
        first.push_back(own);
        value_.resize(own + record.variables, kNoTerm);
        if (name_.size() < record.bound + record.variables)
            name_.resize(record.bound + record.variables);
        for (uint32_t j = 0; j < record.variables; ++j) name_[record.bound + j] = own + j;
        bind(record.bindings);
    }
    bind(solution);
    resolve(first_free);
    std::vector<Whole> steps[2];
    TermId current[2] = {two_sided ? bank_.arg(whole, 0) : whole,
                         two_sided ? bank_.arg(whole, 1) : whole};
    assert(!two_sided || bank_.head(whole) == static_cast<Head>(rules_.equality));
    const TermId start = current[0];
    for (size_t i = 0; i < records.size(); ++i) {
        const RewriteRecord& record = records[i];
        std::span<const uint32_t> path = record.path;
        assert(!two_sided || (!path.empty() && path[0] < 2));
        const size_t side = two_sided ? path[0] : 0;
        if (two_sided) path = path.subspan(1);
        const TermId after =
            bank_.replaced(current[side], path, instance(result_of(record), first[i]));
        steps[side].push_back({&record, first[i], current[side], after});
        current[side] = after;
    }
    for (auto it = steps[1].rbegin(); it != steps[1].rend(); ++it)
        steps[0].push_back({it->record, it->first, it->after, it->before});
    Chain chain;
    list(chain, start, steps[0]);
    return chain;
}

void Reader::list(Chain& chain, TermId start, const std::vector<Whole>& steps) {
    std::vector<uint8_t> needed(bank_.size(), 0);
    needed[start] = 1;
    for (const Whole& step : steps) {
        needed[step.after] = 1;
        for (uint32_t j = 0; j < step.record->variables; ++j) needed[value_[step.first + j]] = 1;
    }
    bank_.spend(needed.size() / 4);
    for (size_t t = needed.size(); t-- > 0;)
        if (needed[t])
            for (const TermId arg : bank_.args(static_cast<TermId>(t))) needed[arg] = 1;
    std::vector<uint32_t> node(needed.size());
    for (TermId t = 0; t < needed.size(); ++t) {
        if (!needed[t]) continue;
        node[t] = static_cast<uint32_t>(chain.heads.size());
        chain.heads.push_back(bank_.head(t));
        for (const TermId arg : bank_.args(t)) chain.args.push_back(node[arg]);
    }
    chain.start = node[start];
    const bool two_sided = rules_.goal == Goal::equation;
    for (const Whole& step : steps) {
        const RewriteRecord& record = *step.record;
        const bool forward = !two_sided || record.path[0] == 0;
        ChainStep out{{record.path.begin() + two_sided, record.path.end()},
                      record.equation,
                      record.left_to_right == forward,
                      {},
                      node[step.after]};
        for (uint32_t j = 0; j < record.variables; ++j)
            out.values.push_back(node[value_[step.first + j]]);
        chain.steps.push_back(std::move(out));
    }
}

}  // namespace

Chain read_out(const Rules& rules, std::span<const int32_t> start,
               const std::vector<RewriteRecord>& records, const Bindings& solution, Head first_free,
               Control* control, bool self_check) {
    Chain chain = Reader(rules, control).read(start, records, solution, first_free);
    if (self_check) check_chain(rules, start, chain, first_free == kFill);
    return chain;
}

}  // namespace threesil
