/* Functions of the C library that are nothing but a system call, for programs in which no library has them behind ours:
 * those that are linked statically. See hook.h. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "collector/hook.h"

/* The C library's clone by the name that it uses itself, which nobody stands before. */
extern __typeof__(clone) __clone __attribute__((weak));

#if defined(__x86_64__)
// NOLINTNEXTLINE(readability-function-size): what the C library's has
static long call(long number, long a, long b, long c, long d, long e, long f)
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
// NOLINTNEXTLINE(readability-function-size): what the C library's has
static long call(long number, long a, long b, long c, long d, long e, long f)
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
// NOLINTNEXTLINE(readability-function-size): what the C library's has
static long call(long number, long a, long b, long c, long d, long e, long f)
{
    (void)number, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    return -ENOSYS;
}
#endif

// NOLINTNEXTLINE(readability-function-size): what the C library's has
static long plain_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    enum { MOST_ERRORS = 4095 };
    long result = call(number, a, b, c, d, e, f);
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

void *tp_hook_plain(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } plain[] = {{"syscall", (void *)plain_syscall},
                 {"prctl", (void *)plain_prctl},
                 {"capset", (void *)plain_capset},
                 {"unshare", (void *)plain_unshare},
                 {"setns", (void *)plain_setns}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(plain[i].name, name) == 0)
            return plain[i].function;
    return strcmp(name, "clone") == 0 ? (void *)__clone : NULL;
}
