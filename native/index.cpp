#include "index.hpp"

#include <algorithm>

namespace threesil {

void Index::insert(FlatView pattern, uint32_t entry) {
    uint32_t node = 0;
    for (const Cell cell : pattern) {
        const auto& edges = nodes_[node].edges;
        const auto edge = std::find_if(edges.begin(), edges.end(),
                                       [&](const Edge& e) { return e.symbol == cell.symbol; });
        if (edge != edges.end()) {
            node = edge->node;
            continue;
        }
        const auto next = static_cast<uint32_t>(nodes_.size());
        nodes_[node].edges.push_back({cell.symbol, next});
        nodes_.emplace_back();
        node = next;
    }
    nodes_[node].entries.push_back(entry);
}

void Index::remove(FlatView pattern, uint32_t entry) {
    uint32_t node = 0;
    for (const Cell cell : pattern) {
        const auto& edges = nodes_[node].edges;
        const auto edge = std::find_if(edges.begin(), edges.end(),
                                       [&](const Edge& e) { return e.symbol == cell.symbol; });
        assert(edge != edges.end());
        node = edge->node;
    }
    auto& entries = nodes_[node].entries;
    const auto place = std::find(entries.begin(), entries.end(), entry);
    assert(place != entries.end());
    entries.erase(place);
}

}  // namespace threesil
