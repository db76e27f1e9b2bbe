/* Measures throttled processor time: see throttling.h. */
#include "collector/outside/processes/throttling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/outside/processes/proc_files.h"
#include "writer/base/input.h"
#include "writer/base/str.h"

enum { PATH_BYTES = 1024, STAT_BYTES = 1 << 18, MOST_LEVELS = 32 };

static int64_t read_keyed_number(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

/* Adds the values in the file cpu.stat at `path` to *sum: "throttled_usec 12" of cgroup version 2, or "throttled_time
 * 12000" of version 1. A cgroup without a limit has no such line, or the value 0. */
static bool add_throttling_of_file(struct tp_throttling *sum, const char *path)
{
    struct tp_buf text;
    tp_buf_init(&text, STAT_BYTES);
    bool is_read = tp_input_read_all(&text, path, TP_INPUT_FILE, NULL) == TP_OK && text.size;
    int64_t us = is_read ? read_keyed_number(text.data, "throttled_usec ") : -1;
    int64_t ns = is_read ? read_keyed_number(text.data, "throttled_time ") : -1;
    int64_t periods = is_read ? read_keyed_number(text.data, "nr_throttled ") : -1;
    tp_buf_release(&text);
    if (periods < 0 || (us < 0 && ns < 0) || us > INT64_MAX / 1000)
        return false;
    sum->time_ns += us >= 0 ? us * 1000 : ns;
    sum->period_count += periods;
    return true;
}

/* Adds the values of the cgroup `path` and of all its parents. folder: folder of the hierarchy. */
static bool add_cgroup_and_parents(struct tp_throttling *sum, const char *folder, struct tp_str path)
{
    char file[PATH_BYTES];
    bool is_any = false;
    for (int level = 0; level < MOST_LEVELS; level++) {
        while (path.len && path.ptr[path.len - 1] == '/')
            path.len--;
        int size = snprintf(file, sizeof file, "%s%.*s/cpu.stat", folder, (int)path.len, path.ptr);
        is_any = (size > 0 && size < PATH_BYTES && add_throttling_of_file(sum, file)) || is_any;
        if (!path.len)
            break;
        while (path.len && path.ptr[path.len - 1] != '/')
            path.len--;
    }
    return is_any;
}

/* Returns whether "cpu" is an entry of a list such as "cpu,cpuacct". */
static bool has_cpu_controller(struct tp_str controllers)
{
    while (controllers.len) {
        const char *comma = memchr(controllers.ptr, ',', controllers.len);
        size_t size = comma ? (size_t)(comma - controllers.ptr) : controllers.len;
        if (size == 3 && memcmp(controllers.ptr, "cpu", 3) == 0)
            return true;
        size += comma != NULL;
        controllers = (struct tp_str){controllers.ptr + size, controllers.len - size};
    }
    return false;
}

/* Adds the cgroup in a line of /proc/PID/cgroup: "0::/a/b" in version 2, "3:cpu,cpuacct:/a/b" in version 1. */
static bool add_cgroup_of_line(struct tp_throttling *sum, struct tp_str line, const char *root)
{
    char folder[PATH_BYTES];
    const char *first = memchr(line.ptr, ':', line.len);
    const char *second = first ? memchr(first + 1, ':', (size_t)(line.ptr + line.len - first - 1)) : NULL;
    if (!second || second[1] != '/' || tp_str_find(line, "/..") >= 0)
        return false;
    struct tp_str controllers = {first + 1, (size_t)(second - first - 1)};
    struct tp_str path = {second + 1, (size_t)(line.ptr + line.len - second - 1)};
    if (!controllers.len)
        return add_cgroup_and_parents(sum, root, path);
    if (!has_cpu_controller(controllers))
        return false;
    snprintf(folder, sizeof folder, "%s/%.*s", root, (int)controllers.len, controllers.ptr);
    return add_cgroup_and_parents(sum, folder, path);
}

bool tp_throttling_sum_groups(struct tp_throttling *throttling, const char *groups, const char *root)
{
    bool is_any = false;
    *throttling = (struct tp_throttling){0};
    for (const char *at = groups; *at;) {
        size_t size = strcspn(at, "\n");
        is_any = add_cgroup_of_line(throttling, (struct tp_str){at, size}, root) || is_any;
        at += size + (at[size] != '\0');
    }
    return is_any;
}

static const char ROOT[] = "/sys/fs/cgroup";

void tp_throttling_begin(struct tp_throttling_span *span, uint32_t pid, struct tp_buf *text)
{
    *span = (struct tp_throttling_span){.is_known = false};
    if (!tp_proc_load_file(text, pid, "cgroup") || text->size >= sizeof span->groups)
        return;
    memcpy(span->groups, text->data, text->size + 1);
    span->is_known = tp_throttling_sum_groups(&span->before, span->groups, ROOT);
}

bool tp_throttling_end(const struct tp_throttling_span *span, struct tp_throttling *since)
{
    bool is_known = span->is_known && tp_throttling_sum_groups(since, span->groups, ROOT);
    since->time_ns -= span->before.time_ns;
    since->period_count -= span->before.period_count;
    is_known = is_known && since->time_ns >= 0 && since->period_count >= 0;
    *since = is_known ? *since : (struct tp_throttling){0};
    return is_known;
}
