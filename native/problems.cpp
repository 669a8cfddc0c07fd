#include "problems.hpp"

#include <stdexcept>
#include <string>

namespace threesil {

namespace {

[[noreturn]] void refuse(size_t at, const std::string& what) {
    throw std::invalid_argument("code " + std::to_string(at) + " of a problem: " + what);
}

void check_term(const Rules& rules, std::span<const int32_t> codes, size_t constants,
                bool equation) {
    const auto symbols = static_cast<int64_t>(rules.arity.size());
    uint64_t open = 1;  // terms still to be read
    for (size_t i = 0; i < codes.size(); ++i) {
        const int64_t code = codes[i];
        if (open == 0) refuse(i, "the term has ended before");
        if (code < 0) refuse(i, "a problem has no introduced variables");
        if (code == rules.cursor()) refuse(i, "a problem has no cursor");
        if ((code == rules.equality) != (equation && i == 0))
            refuse(i, "an equation is two terms joined by the equality symbol");
        if (code >= symbols && static_cast<uint64_t>(code - symbols) >= constants)
            refuse(i, "the number of a constant is too large");
        open = open - 1 + (code < symbols ? rules.arity[static_cast<size_t>(code)] : 0u);
    }
    if (open != 0) refuse(codes.size(), "the codes end before the term does");
}

}  // namespace

void check_problem(const Rules& rules, const Problem& problem) {
    const size_t codes = problem.start.size() + problem.target.size();
    check_term(rules, problem.start, codes, rules.goal == Goal::equation);
    if ((rules.goal == Goal::target) == problem.target.empty())
        throw std::invalid_argument("a problem has a target if the theory's goal is one");
    if (!problem.target.empty()) check_term(rules, problem.target, codes, false);
}

void check_equation(const Rules& rules, std::span<const int32_t> codes) {
    if (rules.goal != Goal::equation) throw std::invalid_argument("searches prove equations");
    check_term(rules, codes, codes.size(), true);
}

Problems::Problems(std::shared_ptr<const Rules> rules, std::vector<Problem> problems)
    : rules_(std::move(rules)), all_(std::move(problems)) {
    for (const Problem& problem : all_) check_problem(*rules_, problem);
}

void Problems::replace(size_t index, Problem problem) {
    if (index >= all_.size()) throw std::out_of_range("no such problem");
    check_problem(*rules_, problem);
    all_[index] = std::move(problem);
}

bool Problems::fits(const Rules& rules) const {
    return &rules == rules_.get() || (rules.arity == rules_->arity && rules.goal == rules_->goal &&
                                      rules.equality == rules_->equality);
}

}  // namespace threesil
