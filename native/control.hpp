// What ends a native call before its work is done.
//
// A call has one control: a flag that others may set, a budget of CPU seconds of the calling
// thread, and, in Python's main thread, Python's signals. The loops of the core report how much
// they have worked. Now and then the control looks whether they may continue, and throws if not.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

namespace threesil {

// How a search ended. `length`: there is a proof, but its chain is too long to be read out.
enum class Status : uint8_t { proved, exhausted, expansions, seconds, memory, stopped, length };

// Thrown where work has to end; searches turn it into their outcome.
struct Ended {
    Status status;
};

// Set by any thread, looked at by the one that works; it can be used for many calls.
class StopFlag {
   public:
    void set() { set_.store(true, std::memory_order_relaxed); }
    void clear() { set_.store(false, std::memory_order_relaxed); }
    bool is_set() const { return set_.load(std::memory_order_relaxed); }

   private:
    std::atomic<bool> set_{false};
};

// Belongs to the thread that made it.
class Control {
   public:
    static constexpr double kForever = std::numeric_limits<double>::infinity();

    // `signals`: this is Python's main thread, and its signal handlers are to be run.
    explicit Control(std::shared_ptr<const StopFlag> stop = nullptr, double seconds = kForever,
                     bool signals = false);
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    // Counts work in pieces of about a tenth of a microsecond; throws Ended, or what a signal
    // handler has raised.
    void spend(uint64_t work = 1) {
        if ((worked_ += work) >= kLook) [[unlikely]]
            look();
    }
    // The same where work should not end half-way: it looks only when very much has been put off.
    void put_off(uint64_t work = 1) {
        if ((worked_ += work) >= kPutOff) [[unlikely]]
            look();
    }
    // Looks at the flag and the signals at once.
    void poll();
    // What was found in time is read out: that may take a little longer, or as long as is left.
    void allow_reading();

   private:
    using Clock = std::chrono::steady_clock;
    static constexpr double kReading = 0.5;           // seconds at the least for reading out
    static constexpr uint64_t kLook = 1024;           // pieces of work between two looks
    static constexpr uint64_t kPutOff = kLook << 10;  // about a tenth of a second

    void look();

    const std::shared_ptr<const StopFlag> stop_;
    double seconds_;
    const bool signals_;
    double begin_ = 0;  // CPU seconds of the thread
    uint64_t worked_ = 0;
    Clock::time_point next_clock_, next_poll_;
};

}  // namespace threesil
