// Matching of the rules against the classes.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "saturate.hpp"

namespace threesil {

// The largest number whose power is at most `most`; 1 at least.
size_t Saturation::root_of(size_t most, size_t power) {
    const double root = std::pow(static_cast<double>(most), 1.0 / static_cast<double>(power));
    return std::max<size_t>(static_cast<size_t>(root + 1e-9), 1);
}

Saturation::Program Saturation::compile(const Rule& rule) const {
    const Pattern& from = rule.from;
    Program program{is_variable(from.root_head()), {}, {}, {}, 1, {}};
    program.registers.assign(rule.variables, kNone);
    std::vector<std::pair<uint32_t, uint32_t>> waiting{{from.root(), 0}};  // node, register
    for (size_t w = 0; w < waiting.size(); ++w) {
        const auto [index, in] = waiting[w];
        const Pattern::PatternNode& node = from.nodes[index];
        if (is_variable(node.head)) {
            uint32_t& place = program.registers[variable_index(node.head)];
            if (place == kNone)
                place = in;
            else
                program.equal.emplace_back(place, in);
            continue;
        }
        program.binds.push_back({in, program.count, node.head});
        for (uint32_t k = 0; k < node.arity; ++k)
            waiting.emplace_back(from.children[node.children + k], program.count++);
    }
    assert(program.any == program.binds.empty());
    for (uint32_t v = 0; v < rule.variables; ++v)
        if (program.registers[v] == kNone) program.open.push_back(v);
    return program;
}

// Matches one rule with a node as the root of the pattern; calls found() for each way.
void Saturation::match(uint32_t rule, TermId root) {
    const Program& program = programs_[rule];
    registers_.assign(program.count, kNoTerm);
    registers_[0] = graph_.find(root);
    // Fills the registers of a bind from a node; false if equal registers differ.
    const auto take = [&](uint32_t pc, TermId node) {
        const Bind& bind = program.binds[pc];
        const auto args = bank_.args(node);
        for (uint32_t k = 0; k < args.size(); ++k) registers_[bind.out + k] = graph_.find(args[k]);
        const uint32_t filled = bind.out + static_cast<uint32_t>(args.size());
        for (const auto& [a, b] : program.equal)
            if (b >= bind.out && b < filled && registers_[a] != registers_[b]) return false;
        return true;
    };
    const auto fits = [&](uint32_t pc, TermId node) {
        bank_.spend();
        return bank_.head(node) == program.binds[pc].head && graph_.known(node) &&
               !graph_.duplicate(node) && take(pc, node);
    };
    assert(!program.any && bank_.head(root) == program.binds[0].head);
    choices_.clear();
    if (!take(0, root)) return;
    uint32_t pc = 1;
    for (;;) {
        bool advance = false;
        if (pc == program.binds.size()) {
            uint32_t generation = graph_.generation(root);
            for (const Choice& c : choices_)
                generation = std::max(generation, graph_.generation(c.node));
            found(rule, root, generation + 1);
        } else {
            const TermId first = registers_[program.binds[pc].in];
            if (graph_.heads(first) & EGraph::head_bit(program.binds[pc].head)) {
                choices_.push_back({pc, first});
                advance = fits(pc, first);
                if (advance) ++pc;
            }
        }
        while (!advance && !choices_.empty()) {
            Choice& c = choices_.back();
            const TermId first = registers_[program.binds[c.pc].in];
            c.node = graph_.next(c.node);
            if (c.node == first) {
                choices_.pop_back();
            } else if (fits(c.pc, c.node)) {
                pc = c.pc + 1;
                advance = true;
            }
        }
        if (!advance) return;
    }
}

// The values of the rule's variables are in the registers; its own on the right are chosen here.
void Saturation::found(uint32_t rule, TermId root, uint32_t generation) {
    const Program& program = programs_[rule];
    current_.assign(program.registers.size(), kNoTerm);
    for (size_t v = 0; v < current_.size(); ++v)
        if (program.registers[v] != kNone) current_[v] = registers_[program.registers[v]];
    const auto& open = program.open;
    if (open.empty()) {
        offer(rule, root, generation);
        return;
    }
    const size_t choices = std::min(seeds_.size(), root_of(width_, open.size()));
    assert(choices > 0);
    std::vector<size_t> pick(open.size(), 0);
    for (;;) {
        for (size_t i = 0; i < open.size(); ++i) current_[open[i]] = graph_.find(seeds_[pick[i]]);
        size_t i = 0;
        if (!offer(rule, root, generation)) {
            // Too large; the seeds come by size, so that all further choices up to here are too.
            while (i < pick.size() && pick[i] == 0) ++i;
            if (i < pick.size()) pick[i++] = 0;
        }
        while (i < pick.size() && ++pick[i] == choices) pick[i++] = 0;
        if (i == pick.size()) return;
    }
}

// Matches the rules with all nodes below which something has changed since the last time.
void Saturation::match_all(bool with_own) {
    graph_.compact();
    const std::vector<TermId> nodes = graph_.nodes();
    bank_.spend(bank_.size() / 64 * (levels_ + 2));
    // recent_[d][c]: when a class at most d levels below c last changed.
    recent_.resize(levels_ + 1);
    for (auto& recent : recent_) recent.assign(bank_.size(), 0);
    for (const TermId node : nodes) {
        const TermId root = graph_.find(node);
        recent_[0][root] = graph_.changed(root);
    }
    for (uint32_t d = 1; d <= levels_; ++d) {
        for (const TermId node : nodes) {
            bank_.spend();
            const TermId root = graph_.find(node);
            uint32_t& mine = recent_[d][root];
            mine = std::max(mine, recent_[d - 1][root]);
            for (const TermId arg : bank_.args(node))
                mine = std::max(mine, recent_[d - 1][graph_.find(arg)]);
        }
    }
    // The node itself is one level; a class that changed at the time of the last match may have
    // done so behind it.
    const uint32_t since = last_match_, own_since = last_own_match_;
    const uint32_t now = graph_.clock++;
    listed_.assign(bank_.size(), 0);
    for (const TermId node : nodes) {
        bank_.spend();
        const TermId root = graph_.find(node);
        if (recent_[levels_][root] > since) {
            const Head head = bank_.head(node);
            if (head < by_head_.size())
                for (const uint16_t rule : by_head_[head])
                    if (programs_[rule].open.empty()) match(rule, node);
        }
        const bool own = with_own && recent_[levels_][root] > own_since;
        if (own) {
            const Head head = bank_.head(node);
            if (head < by_head_.size())
                for (const uint16_t rule : by_head_[head])
                    if (!programs_[rule].open.empty()) match(rule, node);
        }
        if (std::exchange(listed_[root], uint8_t{1})) continue;
        const bool changed = recent_[0][root] > since;
        if (!changed && !own) continue;
        for (uint32_t rule = 0; rule < programs_.size(); ++rule) {
            if (!programs_[rule].any || !(!programs_[rule].open.empty() ? own : changed)) continue;
            registers_.assign(1, root);
            found(rule, node, graph_.generation(node) + 1);
        }
    }
    // If the time has run out above, all is matched again; what was offered is not offered twice.
    last_match_ = now;
    if (with_own) last_own_match_ = now;
}

}  // namespace threesil
