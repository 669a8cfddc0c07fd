#include "rules.hpp"

#include <cassert>
#include <stdexcept>

namespace threesil {

namespace {
constexpr size_t kMost = 65535;  // actions, rules, variables of a rule: numbers of 16 bits
}

bool Pattern::may_match(const TermBank& bank, TermId term) const {
    assert(!nodes.empty());
    const PatternNode& top = nodes.back();
    const Head head = bank.head(term);
    if (is_variable(top.head) || is_variable(head)) return true;
    if (top.head != head) return false;
    for (uint32_t k = 0; k < top.arity; ++k) {
        const Head mine = nodes[children[top.children + k]].head;
        const Head other = bank.head(bank.arg(term, k));
        if (mine != other && !is_variable(mine) && !is_variable(other)) return false;
    }
    return true;
}

Pattern Rules::compile(const std::vector<int32_t>& codes, uint32_t variables) const {
    Pattern pattern;
    std::vector<uint32_t> operands;
    for (size_t i = codes.size(); i-- > 0;) {
        const int32_t code = codes[i];
        Pattern::PatternNode node{};
        node.children = static_cast<uint32_t>(pattern.children.size());
        if (code < 0) {
            node.head = kVariable | static_cast<uint32_t>(-(code + 1));
            if (variable_index(node.head) >= variables)
                throw std::invalid_argument("a rule has more variables than it says");
        } else {
            node.head = static_cast<Head>(code);
            if (node.head >= cursor() || code == equality)
                throw std::invalid_argument("unknown symbol in a rule");
            node.arity = arity[node.head];
            if (operands.size() < node.arity) throw std::invalid_argument("a rule ends too early");
            for (uint32_t k = 0; k < node.arity; ++k) {
                pattern.children.push_back(operands.back());
                operands.pop_back();
            }
        }
        operands.push_back(static_cast<uint32_t>(pattern.nodes.size()));
        pattern.nodes.push_back(node);
    }
    if (operands.size() != 1) throw std::invalid_argument("a side of a rule is not one term");
    return pattern;
}

Rules::Rules(std::vector<uint8_t> arity_, std::vector<uint8_t> constructor_,
             const std::vector<ActionSpec>& specs, Goal goal_, int32_t equality_,
             bool enter_leaves_, bool no_repeats_)
    : arity(std::move(arity_)),
      constructor(std::move(constructor_)),
      goal(goal_),
      equality(equality_),
      enter_leaves(enter_leaves_),
      no_repeats(no_repeats_) {
    if (constructor.size() != arity.size())
        throw std::invalid_argument("arity and constructor differ in length");
    if (arity.empty() || arity.back() != 1)
        throw std::invalid_argument("the last symbol is the cursor, of arity 1");
    if (specs.empty() || specs.size() > kMost) throw std::invalid_argument("1 to 65535 actions");
    if (equality < -1 || equality >= static_cast<int32_t>(cursor()) ||
        (goal == Goal::equation) != (equality >= 0) ||
        (equality >= 0 && arity[static_cast<size_t>(equality)] != 2))
        throw std::invalid_argument("an equation has an equality symbol, of arity 2");
    for (const ActionSpec& spec : specs) {
        Action action{spec.move, spec.argument, {}};
        for (const RuleSpec& rule : spec.rules) {
            if (rules.size() == kMost) throw std::invalid_argument("more than 65535 rules");
            if (rule.variables > kMost)
                throw std::invalid_argument("a rule has more than 65535 variables");
            action.rules.push_back(static_cast<uint16_t>(rules.size()));
            action_of.push_back(static_cast<uint16_t>(actions.size()));
            rules.push_back({compile(rule.from, rule.variables), compile(rule.to, rule.variables),
                             rule.variables, rule.equation, rule.left_to_right});
        }
        actions.push_back(std::move(action));
    }
    const size_t rows = arity.size() + 2;
    by_head_.resize(rows);
    yield_.assign(rows * mask_words(), 0);
    for (size_t r = 0; r < rules.size(); ++r) {
        const Head from = rules[r].from.root_head();
        const Head to = rules[r].to.root_head();
        for (size_t row = 0; row < rows; ++row) {
            if (is_variable(from) || from == row || row == rows - 1)
                by_head_[row].push_back(static_cast<uint16_t>(r));
            if (is_variable(to) || to == row)
                yield_[row * mask_words() + action_of[r] / 64] |= MaskWord{1} << action_of[r] % 64;
        }
    }
}

namespace {
size_t row_of(Head head, size_t symbols) {
    if (is_variable(head)) return symbols + 1;
    return head < symbols ? head : symbols;
}
}  // namespace

const std::vector<uint16_t>& Rules::candidates(Head head) const {
    return by_head_[row_of(head, arity.size())];
}

const MaskWord* Rules::can_yield(Head head) const {
    return yield_.data() + row_of(head, arity.size()) * mask_words();
}

}  // namespace threesil
