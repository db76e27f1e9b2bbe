/* Contains our own versions of C library functions that are little more than a system call. Statically linked programs
 * need these versions, because no library has the original functions. See hook.h. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "collector/hook.h"

/* The C library's internal name of clone. No library intercepts functions by this name. */
extern __typeof__(clone) __clone __attribute__((weak));
/* __sigaction is the C library's internal name of sigaction. _sigintr is the set of signals for which siginterrupt was
 * called. Its address is NULL in a program without siginterrupt, because the linker then leaves it out. */
extern __typeof__(sigaction) __sigaction;
extern sigset_t _sigintr __attribute__((weak));

#if defined(__x86_64__)
// NOLINTNEXTLINE(readability-function-size): same parameters as in the C library
static long unsupported_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;
    long result = number;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
// NOLINTNEXTLINE(readability-function-size): same parameters as in the C library
static long unsupported_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long which __asm__("x8") = number, first __asm__("x0") = a, second __asm__("x1") = b;
    register long third __asm__("x2") = c, fourth __asm__("x3") = d, fifth __asm__("x4") = e, sixth __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(first)
                     : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "memory");
    return first;
}
#else
// NOLINTNEXTLINE(readability-function-size): same parameters as in the C library
static long unsupported_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    (void)number, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    return -ENOSYS;
}
#endif

// NOLINTNEXTLINE(readability-function-size): same parameters as in the C library
static long plain_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    enum { MOST_ERRORS = 4095 };
    long result = unsupported_syscall(number, a, b, c, d, e, f);
    if ((unsigned long)result < (unsigned long)-MOST_ERRORS)
        return result;
    errno = (int)-result;
    return -1;
}

static int plain_prctl(int option, unsigned long first, unsigned long second, unsigned long third, unsigned long fourth)
{
    return (int)plain_syscall(SYS_prctl, option, (long)first, (long)second, (long)third, (long)fourth, 0);
}

static int plain_capset(void *header, const void *data)
{
    return (int)plain_syscall(SYS_capset, (long)header, (long)data, 0, 0, 0, 0);
}

static int plain_unshare(int flags)
{
    return (int)plain_syscall(SYS_unshare, flags, 0, 0, 0, 0, 0);
}

static int plain_setns(int fd, int kind)
{
    return (int)plain_syscall(SYS_setns, fd, kind, 0, 0, 0, 0);
}

/* ---- signals ---- */

static sighandler_t set_handler(int number, sighandler_t handler, int flags, bool is_blocked)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, was;
    sigemptyset(&action.sa_mask);
    if (is_blocked)
        sigaddset(&action.sa_mask, number);
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    return __sigaction(number, &action, &was) == 0 ? was.sa_handler : SIG_ERR;
}

static sighandler_t plain_signal(int number, sighandler_t handler)
{
    bool interrupts = &_sigintr && sigismember(&_sigintr, number) == 1;
    return set_handler(number, handler, interrupts ? 0 : SA_RESTART, true);
}

static sighandler_t plain_sysv_signal(int number, sighandler_t handler)
{
    return set_handler(number, handler, (int)SA_RESETHAND | SA_NODEFER, false);
}

static int plain_sigignore(int number)
{
    return set_handler(number, SIG_IGN, 0, false) == SIG_ERR ? -1 : 0;
}

/* Sets the signal mask, but never blocks the two signals that the C library uses to cancel and control threads. */
static int plain_sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    enum { CANCEL = 32, SET_ID = 33 };
    sigset_t without;
    if (set && how != SIG_UNBLOCK) {
        unsigned long *words = (unsigned long *)&without;
        without = *set;
        words[0] &= ~(1UL << (CANCEL - 1) | 1UL << (SET_ID - 1));
        set = &without;
    }
    return (int)plain_syscall(SYS_rt_sigprocmask, how, (long)set, (long)before, _NSIG / 8, 0, 0);
}

static int plain_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    int why = errno, code = plain_sigprocmask(how, set, before) == 0 ? 0 : errno;
    errno = why;
    return code;
}

static sighandler_t plain_sigset(int number, sighandler_t handler)
{
    sigset_t one, before;
    struct sigaction was;
    bool is_hold = handler == SIG_HOLD;
    sigemptyset(&one);
    if (sigaddset(&one, number) != 0 || plain_sigprocmask(is_hold ? SIG_BLOCK : SIG_UNBLOCK, &one, &before) != 0 ||
        __sigaction(number, NULL, &was) != 0 || (!is_hold && set_handler(number, handler, 0, false) == SIG_ERR))
        return SIG_ERR;
    return sigismember(&before, number) == 1 ? SIG_HOLD : was.sa_handler;
}

void *tp_hook_find_plain_function(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } plain[] = {{"syscall", (void *)plain_syscall},
                 {"prctl", (void *)plain_prctl},
                 {"capset", (void *)plain_capset},
                 {"unshare", (void *)plain_unshare},
                 {"setns", (void *)plain_setns},
                 {"sigaction", (void *)__sigaction},
                 {"signal", (void *)plain_signal},
                 {"bsd_signal", (void *)plain_signal},
                 {"ssignal", (void *)plain_signal},
                 {"sysv_signal", (void *)plain_sysv_signal},
                 {"__sysv_signal", (void *)plain_sysv_signal},
                 {"sigset", (void *)plain_sigset},
                 {"sigignore", (void *)plain_sigignore},
                 {"sigprocmask", (void *)plain_sigprocmask},
                 {"pthread_sigmask", (void *)plain_pthread_sigmask}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(plain[i].name, name) == 0)
            return plain[i].function;
    return strcmp(name, "clone") == 0 ? (void *)__clone : NULL;
}
