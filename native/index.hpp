// A discrimination tree: which of many patterns a term is an instance of.
//
// A path from the root spells the beginning of a pattern, its variables numbered by first
// occurrence. Where only one pattern is left the tree ends, and the rest is matched as it is; a
// node knows how many cells are still to come at the least. (McCune 1992)
#pragma once

#include <algorithm>
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
    bool empty() const { return size_ == 0; }

    // Calls accept(entry, values) for the patterns that have the term as an instance, until it
    // returns true; whether it did.
    template <typename Accept>
    bool find(FlatView term, Accept&& accept) const {
        if (empty()) return false;
        frames_.clear();
        frames_.push_back({0, 0, 0, 0, 0});
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            const TreeNode& node = nodes_[frame.node];
            const Frame here = frame;
            if (here.at == term.size()) {
                for (const uint32_t entry : node.entries)
                    if (accept(entry, FlatValues(values_.data(), here.bound))) return true;
                frames_.pop_back();
                continue;
            }
            // First the edge of the symbol, then those of the variables.
            const Edge* edge = nullptr;
            uint32_t at = here.at + 1, bound = here.bound;
            if (here.edge == 0) {
                frame.edge = 1;
                edge = find_edge(node.symbols, term[here.at].symbol);
                if (!edge) continue;
            } else {
                if (here.edge > node.variables.size()) {
                    frames_.pop_back();
                    continue;
                }
                edge = &node.variables[frame.edge++ - 1];
                const FlatView part = subterm(term, here.at);
                if (!fits(static_cast<uint32_t>(~edge->symbol), part, bound)) continue;
                at = here.at + static_cast<uint32_t>(part.size());
            }
            const auto left = static_cast<uint32_t>(term.size()) - at;
            if (edge->leaf) {
                const Leaf& leaf = leaves_[edge->to];
                if (match_rest(leaf.pattern, here.depth + 1, term, at, bound) &&
                    accept(leaf.entry, FlatValues(values_.data(), bound)))
                    return true;
            } else if (nodes_[edge->to].least <= left) {
                frames_.push_back({edge->to, at, here.depth + 1, 0, bound});
            }
        }
        return false;
    }

   private:
    struct Edge {
        int32_t symbol;
        uint32_t to;  // a leaf or a node
        bool leaf;
    };
    struct TreeNode {
        std::vector<Edge> symbols, variables;
        std::vector<uint32_t> entries;  // of the pattern that ends here
        uint32_t least = UINT32_MAX;    // cells of the shortest pattern from here on
    };
    struct Leaf {
        Flat pattern;
        uint32_t entry;
    };
    struct Frame {
        uint32_t node, at, depth, edge, bound;
    };

    static const Edge* find_edge(const std::vector<Edge>& edges, int32_t symbol) {
        for (const Edge& edge : edges)
            if (edge.symbol == symbol) return &edge;
        return nullptr;
    }
    // Whether a variable of the pattern can have this value; it gets it if it has none.
    bool fits(uint32_t variable, FlatView part, uint32_t& bound) const {
        if (variable < bound) return same(values_[variable], part);
        assert(variable == bound && bound < values_.size());
        values_[bound++] = part;
        return true;
    }
    bool match_rest(const Flat& pattern, uint32_t depth, FlatView term, uint32_t at,
                    uint32_t& bound) const {
        if (pattern.size() - depth > term.size() - at) return false;
        for (; depth < pattern.size(); ++depth) {
            const Cell cell = pattern[depth];
            if (!is_var(cell)) {
                if (term[at].symbol != cell.symbol) return false;
                ++at;
                continue;
            }
            const FlatView part = subterm(term, at);
            if (!fits(var_of(cell), part, bound)) return false;
            at += static_cast<uint32_t>(part.size());
        }
        assert(at == term.size());
        return true;
    }
    uint32_t new_leaf(FlatView pattern, uint32_t entry);

    std::vector<TreeNode> nodes_;
    std::vector<Leaf> leaves_;
    std::vector<uint32_t> free_;  // leaves that are not in use
    size_t size_ = 0;
    mutable std::vector<Frame> frames_;
    mutable std::vector<FlatView> values_;
};

}  // namespace threesil
