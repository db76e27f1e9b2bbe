/* Looks into /proc: see proc_looks.h. */
#include "collector/outside/proc_looks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "writer/base/input.h"

bool tp_proc_load(struct tp_buf *text, uint32_t pid, const char *name)
{
    char path[64];
    struct tp_input input;
    size_t got = 0;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/%s", pid, name);
    tp_buf_clear(text);
    if (tp_buf_reserve(text, text->max_bytes) != 0 || tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return false;
    int code = tp_input_read(&got, &input, text->data, text->max_bytes, 0, NULL);
    close(input.fd);
    text->size = code == TP_OK ? got : 0;
    text->data[text->size] = '\0';
    return text->size > 0;
}

static void take_number(int64_t *number, const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (at)
        *number = strtoll(at + strlen(key), NULL, 10);
}

bool tp_proc_read_usage(struct tp_proc_usage *usage, uint32_t pid, struct tp_buf *text)
{
    bool has_memory = tp_proc_load(text, pid, "statm"), has_io = false;
    const char *second = has_memory ? strchr(text->data, ' ') : NULL;
    int64_t pages = second ? strtoll(second, NULL, 10) : 0;
    if (pages > 0) /* of a process that is over: 0 */
        usage->resident_bytes = pages * sysconf(_SC_PAGESIZE);
    has_io = tp_proc_load(text, pid, "io");
    if (has_io) {
        take_number(&usage->read_call_bytes, text->data, "rchar: ");
        take_number(&usage->write_call_bytes, text->data, "wchar: ");
        take_number(&usage->read_disk_bytes, text->data, "\nread_bytes: ");
        take_number(&usage->write_disk_bytes, text->data, "\nwrite_bytes: ");
    }
    return has_memory || has_io;
}

bool tp_proc_read_words(struct tp_buf *text, uint32_t pid)
{
    return tp_proc_load(text, pid, "cmdline");
}

enum tp_proc_life tp_proc_life(uint32_t pid, struct tp_buf *text)
{
    enum { FLAGS = 7, IS_EXITING = 4 }; /* words behind the name; PF_EXITING of the kernel */
    const char *at = tp_proc_load(text, pid, "stat") ? strrchr(text->data, ')') : NULL;
    if (!at || strlen(at) < 3 || at[2] == 'Z' || at[2] == 'X')
        return TP_PROC_OVER;
    for (int word = 0; at && word < FLAGS; word++)
        at = strchr(at + 1, ' ');
    return at && strtoul(at, NULL, 10) & IS_EXITING ? TP_PROC_ENDING : TP_PROC_ALIVE;
}
