// A network that judges critical pairs in theories it has never seen.
//
// It reads the features of a pair and, if it has a tree part, the two sides and the goal as trees
// (paper, section 5). Symbols and variables are random vectors, drawn again for each theory, beside
// a few marks: whether it is a variable, in the goal, commutative, and so on. One network makes
// the vector of a term from its head's and those of its arguments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pair_features.hpp"

namespace threesil {

class PairNet {
   public:
    struct Shape {
        uint32_t size = 0;  // of a term's vector; 0: no tree part
        uint32_t hidden = 32;
    };
    static constexpr size_t kFeatures = PairFeatures::kCount;
    static constexpr size_t kArguments = 3;  // with weights of their own; later ones share the last
    // Vectors that the predictor reads: of the larger side, the smaller one, the goal, and the
    // products of the first two with the third.
    static constexpr size_t kParts = 5;

    explicit PairNet(Shape shape);
    void load(std::span<const float> parameters);
    size_t parameters() const;
    const Shape& shape() const { return shape_; }
    size_t head_size() const { return shape_.size + PairFeatures::kMarks; }
    size_t inputs() const { return kFeatures + kParts * shape_.size; }

    // The vector of a term from what its head adds and the vectors of its arguments.
    void head(const float* vector, float* out) const;
    void embed(const float* head, std::span<const float* const> arguments, float* out) const;
    // How promising, from features and vectors; the features are standardised in place.
    float predict(float* inputs) const;

   private:
    struct Part {
        std::vector<float>* values;
        size_t size;
    };
    std::vector<Part> parts();

    Shape shape_;
    std::vector<float> mean_, scale_, skip_;
    std::vector<float> head_, head_bias_, child_[kArguments], out_, out_bias_;
    std::vector<float> first_, first_bias_, second_, second_bias_, last_, last_bias_;
};

}  // namespace threesil
