/* Implements the clock of a recording: see clock.h. */
#include "collector/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { TRIES = 16 };

bool tp_clock_is_tsc;

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns whether the counter has a constant rate in all power states, and the kernel uses it as its clock. */
static bool tsc_is_steady(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d = 0;
    char source[16] = "";
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1u << 8))
        return false;
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, source, sizeof source - 1) : -1;
    if (fd >= 0)
        close(fd);
    return got >= 3 && memcmp(source, "tsc", 3) == 0;
#else
    return false;
#endif
}

void tp_clock_init(void)
{
    tp_clock_is_tsc = tsc_is_steady();
}

struct tp_spool_clock tp_clock_read_all(void)
{
    struct tp_spool_clock best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = tp_clock_now();
        int64_t monotonic = read_clock(CLOCK_MONOTONIC), realtime = read_clock(CLOCK_REALTIME);
        uint64_t after = tp_clock_now();
        if (after - before < least) {
            least = after - before;
            best = (struct tp_spool_clock){before + (after - before) / 2, monotonic, realtime, 0};
        }
    }
    return best;
}
