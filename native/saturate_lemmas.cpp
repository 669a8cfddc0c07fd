// What a saturation has found besides the goal: short equations, which may be lemmas.
#include <algorithm>

#include "explain.hpp"
#include "saturate.hpp"

namespace threesil {

std::vector<std::vector<Chain>> Saturation::equations(size_t count, uint32_t size,
                                                      Control& control) {
    std::vector<std::vector<Chain>> found;
    if (!whole_) return found;
    const Watch watch(bank_, control);
    try {
        list_equations(count, size, found);
    } catch (const Ended&) {  // what there is will do
    }
    return found;
}

void Saturation::list_equations(size_t count, uint32_t size,
                                std::vector<std::vector<Chain>>& found) {
    struct Pair {
        uint32_t size;
        TermId smallest, other;
    };
    std::vector<Pair> pairs;
    for (const TermId node : graph_.nodes()) {
        bank_.spend();
        const TermId smallest = graph_.smallest(graph_.find(node));
        if (node == smallest || graph_.duplicate(node)) continue;
        const uint32_t both = bank_[node].size + bank_[smallest].size;
        if (both > size) continue;
        // Of terms that differ in equal subterms one is enough.
        const auto args = bank_.args(node);
        const bool least = std::all_of(args.begin(), args.end(), [&](TermId arg) {
            return graph_.smallest(graph_.find(arg)) == arg;
        });
        if (least) pairs.push_back({both, smallest, node});
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
        return a.size != b.size ? a.size < b.size : a.other < b.other;
    });
    for (const auto& [both, smallest, other] : pairs) {
        if (found.size() == count) break;
        // A single step is an instance of an equation, or of one between smaller terms.
        if (graph_.path(other, smallest).size() > 1)
            found.push_back(explain(*rules_, bank_, graph_, other, smallest));
    }
}

}  // namespace threesil
