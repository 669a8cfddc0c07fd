#include "index.hpp"

namespace threesil {

uint32_t Index::new_leaf(FlatView pattern, uint32_t entry) {
    Leaf leaf{Flat(pattern.begin(), pattern.end()), entry};
    if (free_.empty()) {
        leaves_.push_back(std::move(leaf));
        return static_cast<uint32_t>(leaves_.size()) - 1;
    }
    const uint32_t number = free_.back();
    free_.pop_back();
    leaves_[number] = std::move(leaf);
    return number;
}

void Index::insert(FlatView pattern, uint32_t entry) {
    ++size_;
    if (const uint32_t variables = variables_of(pattern); variables > values_.size())
        values_.resize(variables);
    uint32_t node = 0;
    for (uint32_t depth = 0;; ++depth) {
        const auto rest = static_cast<uint32_t>(pattern.size()) - depth;
        nodes_[node].least = std::min(nodes_[node].least, rest);
        if (rest == 0) {
            nodes_[node].entries.push_back(entry);
            return;
        }
        const Cell cell = pattern[depth];
        auto& edges = is_var(cell) ? nodes_[node].variables : nodes_[node].symbols;
        const auto edge = std::find_if(edges.begin(), edges.end(),
                                       [&](const Edge& e) { return e.symbol == cell.symbol; });
        if (edge == edges.end()) {
            edges.push_back({cell.symbol, new_leaf(pattern, entry), true});
            return;
        }
        if (edge->leaf) {
            // The pattern that was alone here goes one node further.
            const uint32_t moved = edge->to;
            *edge = {cell.symbol, static_cast<uint32_t>(nodes_.size()), false};
            const Flat& old = leaves_[moved].pattern;
            TreeNode next;
            next.least = static_cast<uint32_t>(old.size()) - (depth + 1);
            if (next.least == 0) {
                next.entries.push_back(leaves_[moved].entry);
                free_.push_back(moved);
            } else {
                const Cell first = old[depth + 1];
                (is_var(first) ? next.variables : next.symbols)
                    .push_back({first.symbol, moved, true});
            }
            node = static_cast<uint32_t>(nodes_.size());
            nodes_.push_back(std::move(next));
        } else {
            node = edge->to;
        }
    }
}

void Index::remove(FlatView pattern, uint32_t entry) {
    assert(size_ > 0);
    --size_;
    uint32_t node = 0;
    for (const Cell cell : pattern) {
        auto& edges = is_var(cell) ? nodes_[node].variables : nodes_[node].symbols;
        const auto edge = std::find_if(edges.begin(), edges.end(),
                                       [&](const Edge& e) { return e.symbol == cell.symbol; });
        assert(edge != edges.end());
        if (edge->leaf) {
            assert(leaves_[edge->to].entry == entry);
            free_.push_back(edge->to);
            edges.erase(edge);
            return;
        }
        node = edge->to;
    }
    auto& entries = nodes_[node].entries;
    const auto place = std::find(entries.begin(), entries.end(), entry);
    assert(place != entries.end());
    entries.erase(place);
}

}  // namespace threesil
