// Unification of rows of cells. Values refer to the terms that are unified, so that nothing is
// copied; the two terms may have variables of their own (two spaces), or share them.
#pragma once

#include <cstdint>
#include <vector>

#include "flat.hpp"

namespace threesil {

class FlatUnifier {
   public:
    struct Ref {
        const Cell* term = nullptr;
        uint8_t space = 0;
    };

    // Forgets all values; so many variables in each space.
    void clear(uint32_t first, uint32_t second) {
        values_[0].assign(first, {});
        values_[1].assign(second, {});
    }
    bool unify(Ref a, Ref b);
    // The variable without a value, or the term, that a reference comes to.
    Ref deref(Ref ref) const {
        while (is_var(*ref.term)) {
            const Ref value = values_[ref.space][var_of(*ref.term)];
            if (!value.term) return ref;
            ref = value;
        }
        return ref;
    }

   private:
    struct Pair {
        Ref a, b;
    };
    bool occurs(Ref variable, Ref in);

    std::vector<Ref> values_[2];
    std::vector<Pair> pairs_;
    std::vector<Ref> stack_;
};

}  // namespace threesil
