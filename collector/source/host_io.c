/* Records input and output that blocks: calls that take `io=NS` (default 100 us) or more, with the number of bytes
 * that they moved.
 *
 * Functions that only wait (poll, epoll_wait) are included, so that the trace shows a server that sleeps in such a
 * call. Stream functions (fread) are included because the C library's internal calls of read cannot be intercepted. */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/hook.h"
#include "collector/sources.h"

enum { LEAST_NS = 100000 };

/* Table of all functions: name, result type, declared parameters, passed arguments, and the number of bytes as an
 * expression of the result `r`. Names, numbers and functions of this source are generated from the table. */
#define CALLS(X)                                                                                                       \
    X(read, ssize_t, (int fd, void *to, size_t n), (fd, to, n), r)                                                     \
    X(write, ssize_t, (int fd, const void *from, size_t n), (fd, from, n), r)                                          \
    X(pread, ssize_t, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), r)                                      \
    X(pread64, ssize_t, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), r)                                  \
    X(pwrite, ssize_t, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at), r)                           \
    X(pwrite64, ssize_t, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at), r)                       \
    X(readv, ssize_t, (int fd, const struct iovec *to, int n), (fd, to, n), r)                                         \
    X(writev, ssize_t, (int fd, const struct iovec *from, int n), (fd, from, n), r)                                    \
    X(fsync, int, (int fd), (fd), INT64_MIN)                                                                           \
    X(fdatasync, int, (int fd), (fd), INT64_MIN)                                                                       \
    X(poll, int, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms), INT64_MIN)                                     \
    X(ppoll, int, (struct pollfd * fds, nfds_t n, const struct timespec *time, const sigset_t *mask),                  \
      (fds, n, time, mask), INT64_MIN)                                                                                 \
    X(select, int, (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *time), (n, in, out, other, time),   \
      INT64_MIN)                                                                                                       \
    X(epoll_wait, int, (int fd, struct epoll_event *to, int n, int ms), (fd, to, n, ms), INT64_MIN)                    \
    X(epoll_pwait, int, (int fd, struct epoll_event *to, int n, int ms, const sigset_t *mask), (fd, to, n, ms, mask),  \
      INT64_MIN)                                                                                                       \
    X(connect, int, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n), INT64_MIN)                          \
    X(accept, int, (int fd, struct sockaddr *from, socklen_t *n), (fd, from, n), INT64_MIN)                            \
    X(accept4, int, (int fd, struct sockaddr *from, socklen_t *n, int flags), (fd, from, n, flags), INT64_MIN)         \
    X(recv, ssize_t, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), r)                                   \
    X(send, ssize_t, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags), r)                         \
    X(recvfrom, ssize_t, (int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *size),              \
      (fd, to, n, flags, from, size), r)                                                                               \
    X(sendto, ssize_t, (int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t size),     \
      (fd, from, n, flags, to, size), r)                                                                               \
    X(recvmsg, ssize_t, (int fd, struct msghdr *to, int flags), (fd, to, flags), r)                                    \
    X(sendmsg, ssize_t, (int fd, const struct msghdr *from, int flags), (fd, from, flags), r)                          \
    X(fread, size_t, (void *to, size_t size, size_t n, FILE *file), (to, size, n, file), (int64_t)(r * size))          \
    X(fwrite, size_t, (const void *from, size_t size, size_t n, FILE *file), (from, size, n, file),                    \
      (int64_t)(r * size))                                                                                             \
    X(fflush, int, (FILE * file), (file), INT64_MIN)

// NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size): a function's name cannot have parentheses,
// and the C library defines the parameters of the functions

enum call {
#define NUMBER(name, result, parameters, arguments, bytes) CALL_##name,
    CALLS(NUMBER) CALL_COUNT
#undef NUMBER
};

static struct tp_hook hooks[CALL_COUNT] = {
#define ROW(name, result, parameters, arguments, bytes) {#name, NULL, NULL},
    CALLS(ROW)
#undef ROW
};

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(hooks, CALL_COUNT);
}

#define NEXT(name) ((__typeof__(&name))tp_hook_original(&hooks[CALL_##name], __builtin_return_address(0)))

static bool is_on;
static uint64_t least_ns;
static uint32_t numbers[CALL_COUNT]; /* number of the function's name, indexed by enum call */
static uint64_t io_count, io_ns;

static void write_wait_record(enum call call, uint64_t begin, int64_t bytes)
{
    uint64_t ns = tp_hook_record_wait(
        numbers[call],
        &(struct tp_hook_wait){.begin = begin, .least_ns = least_ns, .bytes = bytes < 0 ? INT64_MIN : bytes});
    if (!ns)
        return;
    __atomic_add_fetch(&io_count, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&io_ns, ns, __ATOMIC_RELAXED);
}

/* Defines the hook of a function. Thread cancellation may unwind through a hook, so a hook must not own anything
 * during the call. */
#define HOOK(name, result, parameters, arguments, bytes)                                                               \
    __attribute__((visibility("default"))) result name parameters                                                      \
    {                                                                                                                  \
        if (!tp_hook_is_on(&is_on))                                                                                    \
            return NEXT(name) arguments;                                                                               \
        uint64_t begin = tp_clock_now();                                                                               \
        result r = NEXT(name) arguments;                                                                               \
        write_wait_record(CALL_##name, begin, bytes);                                                                  \
        return r;                                                                                                      \
    }
CALLS(HOOK)

// NOLINTEND(bugprone-macro-parentheses,readability-function-size)

/* ---- the source ---- */

static const char *probe(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)host;
    least_ns = tp_hook_read_setting(setting, false, LEAST_NS);
    for (int i = 0; i < CALL_COUNT; i++)
        numbers[i] = tracepress_intern(hooks[i].name);
    tp_hook_start_clock();
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    return true;
}

static void stop_source(void)
{
    char json[128];
    __atomic_store_n(&is_on, false, __ATOMIC_RELAXED);
    int why = tp_hook_enter_recorder();
    uint64_t count = __atomic_load_n(&io_count, __ATOMIC_RELAXED);
    snprintf(json, sizeof json, "{\"calls\":%llu,\"blocked_ns\":%llu}", (unsigned long long)count,
             (unsigned long long)__atomic_load_n(&io_ns, __ATOMIC_RELAXED));
    if (count)
        tracepress_metadata_json("blocking_io", json);
    tp_hook_leave_recorder(why);
}

const struct tp_source tp_source_io = {
    .name = "io",
    .what = "input and output that blocks: files, sockets, poll; io=NS: shortest recorded wait",
    .is_default = true,
    .probe = probe,
    .start = start_source,
    .stop = stop_source,
};
