/* Finds events in the trace of recorded_text.h. Each test program includes this file once, so everything is static. */
#ifndef TP_TESTS_UNIT_RECORDED_SLICE_H
#define TP_TESTS_UNIT_RECORDED_SLICE_H

#include <stdbool.h>

#include "tests/unit/recorded_text.h"

/* An event of the trace: its line, its phase, its row, and its times. */
struct slice {
    char line[4096], kind;
    long long tid, start_ns, dur_ns;
};

/* Returns the time after `key`, such as "123.456" microseconds, in nanoseconds. */
static long long read_time_ns(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    long long whole, part;
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(key), "%lld.%3lld", &whole, &part), 2);
    return whole * 1000 + part;
}

/* Returns the event number `nth` (from 0) of all events with this name. */
static struct slice find_event(const char *name, int nth)
{
    struct slice slice = {.kind = 0};
    char wanted[256];
    snprintf(wanted, sizeof wanted, "\"name\":\"%s\"", name);
    for (const char *line = text; (line = strstr(line, "{\"ph\":\"")); line++) {
        size_t n = strcspn(line, "\n");
        const char *found = strstr(line, wanted);
        if (!found || found > line + n || n >= sizeof slice.line || nth-- > 0)
            continue;
        memcpy(slice.line, line, n);
        slice.line[n] = '\0';
        slice.kind = line[7];
        slice.start_ns = read_time_ns(slice.line, "\"ts\":");
        slice.dur_ns = slice.kind == 'X' ? read_time_ns(slice.line, "\"dur\":") : 0;
        const char *tid = strstr(slice.line, "\"tid\":");
        slice.tid = tid ? strtoll(tid + 6, NULL, 10) : 0;
        break;
    }
    return slice;
}

static bool has_line_text(const struct slice *slice, const char *what)
{
    return strstr(slice->line, what) != NULL;
}

static bool is_row_named(long long tid, const char *name)
{
    char row[300];
    snprintf(row, sizeof row, "\"tid\":%lld,\"args\":{\"name\":\"%s\"}}", tid, name);
    return strstr(text, row) != NULL;
}

#endif
