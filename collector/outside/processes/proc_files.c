/* Reads /proc: see proc_files.h. */
#include "collector/outside/processes/proc_files.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer/base/input.h"

bool tp_proc_load_file(struct tp_buf *text, uint32_t pid, const char *name)
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

static void read_keyed_number(int64_t *number, const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (at)
        *number = strtoll(at + strlen(key), NULL, 10);
}

bool tp_proc_read_usage(struct tp_proc_usage *usage, uint32_t pid, struct tp_buf *text)
{
    bool has_memory = tp_proc_load_file(text, pid, "statm"), has_io = false;
    const char *second = has_memory ? strchr(text->data, ' ') : NULL;
    int64_t pages = second ? strtoll(second, NULL, 10) : 0;
    if (pages > 0) /* 0 pages: the process has exited */
        usage->resident_bytes = pages * sysconf(_SC_PAGESIZE);
    has_io = tp_proc_load_file(text, pid, "io");
    if (has_io) {
        read_keyed_number(&usage->read_call_bytes, text->data, "rchar: ");
        read_keyed_number(&usage->write_call_bytes, text->data, "wchar: ");
        read_keyed_number(&usage->read_disk_bytes, text->data, "\nread_bytes: ");
        read_keyed_number(&usage->write_disk_bytes, text->data, "\nwrite_bytes: ");
    }
    return has_memory || has_io;
}

bool tp_proc_read_arguments(struct tp_buf *text, uint32_t pid)
{
    return tp_proc_load_file(text, pid, "cmdline");
}

bool tp_proc_read_user(uid_t *user, uint32_t pid)
{
    char path[32];
    struct stat process;
    snprintf(path, sizeof path, "/proc/%" PRIu32, pid);
    if (stat(path, &process) != 0)
        return false;
    *user = process.st_uid;
    return true;
}

bool tp_proc_is_same_user(uint32_t pid)
{
    uid_t user;
    return tp_proc_read_user(&user, pid) && user == geteuid();
}

void tp_proc_each_process(void (*take)(void *context, uint32_t pid), void *context)
{
    DIR *folder = opendir("/proc");
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (pid)
            take(context, pid);
    }
    if (folder)
        closedir(folder);
}

/* Stores a field of /proc/PID/stat after the name. number: number of the field in proc(5). */
static void store_stat_field(struct tp_proc_stat *stat, int number, const char *text)
{
    enum { EXITING = 4, KERNEL = 0x200000 }; /* PF_EXITING and PF_KTHREAD among the kernel's flags of a process */
    uint64_t value = strtoull(text, NULL, 10);
    if (number == 4)
        stat->parent = (uint32_t)value;
    else if (number == 9)
        stat->is_ending = (value & EXITING) != 0, stat->is_kernel = (value & KERNEL) != 0;
    else if (number == 20)
        stat->thread_count = (uint32_t)value;
    else if (number == 22)
        stat->started = value;
    else if (number == 48)
        stat->arguments_at = value;
    else if (number == 52)
        stat->status = (int)value;
}

bool tp_proc_read_stat(struct tp_proc_stat *stat, uint32_t pid, struct tp_buf *text)
{
    const char *name = tp_proc_load_file(text, pid, "stat") ? strchr(text->data, '(') : NULL;
    const char *end = name ? strrchr(name, ')') : NULL;
    if (!end || strlen(end) < 3)
        return false;
    *stat = (struct tp_proc_stat){.state = end[2]};
    snprintf(stat->name, sizeof stat->name, "%.*s", (int)(end - name - 1), name + 1);
    int number = 4;
    for (const char *at = strchr(end + 2, ' '); at; at = strchr(at + 1, ' '))
        store_stat_field(stat, number++, at);
    return true;
}

bool tp_proc_read_times(int64_t *running_ns, int64_t *ready_ns, uint32_t pid, uint32_t tid, struct tp_buf *text)
{
    char name[64], *second;
    snprintf(name, sizeof name, "task/%" PRIu32 "/schedstat", tid);
    if (!tp_proc_load_file(text, pid, name))
        return false;
    *running_ns = strtoll(text->data, &second, 10);
    *ready_ns = strtoll(second, NULL, 10);
    return true;
}

size_t tp_proc_list_threads(uint32_t *tids, size_t room, uint32_t pid)
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", pid);
    DIR *folder = opendir(path);
    if (folder)
        tids[count++] = pid;
    for (const struct dirent *entry; folder && count < room && (entry = readdir(folder));) {
        uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (tid && tid != pid)
            tids[count++] = tid;
    }
    if (folder)
        closedir(folder);
    return count;
}

void tp_proc_each_child(uint32_t pid, uint32_t tid, struct tp_buf *text, void (*take)(void *context, uint32_t child),
                        void *context)
{
    char name[64];
    snprintf(name, sizeof name, "task/%" PRIu32 "/children", tid);
    if (!tp_proc_load_file(text, pid, name))
        return;
    for (char *at = text->data, *end;; at = end) {
        unsigned long child = strtoul(at, &end, 10);
        if (end == at)
            return;
        take(context, (uint32_t)child);
    }
}

enum tp_proc_life tp_proc_life(uint32_t pid, struct tp_buf *text)
{
    struct tp_proc_stat stat;
    if (!tp_proc_read_stat(&stat, pid, text) || stat.state == 'Z' || stat.state == 'X')
        return TP_PROC_OVER;
    return stat.is_ending ? TP_PROC_ENDING : TP_PROC_ALIVE;
}
