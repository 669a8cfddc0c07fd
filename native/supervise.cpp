// supervise: a program of its own, which runs another one under limits and ends it with all that
// it started.
//
//   supervise OWNER CPU_SECONDS SPARE_SECONDS MEGABYTES DIRECTORY PROGRAM ARGUMENT...
//
// OWNER is the process that asked, our parent. Each process of the program may use CPU_SECONDS,
// then gets SIGXCPU, and is killed SPARE_SECONDS later; it may have MEGABYTES of data.
//
// We are the subreaper of the program: whatever it starts and lets go of, in another session too,
// becomes our child, so nothing can get away, and our own times are those of all processes that
// have ended. When the program ends, what it left is killed, and we end as it did: with its exit
// code, or by its signal. SIGTERM and SIGHUP ask it to end, and kill it after a moment; SIGINT
// kills it at once. So does the end of the owner, however sudden; then DIRECTORY is removed as
// well, since nobody else will.

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

namespace {

constexpr long kTick = 100;   // milliseconds between looks at the owner
constexpr long kSoon = 5;     // between rounds of killing
constexpr int kRounds = 400;  // of killing, before a process that can't be killed is given up
constexpr long kGrace = 150;  // milliseconds between SIGTERM and SIGKILL
constexpr int kNotFound = 127, kNotRunnable = 126;  // exit codes, as a shell has them

struct Supervised {
    pid_t program = -1;
    int status = 0;  // of the program, once it has ended
    bool ended = false;
};

int wait_for(const sigset_t& signals, long milliseconds) {
    const timespec time{milliseconds / 1000, (milliseconds % 1000) * 1'000'000};
    return sigtimedwait(&signals, nullptr, &time);
}

// Takes in the processes that have ended; whether any is left.
bool reap(Supervised& run) {
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != run.program) continue;
        run.status = status;
        run.ended = true;
    }
    return pid == 0;
}

// The parent of a process, by /proc; 0 if it is gone.
pid_t parent_of(const char* pid) {
    char path[64], text[512];
    std::snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length < 0 ? 0 : length] = '\0';
    const char* name_end = std::strrchr(text, ')');  // then a blank, the state, the parent
    return name_end && std::strlen(name_end) > 4 ? std::atoi(name_end + 4) : 0;
}

void kill_children() {
    DIR* processes = opendir("/proc");
    if (!processes) return;
    const pid_t self = getpid();
    while (const dirent* entry = readdir(processes)) {
        const pid_t pid = std::atoi(entry->d_name);
        if (pid > 0 && parent_of(entry->d_name) == self) kill(pid, SIGKILL);
    }
    closedir(processes);
}

// Children of those that are killed become ours, and have their turn in the next round.
void kill_all(Supervised& run, const sigset_t& signals) {
    for (int round = 0; reap(run) && round < kRounds; ++round) {
        kill_children();
        wait_for(signals, kSoon);
    }
}

void limit(auto resource, rlim_t soft, rlim_t hard) {
    rlimit now{};
    if (getrlimit(resource, &now) != 0) return;
    const auto lower = [&](rlim_t value) { return value < now.rlim_max ? value : now.rlim_max; };
    const rlimit wanted{lower(soft), lower(hard)};
    setrlimit(resource, &wanted);
}

[[noreturn]] void become(char** command, const sigset_t& before, char** numbers, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // should we be killed ourselves
    if (getppid() != parent) _exit(kNotFound);
    const auto seconds = std::strtoull(numbers[0], nullptr, 10);
    const auto spare = std::strtoull(numbers[1], nullptr, 10);
    const auto bytes = std::strtoull(numbers[2], nullptr, 10) << 20;
    limit(RLIMIT_CPU, seconds, seconds + spare);
    limit(RLIMIT_DATA, bytes, bytes);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execvp(command[0], command);
    const int error = errno;
    std::fprintf(stderr, "%s: %s\n", command[0], std::strerror(error));
    std::fflush(stderr);
    _exit(error == ENOENT ? kNotFound : kNotRunnable);
}

void remove_tree(const char* directory) {
    const auto remove_entry = [](const char* path, const struct stat*, int, struct FTW*) {
        std::remove(path);
        return 0;
    };
    nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

long now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

// Until the program has ended, or is to be killed.
void watch(Supervised& run, const sigset_t& signals, pid_t owner) {
    long deadline = 0;  // once it was asked to end
    while (true) {
        const int number = wait_for(signals, deadline ? kSoon : kTick);
        reap(run);
        if (run.ended || number == SIGINT || getppid() != owner) return;
        if (deadline && now() >= deadline) return;
        if ((number == SIGTERM || number == SIGHUP) && !deadline) {
            kill(-run.program, SIGTERM);
            deadline = now() + kGrace;
        }
    }
}

[[noreturn]] void end_as(const Supervised& run, const sigset_t& before) {
    if (!run.ended || !WIFSIGNALED(run.status))
        _exit(run.ended ? WEXITSTATUS(run.status) : kNotRunnable);
    const int number = WTERMSIG(run.status);
    std::signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    kill(getpid(), number);
    _exit(128 + number);  // where the signal is blocked
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 7) {
        std::fprintf(stderr, "supervise: this program is part of threesil, and no use by itself\n");
        return 2;
    }
    const pid_t owner = std::atoi(arguments[1]);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    limit(RLIMIT_CORE, 0, 0);
    std::signal(SIGCHLD, SIG_DFL);  // it may have come to us ignored
    sigset_t signals, before;
    sigemptyset(&signals);
    for (const int number : {SIGCHLD, SIGTERM, SIGHUP, SIGINT}) sigaddset(&signals, number);
    sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t self = getpid();
    Supervised run;
    run.program = fork();
    if (run.program == 0) become(arguments + 6, before, arguments + 2, self);
    if (run.program > 0) {
        setpgid(run.program, run.program);  // here too: whoever comes first
        watch(run, signals, owner);
        kill_all(run, signals);
    }
    if (getppid() != owner) remove_tree(arguments[5]);
    end_as(run, before);
}
