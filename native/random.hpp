// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random
// numbers: as easy as 1, 2, 3; SC 2011). The same (seed, stream, episode, step) gives the same
// number, whatever thread asks for it and in whatever order.
#pragma once

#include <array>
#include <cstdint>

namespace threesil {

inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = uint64_t{0xD2511F53u} * counter[0];
        const uint64_t b = uint64_t{0xCD9E8D57u} * counter[2];
        counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
                   static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return counter;
}

struct RandomKey {
    uint64_t seed = 0;
    uint32_t stream = 0;

    bool operator==(const RandomKey&) const = default;

    std::array<uint32_t, 4> draw(uint64_t episode, uint32_t step) const {
        return philox(
            {step, static_cast<uint32_t>(episode), static_cast<uint32_t>(episode >> 32), stream},
            {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
    }
};

// A number below `bound`, from 32 random bits.
inline uint32_t below(uint32_t bits, uint32_t bound) {
    return static_cast<uint32_t>(uint64_t{bits} * bound >> 32);
}

}  // namespace threesil
