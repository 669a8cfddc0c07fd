#include "pair_features.hpp"

#include <algorithm>
#include <cmath>

namespace threesil {

namespace {

constexpr uint64_t kAnything = 0x2545f4914f6cdd1dull;

uint64_t mixed(uint64_t h, uint64_t more) {
    h = (h ^ more) * 0xff51afd7ed558ccdull;
    return h ^ (h >> 31);
}

uint64_t of_symbol(int32_t symbol) {
    return (static_cast<uint64_t>(static_cast<uint32_t>(symbol)) + 1) * 0x9e3779b97f4a7c15ull;
}

float log1p_of(float count) {
    static const std::vector<float> table = [] {
        std::vector<float> values(1024);
        for (size_t i = 0; i < values.size(); ++i) values[i] = std::log1p(static_cast<float>(i));
        return values;
    }();
    return table[std::min(static_cast<size_t>(count), table.size() - 1)];
}

float share(float part, float whole) { return whole > 0 ? part / whole : 0; }

bool is_xy(FlatView term, Cell head, int32_t x, int32_t y) {
    return term.size() == 3 && term[0].symbol == head.symbol && term[1].symbol == x &&
           term[2].symbol == y;
}

}  // namespace

void HashSet::insert(uint64_t hash) {
    if (hash == 0) hash = 1;
    if (contains(hash)) return;
    if (2 * ++count_ > slots_.size()) {
        std::vector<uint64_t> old(2 * slots_.size(), 0);
        old.swap(slots_);
        count_ = 1;
        for (const uint64_t kept : old)
            if (kept) insert(kept);
    }
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at]) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = hash;
}

bool HashSet::contains(uint64_t hash) const {
    if (hash == 0) hash = 1;
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at]) {
        if (slots_[at] == hash) return true;
        at = (at + 1) & (slots_.size() - 1);
    }
    return false;
}

PairFeatures::PairFeatures(const Order& order, const PairContext& context)
    : order_(order), kind_(order.arity().size(), 0), goal_counts_(order.arity().size(), 0) {
    for (auto& counts : counts_) counts.assign(order.arity().size(), 0);
    goal_places_.assign((kind_.size() + 1) * (kind_.size() + 1), 0);
    axiom_places_ = goal_places_;
    learn_context(context);
    learn_laws(context);
}

void PairFeatures::learn_context(const PairContext& context) {
    goal_[0] = context.goal.first;
    goal_[1] = context.goal.second;
    std::vector<uint8_t> in_axioms(kind_.size(), 0);
    for (const auto& [lhs, rhs] : context.axioms)
        for (const Flat* side : {&lhs, &rhs})
            for (const Cell cell : *side)
                if (!is_var(cell)) in_axioms[static_cast<size_t>(cell.symbol)] = 1;
    for (size_t f = 0; f < kind_.size(); ++f) {
        if (f < context.scaffolding.size() && context.scaffolding[f])
            kind_[f] |= kScaffold;
        else if (order_.arity()[f] == 0 && !in_axioms[f])
            kind_[f] |= kInGoal | kGoalConstant;
    }
    for (const Flat& side : goal_)
        for (const Cell cell : side) {
            if (is_var(cell)) continue;
            const auto f = static_cast<size_t>(cell.symbol);
            kind_[f] |= kInGoal;
            if (goal_counts_[f]++ == 0) ++goal_symbols_;
        }
    goal_size_ = static_cast<float>(goal_[0].size() + goal_[1].size());
    for (const Flat& side : goal_) learn_shapes(side, goal_shapes_, goal_places_);
    for (const auto& [lhs, rhs] : context.axioms) {
        learn_shapes(lhs, axiom_shapes_, axiom_places_);
        learn_shapes(rhs, axiom_shapes_, axiom_places_);
    }
}

// Which symbols are commutative or associative, and what else is the same for all pairs.
void PairFeatures::learn_laws(const PairContext& context) {
    for (const auto& [lhs, rhs] : context.axioms) {
        if (lhs.empty() || is_var(lhs[0])) continue;
        const auto f = static_cast<size_t>(lhs[0].symbol);
        if (lhs.size() == 3 && order_.arity()[f] == 2 && is_var(lhs[1]) && is_var(lhs[2]) &&
            is_xy(rhs, lhs[0], lhs[2].symbol, lhs[1].symbol))
            kind_[f] |= kCommutative;
        if (lhs.size() != 5 || rhs.size() != 5 || order_.arity()[f] != 2) continue;
        for (const auto& [a, b] : {std::pair{&lhs, &rhs}, std::pair{&rhs, &lhs}}) {
            const Flat &in = *a, &out = *b;  // (x . y) . z and x . (y . z)
            if (in[1].symbol == in[0].symbol && is_var(in[2]) && is_var(in[3]) && is_var(in[4]) &&
                out[0].symbol == in[0].symbol && out[2].symbol == in[0].symbol &&
                out[1].symbol == in[2].symbol && out[3].symbol == in[3].symbol &&
                out[4].symbol == in[4].symbol)
                kind_[f] |= kAssociative;
        }
    }
    const auto any = [&](uint8_t wanted) {
        return std::any_of(kind_.begin(), kind_.end(),
                           [&](uint8_t kind) { return (kind & wanted) == wanted; });
    };
    theory_[0] = log1p_of(static_cast<float>(kind_.size()));
    theory_[1] = log1p_of(static_cast<float>(context.axioms.size()));
    theory_[2] = any(kCommutative | kAssociative);
    theory_[3] = any(kScaffold);
    theory_[4] = log1p_of(goal_size_);
}

size_t PairFeatures::below(Cell parent, Cell child) const {
    const size_t row = static_cast<size_t>(parent.symbol);
    const size_t column = is_var(child) || is_constant_of_goal(child)
                              ? kind_.size()
                              : static_cast<size_t>(child.symbol);
    return row * (kind_.size() + 1) + column;
}

void PairFeatures::hash(Side& side) const {
    const FlatView term = side.term;
    side.exact.resize(term.size());
    side.shape.resize(term.size());
    side.deep.resize(term.size());
    for (size_t i = term.size(); i-- > 0;) {
        uint64_t exact = of_symbol(term[i].symbol);
        uint64_t shape = is_var(term[i]) || is_constant_of_goal(term[i]) ? kAnything : exact;
        uint32_t deep = 0;
        for (size_t j = i + 1; j < i + term[i].length; j += term[j].length) {
            exact = mixed(exact, side.exact[j]);
            shape = mixed(shape, side.shape[j]);
            deep = std::max(deep, side.deep[j]);
        }
        side.exact[i] = exact;
        side.shape[i] = shape;
        side.deep[i] = deep + 1;
    }
}

std::vector<uint64_t> PairFeatures::hashes(FlatView term) const {
    Side side;
    side.term = term;
    hash(side);
    return side.exact;
}

void PairFeatures::mark(Cell head, float* out) const {
    std::fill(out, out + kMarks, 0.0f);
    if (is_var(head)) {
        out[0] = 1;
        return;
    }
    const auto f = static_cast<size_t>(head.symbol);
    out[1 + std::min<size_t>(order_.arity()[f], 3)] = 1;
    for (size_t k = 0; k < 5; ++k) out[5 + k] = (kind_[f] >> k) & 1;
}

void PairFeatures::learn_shapes(FlatView term, HashSet& shapes, std::vector<uint8_t>& places) {
    Side side;
    side.term = term;
    hash(side);
    for (size_t i = 0; i < term.size(); ++i) {
        shapes.insert(side.shape[i]);
        for (size_t j = i + 1; j < i + term[i].length; j += term[j].length)
            places[below(term[i], term[j])] = 1;
    }
}

void PairFeatures::measure_cell(Side& side, size_t at) {
    const Cell cell = side.term[at];
    const auto f = static_cast<size_t>(cell.symbol);
    const uint8_t kind = kind_[f];
    ++side.symbols;
    side.weight += static_cast<float>(order_.weights()[f]);
    side.foreign += !(kind & kInGoal);
    side.constants += (kind & kGoalConstant) != 0;
    side.scaffolds += (kind & kScaffold) != 0;
    side.commutative += (kind & kCommutative) != 0;
    side.associative += (kind & kAssociative) != 0;
    side.unary += order_.arity()[f] == 1;
    for (size_t j = at + 1; j < at + cell.length; j += side.term[j].length) {
        const size_t place = below(cell, side.term[j]);
        side.strange_goal += !goal_places_[place];
        side.strange_axioms += !axiom_places_[place];
    }
    if (cell.length == 1) return;
    if (goal_shapes_.contains(side.shape[at])) {
        ++side.in_goal;
        side.largest_in_goal = std::max(side.largest_in_goal, static_cast<float>(cell.length));
    }
    side.in_axioms += axiom_shapes_.contains(side.shape[at]);
}

void PairFeatures::measure_side(Side& side) {
    const FlatView term = side.term;
    side.variables = side.symbols = side.foreign = side.constants = side.scaffolds = 0;
    side.in_goal = side.in_axioms = side.largest_in_goal = side.repeated = 0;
    side.strange_goal = side.strange_axioms = side.weight = 0;
    side.commutative = side.associative = side.unary = 0;
    hash(side);
    for (size_t i = 0; i < term.size(); ++i) {
        if (is_var(term[i]))
            ++side.variables;
        else
            measure_cell(side, i);
    }
    for (size_t i = 0; i < term.size();) {
        bool again = false;
        if (term[i].length > 1)
            for (size_t j = i + term[i].length; j < term.size() && !again; ++j)
                again = side.exact[j] == side.exact[i];
        if (again) side.repeated += static_cast<float>(term[i].length);
        i += again ? term[i].length : 1;
    }
}

// Whether an instance of the pattern is a subterm of the goal as it was given.
bool PairFeatures::rewrites_goal(FlatView pattern) {
    if (is_var(pattern[0])) return false;
    for (const Flat& side : goal_)
        for (size_t i = 0; i < side.size(); ++i) {
            if (side[i].symbol != pattern[0].symbol || side[i].length < pattern[0].length) continue;
            bindings_.clear();
            if (match_flat(pattern, subterm(side, i), bindings_)) return true;
        }
    return false;
}

// The larger side first; where the order says nothing, the one with more cells.
void PairFeatures::sort_sides(const ScoredPair& pair) {
    const Compared compared = order_.compare(pair.left, pair.right);
    oriented_ = compared != Compared::none;
    swapped_ = compared == Compared::less ||
               (compared != Compared::greater && pair.left.size() < pair.right.size());
    sides_[0].term = swapped_ ? pair.right : pair.left;
    sides_[1].term = swapped_ ? pair.left : pair.right;
    const uint32_t bound = std::max(variables_of(pair.left), variables_of(pair.right));
    for (size_t s = 0; s < 2; ++s) {
        measure_side(sides_[s]);
        var_counts_[s].assign(bound, 0);
        for (const Cell cell : sides_[s].term) {
            if (is_var(cell))
                ++var_counts_[s][var_of(cell)];
            else
                ++counts_[s][static_cast<size_t>(cell.symbol)];
        }
    }
}

float* PairFeatures::put_sides(float* out) const {
    const Side &big = sides_[0], &small = sides_[1];
    for (const Side* side : {&big, &small}) {
        *out++ = log1p_of(side->term.size());
        *out++ = log1p_of(side->deep[0]);
        *out++ = log1p_of(side->variables);
        *out++ = share(side->repeated, static_cast<float>(side->term.size()));
        *out++ = share(side->in_goal, side->symbols);
        *out++ = share(side->in_axioms, side->symbols);
        *out++ = log1p_of(side->constants);
        *out++ = share(side->foreign, side->symbols);
    }
    const float symbols = big.symbols + small.symbols;
    const float places = static_cast<float>(big.term.size() + small.term.size()) - 2;
    *out++ = log1p_of(std::max(big.largest_in_goal, small.largest_in_goal));
    *out++ = share(big.strange_goal + small.strange_goal, places);
    *out++ = share(big.strange_axioms + small.strange_axioms, places);
    *out++ = share(big.commutative + small.commutative, symbols);
    *out++ = share(big.associative + small.associative, symbols);
    *out++ = share(big.unary + small.unary, symbols);
    *out++ = std::min(big.scaffolds + small.scaffolds, 4.0f);
    *out++ = std::min(std::abs(big.weight - small.weight), 20.0f) / 10;
    return out;
}

float* PairFeatures::put_variables(float* out) const {
    float distinct = 0, common = 0, once = 0;
    uint32_t most[2] = {0, 0};
    for (size_t v = 0; v < var_counts_[0].size(); ++v) {
        const uint32_t a = var_counts_[0][v], b = var_counts_[1][v];
        distinct += a + b > 0;
        common += a > 0 && b > 0;
        once += a + b == 1;
        most[0] = std::max(most[0], a);
        most[1] = std::max(most[1], b);
    }
    *out++ = log1p_of(distinct);
    *out++ = share(common, distinct);
    *out++ = share(once, distinct);
    *out++ = log1p_of(most[0]);
    *out++ = log1p_of(most[1]);
    *out++ = distinct == 0;
    *out++ = distinct == 0 && sides_[0].constants + sides_[1].constants > 0;
    return out;
}

// Clears the counts of symbols.
float* PairFeatures::put_symbols(float* out) {
    float kinds = 0, of_goal = 0, covered = 0, differing = 0;
    for (const Side& side : sides_)
        for (const Cell cell : side.term) {
            if (is_var(cell)) continue;
            const auto f = static_cast<size_t>(cell.symbol);
            const float a = counts_[0][f], b = counts_[1][f];
            if (a + b == 0) continue;  // seen before
            ++kinds;
            of_goal += goal_counts_[f] > 0;
            covered += std::min(a + b, goal_counts_[f]);
            differing += std::abs(a - b);
            counts_[0][f] = counts_[1][f] = 0;
        }
    const float symbols = sides_[0].symbols + sides_[1].symbols;
    *out++ = log1p_of(kinds);
    *out++ = share(of_goal, goal_symbols_);
    *out++ = share(covered, symbols);
    *out++ = share(covered, goal_size_);
    *out++ = share(differing, symbols);
    return out;
}

float* PairFeatures::put_form(float* out) {
    const Side &big = sides_[0], &small = sides_[1];
    const Cell head = big.term[0], other = small.term[0];
    const bool inside = std::any_of(big.exact.begin(), big.exact.end(),
                                    [&](uint64_t hash) { return hash == small.exact[0]; });
    *out++ = !oriented_;
    *out++ = head.symbol == other.symbol;
    *out++ = is_var(other);
    *out++ = is_var(head);
    *out++ = small.term.size() == 1 && !is_var(other);
    *out++ = rewrites_goal(big.term) || (!oriented_ && rewrites_goal(small.term));
    *out++ = inside;  // the smaller side in the larger
    float rank = 0, arity = 0;
    if (!is_var(head)) {
        const auto f = static_cast<size_t>(head.symbol);
        rank = static_cast<float>(order_.ranks()[f] + 1) / static_cast<float>(kind_.size());
        arity = std::min<float>(order_.arity()[f], 4);
    }
    *out++ = rank;
    *out++ = arity;
    *out++ = goal_shapes_.contains(big.shape[0]);
    *out++ = axiom_shapes_.contains(big.shape[0]);
    return out;
}

void PairFeatures::describe(const ScoredPair& pair, float* out) {
    sort_sides(pair);
    const float* end = out + kCount;
    *out++ = pair.size / 10;
    *out++ = log1p_of(static_cast<float>(pair.depth));
    out = put_form(put_symbols(put_variables(put_sides(out))));
    out = std::copy(std::begin(theory_), std::end(theory_), out);
    assert(out == end);
    (void)end;
}

}  // namespace threesil
