#include "control.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cassert>
#ifdef _WIN32
#include <windows.h>
#else
#include <ctime>
#endif
#include <exception>

namespace threesil {

namespace {

constexpr double kLongest = 0.01;    // seconds between two looks at the signals or the clock
constexpr double kShortest = 20e-6;  // the CPU clock is slow to read

// What this thread has spent of the processor.
double cpu_seconds() {
#ifdef _WIN32
    FILETIME begun, ended, kernel, user;
    GetThreadTimes(GetCurrentThread(), &begun, &ended, &kernel, &user);
    const auto ticks = [](const FILETIME& t) {  // of 100 ns
        return static_cast<double>(t.dwHighDateTime) * 4294967296.0 + t.dwLowDateTime;
    };
    return 1e-7 * (ticks(kernel) + ticks(user));
#else
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#endif
}

std::chrono::steady_clock::duration wait(double seconds) {
    assert(seconds >= 0 && seconds <= kLongest);
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(seconds));
}

}  // namespace

Control::Control(std::shared_ptr<const StopFlag> stop, double seconds, bool signals)
    : stop_(std::move(stop)), seconds_(std::max(seconds, 0.0)), signals_(signals) {
    // What a thread needs for its first exception is allocated now: where memory has run out by
    // then, the C library would end the process.
    [[maybe_unused]] volatile const int thrown = std::uncaught_exceptions();
    const Clock::time_point now = Clock::now();
    next_poll_ = now + wait(kLongest);
    next_clock_ = now + wait(std::min(seconds_, kLongest));
    if (seconds_ < kForever) begin_ = cpu_seconds();
    // Nothing may be done, or the flag is set already: the first piece of work finds out.
    if (seconds_ == 0 || (stop_ && stop_->is_set())) worked_ = kLook;
}

void Control::poll() {
    if (stop_ && stop_->is_set()) throw Ended{Status::stopped};
    if (!signals_) return;
    const nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

void Control::allow_reading() {
    if (seconds_ < kForever) seconds_ = std::max(seconds_, cpu_seconds() - begin_ + kReading);
}

void Control::look() {
    worked_ = 0;
    if (stop_ && stop_->is_set()) throw Ended{Status::stopped};
    const Clock::time_point now = Clock::now();
    if (signals_ && now >= next_poll_) {
        poll();
        next_poll_ = Clock::now() + wait(kLongest);
    }
    if (seconds_ == kForever || now < next_clock_) return;
    // CPU time never runs ahead of this clock: until `left` has passed there is no need to look.
    const double left = seconds_ - (cpu_seconds() - begin_);
    if (left <= 0) throw Ended{Status::seconds};
    next_clock_ = now + wait(std::clamp(left, kShortest, kLongest));
}

}  // namespace threesil
