/* Names and removes event files: see tfevents_file.h. */
#include "writer/tfevents_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = "events.out.tfevents.", suffix[] = ".tracepress";

int tp_tfevents_name(char *out, size_t size, const struct tp_tfevents_name *name, struct tp_error *err)
{
    int n = snprintf(out, size, "%s%010lld.%s.%ld.%03u%s", prefix, name->seconds > 0 ? (long long)name->seconds : 0,
                     name->host, name->pid, name->number, suffix);
    if (n < 0 || (size_t)n >= size)
        return tp_error_set(err, TP_ELIMIT, 0, "the name of an event file is longer than %zu bytes", size);
    return TP_OK;
}

void tp_tfevents_clean_name(char *text)
{
    for (char *c = text; *c; c++) {
        bool is_plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z');
        if (!is_plain && (*c == '.' ? c == text : *c != '_' && *c != '-'))
            *c = '_';
    }
}

/* The parts of the name of an event file that tracepress has written. */
struct parts {
    int64_t seconds;
    const char *host;
    size_t host_size;
    unsigned long pid, number;
};

/* Reads the number that ends before *end and follows a dot, and moves *end to the dot. Returns false if there is no
 * such number after `start`. */
static bool read_number_before(const char *start, const char **end, unsigned long *number)
{
    const char *digits = *end;
    while (digits > start && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (digits == *end || digits == start || digits[-1] != '.')
        return false;
    *number = strtoul(digits, NULL, 10);
    *end = digits - 1;
    return true;
}

/* Splits the name of a file. Returns false if it is not the name of an event file of tracepress. */
static bool split_file_name(struct parts *parts, const char *base)
{
    size_t size = strlen(base);
    if (size < sizeof prefix + sizeof suffix || strncmp(base, prefix, sizeof prefix - 1) != 0 ||
        strcmp(base + size - (sizeof suffix - 1), suffix) != 0)
        return false;
    const char *start = base + sizeof prefix - 1, *end = base + size - (sizeof suffix - 1);
    const char *dot = strchr(start, '.');
    parts->seconds = strtoll(start, NULL, 10);
    if (!read_number_before(dot, &end, &parts->number) || !read_number_before(dot, &end, &parts->pid))
        return false;
    parts->host = dot + 1;
    parts->host_size = end > dot ? (size_t)(end - dot - 1) : 0;
    return true;
}

/* Calls `use` for each event file of tracepress in the folder. Returns the first code other than 0. A missing folder is
 * treated as empty. */
static int visit_event_files(const char *folder,
                             int (*use)(DIR *dir, const char *base, const struct parts *parts, void *context),
                             void *context)
{
    DIR *dir = opendir(folder);
    struct parts parts;
    int code = TP_OK;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        int now = split_file_name(&parts, entry->d_name) ? use(dir, entry->d_name, &parts, context) : TP_OK;
        code = code ? code : now;
    }
    if (dir)
        closedir(dir);
    return code;
}

struct census {
    unsigned count, next; /* count: number of files; next: their largest NUMBER plus 1 */
    bool has_live;
};

static int count_file(DIR *dir, const char *base, const struct parts *parts, void *context)
{
    struct census *census = context;
    (void)dir;
    (void)base;
    census->count++;
    if (parts->number >= census->next && parts->number < UINT32_MAX)
        census->next = (unsigned)parts->number + 1;
    census->has_live |= parts->pid != 0;
    return TP_OK;
}

static struct census count_files(const char *folder)
{
    struct census census = {0};
    visit_event_files(folder, count_file, &census);
    return census;
}

unsigned tp_tfevents_count_files(const char *folder)
{
    return count_files(folder).count;
}

unsigned tp_tfevents_next_number(const char *folder)
{
    return count_files(folder).next;
}

bool tp_tfevents_has_live(const char *folder)
{
    return count_files(folder).has_live;
}

/* ---- removal of older files ---- */

struct removal {
    const char *folder, *keep, *host;
    struct tp_error *err;
};

static int remove_file_if_older(DIR *dir, const char *base, const struct parts *parts, void *context)
{
    const struct removal *removal = context;
    bool is_of_host =
        parts->host_size == strlen(removal->host) && memcmp(parts->host, removal->host, parts->host_size) == 0;
    if (parts->pid || !is_of_host || strcmp(base, removal->keep) == 0)
        return TP_OK;
    if (unlinkat(dirfd(dir), base, 0) == 0 || errno == ENOENT)
        return TP_OK;
    return tp_error_set(removal->err, TP_EIO, 0, "%s/%s: cannot remove: %s", removal->folder, base, strerror(errno));
}

int tp_tfevents_remove_older(const char *folder, const char *host, const char *keep, struct tp_error *err)
{
    struct removal removal = {folder, keep, host, err};
    return visit_event_files(folder, remove_file_if_older, &removal);
}
