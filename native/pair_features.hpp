// What a critical pair looks like, given the theory and the goal, in numbers that mean the same
// in every theory: no symbol has a place of its own among them.
//
// Constants that no axiom has belong to the goal. The *shape* of a term is the term with all its
// variables and the constants of the goal made alike, so that shapes of equations and of goals can
// be compared.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "completion_score.hpp"
#include "order.hpp"

namespace threesil {

// What is known before the first pair is made.
struct PairContext {
    std::vector<std::pair<Flat, Flat>> axioms;
    std::pair<Flat, Flat> goal;        // its sides may be empty
    std::vector<uint8_t> scaffolding;  // by symbol: put in for the search alone
};

// Hashes of terms: a set that is asked much more often than it grows.
class HashSet {
   public:
    void insert(uint64_t hash);
    bool contains(uint64_t hash) const;

   private:
    std::vector<uint64_t> slots_ = std::vector<uint64_t>(64, 0);  // open addressing, 0 is free
    size_t count_ = 0;
};

class PairFeatures {
   public:
    static constexpr size_t kCount = 54;

    PairFeatures(const Order& order, const PairContext& context);
    // Writes kCount numbers.
    void describe(const ScoredPair& pair, float* out);

    // What was described last: the larger side, the smaller one; hashes of their subterms by cell.
    FlatView side(size_t s) const { return sides_[s].term; }
    const std::vector<uint64_t>& hashes(size_t s) const { return sides_[s].exact; }
    bool swapped() const { return swapped_; }  // whether the right side was the larger
    // The hashes of any term.
    std::vector<uint64_t> hashes(FlatView term) const;
    // Marks of a head, each 0 or 1: kMarks numbers.
    static constexpr size_t kMarks = 10;
    void mark(Cell head, float* out) const;

   private:
    struct Side {
        FlatView term;
        std::vector<uint64_t> exact, shape;  // hashes by cell
        std::vector<uint32_t> deep;          // by cell: height of the subterm
        float variables = 0, symbols = 0;    // cells
        float foreign = 0;                   // symbols that the goal does not have
        float constants = 0;                 // of the goal
        float scaffolds = 0;
        float in_goal = 0, in_axioms = 0;  // subterms whose shape is there
        float largest_in_goal = 0;
        float strange_goal = 0, strange_axioms = 0;  // symbols below others as nowhere there
        float repeated = 0;                          // cells of subterms that came before
        float commutative = 0, associative = 0, unary = 0;
        float weight = 0;
    };

    bool is_constant_of_goal(Cell cell) const {
        return !is_var(cell) && kind_[static_cast<size_t>(cell.symbol)] & kGoalConstant;
    }
    size_t below(Cell parent, Cell child) const;
    void hash(Side& side) const;
    void learn_context(const PairContext& context);
    void learn_laws(const PairContext& context);
    void learn_shapes(FlatView term, HashSet& shapes, std::vector<uint8_t>& places);
    void measure_side(Side& side);
    void measure_cell(Side& side, size_t at);
    bool rewrites_goal(FlatView pattern);
    void sort_sides(const ScoredPair& pair);
    // Parts of the description; each returns where the next begins.
    float* put_sides(float* out) const;
    float* put_variables(float* out) const;
    float* put_symbols(float* out);
    float* put_form(float* out);

    enum Kind : uint8_t {
        kInGoal = 1,
        kGoalConstant = 2,
        kScaffold = 4,
        kCommutative = 8,
        kAssociative = 16,
    };

    const Order order_;
    std::vector<uint8_t> kind_;  // by symbol
    Flat goal_[2];
    HashSet goal_shapes_, axiom_shapes_;
    std::vector<uint8_t> goal_places_, axiom_places_;  // by pair of symbols, one below the other
    std::vector<float> goal_counts_;                   // by symbol
    float goal_size_ = 0, goal_symbols_ = 0;
    float theory_[5] = {};  // the same for all pairs
    Side sides_[2];         // the larger, the smaller
    bool oriented_ = false, swapped_ = false;
    std::vector<float> counts_[2];         // by symbol
    std::vector<uint32_t> var_counts_[2];  // by variable
    FlatBindings bindings_;
};

}  // namespace threesil
