// A discrimination tree: which of many patterns a term is an instance of.
//
// A path from the root spells a pattern, its variables numbered by first occurrence; what is
// found comes with the values of its variables. (McCune 1992)
#pragma once

#include <cstdint>
#include <vector>

#include "flat.hpp"

namespace threesil {

class Index {
   public:
    Index() : nodes_(1) {}

    // Variables of `pattern` must be numbered by first occurrence.
    void insert(FlatView pattern, uint32_t entry);
    void remove(FlatView pattern, uint32_t entry);

    // Calls accept(entry, values) for the patterns that have the term as an instance, until it
    // returns true; whether it did.
    template <typename Accept>
    bool find(FlatView term, Accept&& accept) const {
        frames_.clear();
        values_.clear();
        frames_.push_back({0, 0, 0, 0});
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            const TreeNode& node = nodes_[frame.node];
            if (frame.at == term.size()) {
                values_.resize(frame.bound);
                for (const uint32_t entry : node.entries)
                    if (accept(entry, values_)) return true;
                frames_.pop_back();
                continue;
            }
            if (frame.edge == node.edges.size()) {
                frames_.pop_back();
                continue;
            }
            const Edge edge = node.edges[frame.edge++];
            values_.resize(frame.bound);
            if (edge.symbol >= 0) {
                if (term[frame.at].symbol == edge.symbol)
                    frames_.push_back({edge.node, frame.at + 1, 0, frame.bound});
                continue;
            }
            const auto v = static_cast<uint32_t>(~edge.symbol);
            const FlatView part = subterm(term, frame.at);
            const auto end = frame.at + static_cast<uint32_t>(part.size());
            if (v < frame.bound) {
                if (same(values_[v], part)) frames_.push_back({edge.node, end, 0, frame.bound});
            } else {
                assert(v == frame.bound);
                values_.push_back(part);
                const uint32_t bound = frame.bound + 1;
                frames_.push_back({edge.node, end, 0, bound});
            }
        }
        return false;
    }

   private:
    struct Edge {
        int32_t symbol;
        uint32_t node;
    };
    struct TreeNode {
        std::vector<Edge> edges;
        std::vector<uint32_t> entries;
    };
    struct Frame {
        uint32_t node, at, edge, bound;
    };

    std::vector<TreeNode> nodes_;
    mutable std::vector<Frame> frames_;
    mutable FlatBindings values_;
};

}  // namespace threesil
