/* many_cpus: preloaded, simulates a system with 40 CPUs of which only the first is online. Prints each perf event that
 * is opened on the first CPU to standard error. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CPUS = 40, WORDS = 6 };

long sysconf(int name)
{
    long (*real)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    return name == _SC_NPROCESSORS_CONF ? CPUS : real(name);
}

long syscall(long number, ...)
{
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    long words[WORDS];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < WORDS; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_perf_event_open && (int)words[2] > 0) {
        errno = ENODEV;
        return -1;
    }
    long result = real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    if (number == SYS_perf_event_open && result >= 0)
        fprintf(stderr, "event %llu of %s\n", (unsigned long long)((const struct perf_event_attr *)words[0])->config,
                (int)words[1] < 0 ? "the CPU" : "a thread");
    return result;
}
