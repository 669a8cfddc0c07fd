// Where the time goes: exclusive ticks of the processor's counter for each kind of work.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace threesil {

enum class Work : uint8_t { other, mask, visited, rewrite, bank, network, choose, count };

inline uint64_t ticks() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

struct Profile {
    std::array<uint64_t, static_cast<size_t>(Work::count)> spent{};
    Work current = Work::other;
    uint64_t since = 0;

    Work enter(Work next) {
        const uint64_t now = ticks();
        spent[static_cast<size_t>(current)] += now - since;
        since = now;
        const Work previous = current;
        current = next;
        return previous;
    }
};

// Charges the time until the end of its scope to `work`; does nothing without a profile.
class Timed {
   public:
    Timed(Profile* profile, Work work) : profile_(profile) {
        if (profile_) [[unlikely]]
            previous_ = profile_->enter(work);
    }
    ~Timed() {
        if (profile_) [[unlikely]]
            profile_->enter(previous_);
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    Profile* profile_;
    Work previous_ = Work::other;
};

}  // namespace threesil
