#include "verify.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace threesil {

bool bind_pattern(const TermBank& bank, const Pattern& pattern, TermId term,
                  std::vector<TermId>& values) {
    std::vector<std::pair<uint32_t, TermId>> stack{{pattern.root(), term}};
    while (!stack.empty()) {
        const auto [index, t] = stack.back();
        stack.pop_back();
        const Pattern::PatternNode& node = pattern.nodes[index];
        if (is_variable(node.head)) {
            TermId& value = values[variable_index(node.head)];
            if (value != kNoTerm && value != t) return false;
            value = t;
            continue;
        }
        if (bank.head(t) != node.head) return false;
        for (uint32_t k = 0; k < node.arity; ++k)
            stack.emplace_back(pattern.children[node.children + k], bank.arg(t, k));
    }
    return true;
}

bool is_instance(const TermBank& bank, const Rule& rule, TermId from, TermId to) {
    std::vector<TermId> values(rule.variables, kNoTerm);
    return bind_pattern(bank, rule.from, from, values) && bind_pattern(bank, rule.to, to, values);
}

namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(std::string("self-check: ") + what);
}

// A chain's table of terms: structurally equal terms are one node, so nodes can be compared.
class Table {
   public:
    Table(const Rules& rules, const Chain& chain) : rules_(rules), chain_(chain) {
        for (const uint32_t head : chain.heads) {
            require(!is_variable(head), "a chain has a free variable");
            first_.push_back(next_);
            next_ += arity(head);
        }
        require(next_ == chain.args.size(), "a chain's table is damaged");
        for (uint32_t node = 0; node < size(); ++node)
            for (const uint32_t arg : args(node))
                require(arg < node, "a chain's table is not bottom-up");
    }

    uint32_t size() const { return static_cast<uint32_t>(chain_.heads.size()); }
    uint32_t arity(Head head) const { return head < rules_.arity.size() ? rules_.arity[head] : 0; }
    std::span<const uint32_t> args(uint32_t node) const {
        return {chain_.args.data() + first_[node], arity(chain_.heads[node])};
    }

    bool is(uint32_t root, std::span<const int32_t> codes) const {
        std::vector<uint32_t> stack{root};
        for (const int32_t code : codes) {
            if (stack.empty()) return false;
            const uint32_t node = stack.back();
            stack.pop_back();
            if (chain_.heads[node] != static_cast<Head>(code)) return false;
            const auto below = args(node);
            stack.insert(stack.end(), below.rbegin(), below.rend());
        }
        return stack.empty();
    }

    bool is(uint32_t root, const Pattern& pattern, const std::vector<uint32_t>& values) const {
        std::vector<std::pair<uint32_t, uint32_t>> stack{{root, pattern.root()}};
        while (!stack.empty()) {
            const auto [node, index] = stack.back();
            stack.pop_back();
            const Pattern::PatternNode& expected = pattern.nodes[index];
            if (is_variable(expected.head)) {
                if (node != values[variable_index(expected.head)]) return false;
                continue;
            }
            if (chain_.heads[node] != expected.head) return false;
            for (uint32_t k = 0; k < expected.arity; ++k)
                stack.emplace_back(args(node)[k], pattern.children[expected.children + k]);
        }
        return true;
    }

   private:
    const Rules& rules_;
    const Chain& chain_;
    std::vector<size_t> first_;
    size_t next_ = 0;
};

void check_step(const Rules& rules, const Table& table, const Chain& chain, const ChainStep& step,
                uint32_t before) {
    const auto rule = std::find_if(rules.rules.begin(), rules.rules.end(),
                                   [&](const Rule& r) { return r.equation == step.equation; });
    require(rule != rules.rules.end(), "a step of an unknown equation");
    require(step.values.size() == rule->variables && step.result < table.size() &&
                std::ranges::all_of(
                    step.values, [&](uint32_t v) { return v < table.size(); }),
            "a step is damaged");
    uint32_t after = step.result;
    for (const uint32_t k : step.path) {
        const auto mine = table.args(before), other = table.args(after);
        require(chain.heads[before] == chain.heads[after] && k < mine.size(),
                "a step changes more than its place");
        for (uint32_t j = 0; j < mine.size(); ++j)
            require(j == k || mine[j] == other[j], "a step changes more than its place");
        before = mine[k];
        after = other[k];
    }
    const bool forward = rule->left_to_right == step.left_to_right;
    require(table.is(before, forward ? rule->from : rule->to, step.values) &&
                table.is(after, forward ? rule->to : rule->from, step.values),
            "a step is no instance of its equation");
}

}  // namespace

void check_chain(const Rules& rules, std::span<const int32_t> start, const Chain& chain,
                 bool closed) {
    const Table table(rules, chain);
    require(chain.start < table.size(), "a chain's table is damaged");
    std::span<const int32_t> left = start, right;
    if (rules.goal == Goal::equation) {
        size_t end = 1;
        for (uint64_t open = 1; open > 0; ++end)
            open = open - 1 + table.arity(static_cast<Head>(start[end]));
        left = start.subspan(1, end - 1);
        right = start.subspan(end);
    }
    require(table.is(chain.start, left), "a chain has another start than its problem");
    uint32_t whole = chain.start;
    for (const ChainStep& step : chain.steps) {
        check_step(rules, table, chain, step, whole);
        whole = step.result;
    }
    require(!closed || rules.goal != Goal::equation || table.is(whole, right),
            "a chain has another end than its problem");
}

}  // namespace threesil
