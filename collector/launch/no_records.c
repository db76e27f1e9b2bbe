/* Explains why nothing was recorded: see no_records.h. */
#include "collector/launch/no_records.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/launch/program.h"
#include "writer/base/buf.h"
#include "writer/base/input.h"
#include "writer/base/path.h"
#include "writer/worker.h"

enum {
    /* minimum free disk space for a spool, bytes; a spool begins with some chunks of 64 KiB */
    ROOM_BYTES = 1 << 20,
    MOST_ENTRY_BYTES = 64 << 20,
    /* longest name of a process that the kernel stores, bytes */
    NAME_BYTES = 15,
    /* maximum number of programs that are examined */
    MOST_LOOKS = 256,
};

/* Number of expected samples below which a recording without samples is normal. The estimate is too high, because it
 * includes processor time of the loader, which is not sampled. */
#define FEW_SAMPLES 5.0

const char tp_no_records_advice[] = "record it from outside (--outside)";

/* ---- collecting facts ---- */

/* Copies the name that the process had when the library last started in it to `name`. Returns false if the library did
 * not start in this process. */
static bool find_note_of_process(char name[16], const char *lines, pid_t pid)
{
    bool is_found = false;
    for (const char *line = lines, *next; *line; line = next) {
        char *end;
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        if (strtol(line, &end, 10) != pid || *end != TP_WORKER_BEGINS)
            continue;
        snprintf(name, NAME_BYTES + 1, "%.*s", (int)(line + n - end - 1), end + 1);
        is_found = true;
    }
    return is_found;
}

/* Returns whether the process had a different name at its exit than at the last start of the library. */
static bool has_name_changed_after_start(const struct tp_no_records *nothing)
{
    const char *last = nothing->child->end.name;
    return nothing->has_library_started && *last && strcmp(last, nothing->library_start_name) != 0;
}

/* Examines the program `name`. Returns true if no library can be preloaded into it. */
static bool examine_program(struct tp_no_records *nothing, const char *name, struct tp_program *program)
{
    tp_program_find(program, name);
    nothing->why_plain = program->error ? NULL : program->why_plain;
    if (nothing->why_plain)
        snprintf(nothing->plain, sizeof nothing->plain, "%s", tp_path_base(name));
    return nothing->why_plain != NULL;
}

static bool is_last_program_name(const struct tp_no_records *nothing, const char *path)
{
    return strncmp(tp_path_base(path), nothing->child->end.name, NAME_BYTES) == 0;
}

/* Examines the programs in the library's notes. Processes of the run became or started these programs. Each program is
 * examined once. */
static void examine_programs_in_notes(struct tp_no_records *nothing, const char *lines, struct tp_program *program)
{
    char path[PATH_MAX], before[PATH_MAX] = "";
    const bool is_other = has_name_changed_after_start(nothing);
    int looks = 0;
    for (const char *line = lines, *next; *line && looks < MOST_LOOKS && !nothing->why_plain; line = next) {
        char *end;
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        bool is_program = strtol(line, &end, 10) == nothing->child->pid;
        if (*end != TP_WORKER_BECOMES || (is_other && !is_program))
            continue;
        snprintf(path, sizeof path, "%.*s", (int)(line + n - end - 1), end + 1);
        if (strcmp(path, before) == 0 || (is_other && !is_last_program_name(nothing, path)))
            continue;
        looks++;
        memcpy(before, path, strlen(path) + 1);
        nothing->is_started = examine_program(nothing, path, program) && !is_other;
    }
}

/* Examines the words of the arguments. If no hook recorded the start of a program, these words usually contain its
 * name, possibly in a shell command. */
static void examine_argument_words(struct tp_no_records *nothing, char *const *argv, struct tp_program *program)
{
    for (size_t i = 1; argv[0] && argv[i] && !nothing->why_plain; i++) {
        char *words = strdup(argv[i]), *rest;
        for (char *word = words ? strtok_r(words, " \t\n;&|()", &rest) : NULL; word;
             word = strtok_r(NULL, " \t\n;&|()", &rest))
            if (is_last_program_name(nothing, word) && examine_program(nothing, word, program))
                break;
        free(words);
    }
}

static void examine_library_notes(struct tp_no_records *nothing, char *const *argv)
{
    char path[TP_RUN_PATH_BYTES + 32];
    struct tp_program *program = malloc(sizeof *program);
    struct tp_buf lines;
    tp_buf_init(&lines, MOST_ENTRY_BYTES);
    snprintf(path, sizeof path, "%s/%s", nothing->folder, TP_WORKER_PROCESS_LIST);
    if (tp_input_read_all(&lines, path, TP_INPUT_FILE, NULL) == 0) {
        tp_buf_putc(&lines, '\0');
        nothing->has_library_started =
            !lines.failed && find_note_of_process(nothing->library_start_name, lines.data, nothing->child->pid);
        if (program && !lines.failed)
            examine_programs_in_notes(nothing, lines.data, program);
    }
    if (program && has_name_changed_after_start(nothing) && !nothing->why_plain)
        examine_argument_words(nothing, argv, program);
    tp_buf_release(&lines);
    free(program);
}

/* Tests whether the kernel lets this process use sampling events. The result also applies to the program, which had the
 * same kernel and usually the same rights. */
static void examine_kernel_settings(struct tp_no_records *nothing)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    struct tp_buf text;
    char *end;
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    nothing->events_error = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    tp_buf_init(&text, 4096);
    nothing->perf_paranoid_level = -1;
    if (tp_input_read_all(&text, "/proc/sys/kernel/perf_event_paranoid", TP_INPUT_FILE, NULL) == 0) {
        tp_buf_putc(&text, '\0');
        long value = text.failed ? -1 : strtol(text.data, &end, 10);
        nothing->perf_paranoid_level = !text.failed && end > text.data ? value : -1;
    }
    tp_buf_release(&text);
    nothing->has_seccomp_filter = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}

void tp_no_records_examine(struct tp_no_records *nothing, char *const *argv)
{
    struct statvfs disk;
    examine_library_notes(nothing, argv);
    examine_kernel_settings(nothing);
    nothing->free_bytes = UINT64_MAX;
    if (statvfs(nothing->folder, &disk) == 0)
        nothing->free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
}

/* ---- finding the cause ---- */

/* Returns whether the user of the exited program could write to the folder. Supplementary groups of the user are no
 * longer known and are ignored. */
static bool can_user_write(const struct tp_child_end *end, const char *folder)
{
    struct stat status;
    if (!end->is_known || end->user == 0 || stat(folder, &status) != 0)
        return true;
    mode_t bit = status.st_uid == end->user ? S_IWUSR : status.st_gid == end->group ? S_IWGRP : S_IWOTH;
    return (status.st_mode & bit) != 0;
}

static double expected_samples(const struct tp_no_records *nothing)
{
    return nothing->sample_rate * (double)nothing->child->end.cpu_us / 1e6;
}

enum tp_no_records_cause tp_no_records_find_cause(const struct tp_no_records *nothing)
{
    const struct tp_child *child = nothing->child;
    bool is_full = nothing->free_bytes < ROOM_BYTES, is_other = has_name_changed_after_start(nothing),
         may = can_user_write(&child->end, nothing->folder);
    bool ended_whole = nothing->has_library_started && !is_other && !child->end.is_confined && may && !is_full;
    if (nothing->has_recording_choice)
        return TP_NO_RECORDS_EXCLUDED;
    if (ended_whole && nothing->sample_rate && expected_samples(nothing) < FEW_SAMPLES)
        return TP_NO_RECORDS_TOO_SHORT;
    if (!nothing->has_library_started && child->signal)
        return TP_NO_RECORDS_DIED;
    if (!may)
        return TP_NO_RECORDS_PERMISSION;
    if (child->end.is_confined)
        return TP_NO_RECORDS_CONFINED;
    if (is_other)
        return nothing->why_plain ? TP_NO_RECORDS_NOT_PRELOADABLE : TP_NO_RECORDS_REPLACED;
    if (nothing->is_started)
        return TP_NO_RECORDS_STARTED_OTHER;
    if (nothing->has_library_started && nothing->sample_rate && nothing->events_error)
        return TP_NO_RECORDS_REFUSED;
    if (is_full)
        return TP_NO_RECORDS_FULL;
    return nothing->has_library_started ? TP_NO_RECORDS_UNKNOWN_CAUSE : TP_NO_RECORDS_LOADER_EXIT;
}

/* ---- wording ---- */

/* Writes how the user can make the kernel allow events, and why timers could not replace the events. */
static void write_refused_advice(char *text, size_t size, const struct tp_no_records *nothing)
{
    static const char left[] = "samples need the signal SIGURG, which the program blocks or handles itself";
    if (nothing->has_seccomp_filter)
        snprintf(text, size,
                 "the container refuses kernel events (seccomp: %s), and %s; start the container with --cap-add "
                 "PERFMON or --security-opt seccomp=unconfined",
                 strerror(nothing->events_error), left);
    else if (nothing->perf_paranoid_level > 2)
        snprintf(text, size,
                 "the kernel refuses events (kernel.perf_event_paranoid is %ld), and %s; as root: sysctl "
                 "kernel.perf_event_paranoid=2",
                 nothing->perf_paranoid_level, left);
    else
        snprintf(text, size, "the kernel refuses events (%s), and %s; record as root, outside of a container",
                 strerror(nothing->events_error), left);
}

static void write_user_advice(char *text, size_t size, const struct tp_no_records *nothing)
{
    uid_t id = nothing->child->end.user;
    const struct passwd *user = getpwuid(id);
    char number[32];
    snprintf(number, sizeof number, "%u", (unsigned)id);
    snprintf(text, size,
             "no permission for %s: it ran as user %s; run record as that user, or set -o to a folder of that user",
             nothing->folder, user ? user->pw_name : number);
}

void tp_no_records_explain(char *text, size_t size, const struct tp_no_records *nothing)
{
    const struct tp_child *child = nothing->child;
    const char *last = child->end.name;
    switch (tp_no_records_find_cause(nothing)) {
    case TP_NO_RECORDS_TOO_SHORT:
        snprintf(text, size,
                 "too short: it used %.1f ms of CPU time outside the kernel, enough for %.1f samples, and called no "
                 "recorded function; give it more work, or take more samples: --source default,sample=10000",
                 (double)child->end.cpu_us / 1000, expected_samples(nothing));
        return;
    case TP_NO_RECORDS_DIED:
        snprintf(text, size, "signal %d (%s) ended it before main; if it runs without record, try --source null",
                 child->signal, strsignal(child->signal));
        return;
    case TP_NO_RECORDS_LOADER_EXIT:
        snprintf(text, size,
                 "it ended (exit code %d) before main, or it removed the library; run it without record to see its "
                 "messages, and record the program that it starts",
                 child->exit_code);
        return;
    case TP_NO_RECORDS_PERMISSION:
        write_user_advice(text, size, nothing);
        return;
    case TP_NO_RECORDS_CONFINED:
        snprintf(
            text, size,
            "it confined itself with seccomp before its first recorded call; record it from outside (--outside), or "
            "switch its sandbox off");
        return;
    case TP_NO_RECORDS_REPLACED:
        snprintf(text, size, "%s executed %s and replaced LD_PRELOAD; record that program: tracepress record -- %s",
                 nothing->library_start_name, last, last);
        return;
    case TP_NO_RECORDS_NOT_PRELOADABLE:
        snprintf(text, size, "%s executed %s, and %s: %s", nothing->library_start_name, nothing->plain,
                 nothing->why_plain, tp_no_records_advice);
        return;
    case TP_NO_RECORDS_STARTED_OTHER:
        snprintf(text, size, "%s started %s, and %s: %s", nothing->library_start_name, nothing->plain,
                 nothing->why_plain, tp_no_records_advice);
        return;
    case TP_NO_RECORDS_REFUSED:
        write_refused_advice(text, size, nothing);
        return;
    case TP_NO_RECORDS_FULL:
        snprintf(text, size,
                 "the disk of %s is full (%llu KiB are free); free some space, or set another folder with "
                 "-o",
                 nothing->folder, (unsigned long long)nothing->free_bytes / 1024);
        return;
    case TP_NO_RECORDS_EXCLUDED:
        snprintf(text, size,
                 "perhaps it did not run in a window of TRACEPRESS_WINDOW or on a rank of TRACEPRESS_RANKS");
        return;
    case TP_NO_RECORDS_UNKNOWN_CAUSE:
        snprintf(text, size,
                 "no active source recorded anything in this program; 'tracepress record --list-sources -- %s' lists "
                 "the sources",
                 nothing->name);
    }
}
