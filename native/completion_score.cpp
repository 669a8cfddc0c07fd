#include "completion_score.hpp"

#include <algorithm>

namespace threesil {

bool SizeScorer::closes(FlatView term) {
    if (weights_.equals < 0 || term[0].symbol != weights_.equals) return false;
    const Cell *first = &term[1], *second = &term[1 + term[1].length];
    if (is_var(*first) || is_var(*second)) return false;
    unifier_.clear(variables_of(term), 0);
    return unifier_.unify({first, 0}, {second, 0});
}

float SizeScorer::size(FlatView term) {
    if (closes(term)) return 1;
    hashes_.resize(term.size());
    for (size_t i = term.size(); i-- > 0;) {
        uint64_t h = (static_cast<uint64_t>(static_cast<uint32_t>(term[i].symbol)) + 1) *
                     0x9e3779b97f4a7c15ull;
        for (size_t j = i + 1; j < i + term[i].length; j += term[j].length)
            h = (h ^ hashes_[j]) * 0xff51afd7ed558ccdull, h ^= h >> 31;
        hashes_[i] = h;
    }
    float total = 0;
    for (size_t i = 0; i < term.size();) {
        if (is_var(term[i])) {
            total += weights_.variable;
            ++i;
            continue;
        }
        total += 1;
        const uint32_t length = term[i].length;
        bool again = false;
        if (length > 1)
            for (size_t j = i + length; j < term.size() && !again; ++j)
                again = hashes_[j] == hashes_[i] && term[j].length == length;
        i += again ? length : 1;
    }
    return total;
}

float SizeScorer::score(const ScoredPair& pair) {
    const float a = size(pair.left), b = size(pair.right);
    return static_cast<float>(pair.depth) * weights_.depth + (a + b) * weights_.smaller +
           std::max(a, b) * (weights_.larger - weights_.smaller);
}

}  // namespace threesil
