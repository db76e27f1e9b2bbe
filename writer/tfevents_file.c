/* Names of event files: see tfevents_file.h. */
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

/* Whether it is one of ours, and its NUMBER. */
static bool is_ours(const char *base, unsigned *number)
{
    size_t size = strlen(base), end = sizeof suffix - 1;
    if (size < sizeof prefix + end || strncmp(base, prefix, sizeof prefix - 1) != 0 ||
        strcmp(base + size - end, suffix) != 0)
        return false;
    const char *digits = base + size - end;
    while (digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    *number = (unsigned)strtoul(digits, NULL, 10);
    return digits[-1] == '.';
}

unsigned tp_tfevents_next_number(const char *folder)
{
    DIR *dir = opendir(folder);
    unsigned next = 0, number;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (is_ours(entry->d_name, &number) && number >= next && number < UINT32_MAX)
            next = number + 1;
    if (dir)
        closedir(dir);
    return next;
}

int tp_tfevents_remove_older(const char *folder, const char *keep, struct tp_error *err)
{
    DIR *dir = opendir(folder);
    unsigned number;
    int code = TP_OK;
    if (!dir)
        return tp_error_set(err, TP_EIO, 0, "%s: cannot open folder: %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (!is_ours(entry->d_name, &number) || (keep && strcmp(entry->d_name, keep) == 0))
            continue;
        if (unlinkat(dirfd(dir), entry->d_name, 0) < 0 && errno != ENOENT && code == TP_OK)
            code = tp_error_set(err, TP_EIO, 0, "%s/%s: cannot remove: %s", folder, entry->d_name, strerror(errno));
    }
    closedir(dir);
    return code;
}
