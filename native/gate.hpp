// Keeps threads out of each other's way: many may read an object, or one may use it.
#pragma once

#include <atomic>
#include <cassert>
#include <stdexcept>
#include <string>

namespace threesil {

class Gate {
   public:
    // Passing a gate throws where others are inside; it never waits, so that a signal handler
    // that comes back to the object it has interrupted gets an error too.
    class Use {
       public:
        Use(Gate& gate, const char* name) : gate_(gate) {
            int none = 0;
            if (!gate_.inside_.compare_exchange_strong(none, -1)) refuse(name);
        }
        ~Use() {
            assert(gate_.inside_ == -1);
            gate_.inside_ = 0;
        }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

       private:
        Gate& gate_;
    };
    class Read {
       public:
        Read(Gate& gate, const char* name) : gate_(gate) {
            int inside = gate_.inside_;
            do {
                if (inside < 0) refuse(name);
            } while (!gate_.inside_.compare_exchange_weak(inside, inside + 1));
        }
        ~Read() {
            assert(gate_.inside_ > 0);
            --gate_.inside_;
        }
        Read(const Read&) = delete;
        Read& operator=(const Read&) = delete;

       private:
        Gate& gate_;
    };

   private:
    [[noreturn]] static void refuse(const char* name) {
        throw std::runtime_error(std::string("this ") + name +
                                 " is in use: it belongs to one thread at a time");
    }

    std::atomic<int> inside_{0};  // readers, or -1
};

}  // namespace threesil
