/* Why nothing was recorded: see why_nothing.h. */
#include "collector/launch/why_nothing.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "collector/launch/program.h"
#include "writer/base/buf.h"
#include "writer/base/input.h"
#include "writer/worker.h"

enum {
    ROOM_BYTES = 1 << 20,
    MOST_ENTRY_BYTES = 64 << 20,
    NAME_BYTES = 15
}; /* a spool begins with some chunks of 64 KiB; names of the kernel */

/* ---- looking ---- */

/* The last name under which the library began in the process; false: it did not. */
static bool find_entry(char name[16], const char *lines, pid_t pid)
{
    bool is_found = false;
    for (const char *line = lines, *next; *line; line = next) {
        char *end;
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        if (strtol(line, &end, 10) != pid || *end != ' ')
            continue;
        snprintf(name, NAME_BYTES + 1, "%.*s", (int)(line + n - end - 1), end + 1);
        is_found = true;
    }
    return is_found;
}

static void look_at_entries(struct tp_nothing *nothing)
{
    char path[TP_RUN_PATH_BYTES + 32];
    struct tp_buf lines;
    tp_buf_init(&lines, MOST_ENTRY_BYTES);
    snprintf(path, sizeof path, "%s/%s", nothing->folder, TP_WORKER_ENTERED);
    if (tp_input_read_all(&lines, path, TP_INPUT_FILE, NULL) == 0) {
        tp_buf_putc(&lines, '\0');
        nothing->has_entered = !lines.failed && find_entry(nothing->entered_as, lines.data, nothing->child->pid);
    }
    tp_buf_release(&lines);
}

/* True when the process had another name at its end than when the library last began in it. */
static bool has_become_other(const struct tp_nothing *nothing)
{
    const char *last = nothing->child->end.name;
    return nothing->has_entered && *last && strcmp(last, nothing->entered_as) != 0;
}

/* Looks at one name; true when it is the process's last one, and takes no library. */
static bool look_at_name(struct tp_nothing *nothing, const char *name, struct tp_program *program)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    if (strncmp(base, nothing->child->end.name, NAME_BYTES) != 0)
        return false;
    tp_program_find(program, name);
    nothing->why_plain = program->error ? NULL : program->why_plain;
    if (nothing->why_plain)
        snprintf(nothing->plain, sizeof nothing->plain, "%s", base);
    return nothing->why_plain != NULL;
}

/* What the process became is named among the program's words as a rule, maybe in a text for a shell. */
static void look_at_words(struct tp_nothing *nothing, char *const *argv)
{
    struct tp_program *program = has_become_other(nothing) ? malloc(sizeof *program) : NULL;
    for (size_t i = 1; program && argv[0] && argv[i] && !nothing->why_plain; i++) {
        char *words = strdup(argv[i]), *rest;
        for (char *word = words ? strtok_r(words, " \t\n;&|()", &rest) : NULL; word;
             word = strtok_r(NULL, " \t\n;&|()", &rest))
            if (look_at_name(nothing, word, program))
                break;
        free(words);
    }
    free(program);
}

void tp_nothing_look(struct tp_nothing *nothing, char *const *argv)
{
    struct statvfs disk;
    look_at_entries(nothing);
    look_at_words(nothing, argv);
    nothing->free_bytes = UINT64_MAX;
    if (statvfs(nothing->folder, &disk) == 0)
        nothing->free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
}

/* ---- deciding ---- */

/* Other groups of the user are not known any more. */
static bool may_write(const struct tp_child_end *end, const char *folder)
{
    struct stat status;
    if (!end->is_known || end->user == 0 || stat(folder, &status) != 0)
        return true;
    mode_t bit = status.st_uid == end->user ? S_IWUSR : status.st_gid == end->group ? S_IWGRP : S_IWOTH;
    return (status.st_mode & bit) != 0;
}

static double samples_due(const struct tp_nothing *nothing)
{
    return nothing->sample_rate * (double)nothing->child->end.cpu_us / 1e6;
}

enum tp_nothing_cause tp_nothing_decide(const struct tp_nothing *nothing)
{
    const struct tp_child *child = nothing->child;
    bool is_full = nothing->free_bytes < ROOM_BYTES, is_other = has_become_other(nothing),
         may = may_write(&child->end, nothing->folder);
    bool ended_whole = nothing->has_entered && !is_other && !child->end.is_confined && may && !is_full;
    if (nothing->has_choice)
        return TP_NOTHING_CHOSEN;
    if (ended_whole && nothing->sample_rate && samples_due(nothing) < 1.5)
        return TP_NOTHING_SHORT;
    if (!nothing->has_entered && child->signal)
        return TP_NOTHING_DIED;
    if (!may)
        return TP_NOTHING_PERMISSION;
    if (child->end.is_confined)
        return TP_NOTHING_CONFINED;
    if (is_other)
        return nothing->why_plain ? TP_NOTHING_PLAIN : TP_NOTHING_REPLACED;
    if (is_full)
        return TP_NOTHING_FULL;
    return nothing->has_entered ? TP_NOTHING_DONE : TP_NOTHING_LOADER;
}

/* ---- wording ---- */

static void word_user(char *text, size_t size, const struct tp_nothing *nothing)
{
    uid_t id = nothing->child->end.user;
    const struct passwd *user = getpwuid(id);
    char number[32];
    snprintf(number, sizeof number, "%u", (unsigned)id);
    snprintf(text, size,
             "no permission for %s: it ran as user %s; run record as that user, or with -o FOLDER that is theirs",
             nothing->folder, user ? user->pw_name : number);
}

void tp_nothing_word(char *text, size_t size, const struct tp_nothing *nothing)
{
    const struct tp_child *child = nothing->child;
    const char *last = child->end.name;
    switch (tp_nothing_decide(nothing)) {
    case TP_NOTHING_SHORT:
        snprintf(
            text, size,
            "too short: it took %.1f ms of processor time, in which %.1f samples were due, and called nothing that "
            "is recorded; give it more work, or more samples: --source default,sample=10000",
            (double)child->end.cpu_us / 1000, samples_due(nothing));
        return;
    case TP_NOTHING_DIED:
        snprintf(text, size, "signal %d (%s) ended it before its main; if it runs without record, try --source null",
                 child->signal, strsignal(child->signal));
        return;
    case TP_NOTHING_LOADER:
        snprintf(
            text, size,
            "it ended (exit code %d) before its main, or the library was taken out of it; see what it says without "
            "record, and record the program that it starts",
            child->exit_code);
        return;
    case TP_NOTHING_PERMISSION:
        word_user(text, size, nothing);
        return;
    case TP_NOTHING_CONFINED:
        snprintf(
            text, size,
            "it confined itself by seccomp before it did anything that is recorded, and can be recorded from outside "
            "only, as by 'perf record'; or switch its sandbox off");
        return;
    case TP_NOTHING_REPLACED:
        snprintf(text, size, "%s became %s, and replaced LD_PRELOAD; record that one: tracepress record -- %s",
                 nothing->entered_as, last, last);
        return;
    case TP_NOTHING_PLAIN:
        snprintf(text, size, "%s became %s, and %s: it can be recorded from outside only, as by 'perf record'",
                 nothing->entered_as, nothing->plain, nothing->why_plain);
        return;
    case TP_NOTHING_FULL:
        snprintf(text, size, "the disk of %s is full (%llu KiB are free); make room, or name another folder with -o",
                 nothing->folder, (unsigned long long)nothing->free_bytes / 1024);
        return;
    case TP_NOTHING_CHOSEN:
        snprintf(text, size, "maybe it did not run in a window of TRACEPRESS_WINDOW, on a rank of TRACEPRESS_RANKS");
        return;
    case TP_NOTHING_DONE:
        snprintf(text, size,
                 "no source that was on had anything to see in this program; 'tracepress record "
                 "--list-sources -- %s' lists them",
                 nothing->name);
    }
}
