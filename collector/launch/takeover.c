/* From what a run has left to traces: see takeover.h.
 *
 * Names: .HOST_PID.NS.PID.tpspool (collector/session_spool.c; after fork, the first PID is the parent's),
 * torch.NS.PID.json (collector/source/torch.py), kineto_PID.json (Kineto puts the PID there). What ends in .tmp was
 * being written when its process ended. */
#include "collector/launch/takeover.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/launch/processes.h"
#include "writer/base/arena.h"
#include "writer/base/input.h"
#include "writer/base/pack.h"
#include "writer/spool/spool_read.h"
#include "writer/spool/spool_trace.h"
#include "writer/worker.h"

enum { PATH_BYTES = 4096 };

struct entry {
    char path[PATH_BYTES], trace[PATH_BYTES];
    const char *base;
    pid_t pid;
    long long time_ns;
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The number that ends before `end`; *start: where it begins. -1 when there is none. */
static long long number_before(const char *text, const char *end, const char **start)
{
    const char *at = end;
    while (at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    *start = at;
    return at < end ? strtoll(at, NULL, 10) : -1;
}

/* Process and time of a file from its name; without a time, that of its last change. False: not ours. */
static bool read_name(struct entry *entry)
{
    struct stat status;
    const char *dot = strrchr(entry->base, '.'), *at;
    if (!dot || stat(entry->path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    long long pid = number_before(entry->base, dot, &at);
    entry->time_ns = (long long)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    if (pid < 0 || at == entry->base)
        return false;
    entry->pid = (pid_t)pid;
    if (at[-1] == '.') {
        long long time = number_before(entry->base, at - 1, &at);
        entry->time_ns = time > 0 ? time : entry->time_ns;
    }
    return true;
}

/* True when PyTorch has written a trace of the process, too. */
static bool has_json(struct dirent *const *names, int count, pid_t pid)
{
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name, *start;
        if (ends_with(name, ".json") && number_before(name, name + strlen(name) - strlen(".json"), &start) == pid)
            return true;
    }
    return false;
}

static bool name_trace(struct entry *entry, const char *logdir, const char *suffix)
{
    char host[65] = "host";
    gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++)
        *c = *c == '/' ? '_' : *c;
    int n = snprintf(entry->trace, sizeof entry->trace, "%s/%s_%d%s.%lld.pt.trace.json.gz", logdir, host,
                     (int)entry->pid, suffix, entry->time_ns);
    return n > 0 && (size_t)n < sizeof entry->trace;
}

/* ---- spools ---- */

struct look {
    bool is_empty, was_stopped, is_brief;
};

/* What is seen of every process, whatever it does. */
static bool is_of_any(uint8_t kind)
{
    return kind == TP_SPOOL_STACK || kind == TP_SPOOL_SAMPLED || kind == TP_SPOOL_SAMPLE ||
           kind == TP_SPOOL_MEMORY_NOTE || kind == TP_SPOOL_WAIT;
}

/* True when the records of a spool are below the floor. */
static bool is_below_floor(const struct tp_spool_file *file)
{
    uint64_t samples = 0, last = 0;
    for (uint32_t i = 0; i < file->clock_count; i++)
        last = file->clocks[i].ticks > last ? file->clocks[i].ticks : last;
    for (uint32_t t = 0; t < file->thread_count; t++) {
        struct tp_spool_walk walk;
        struct tp_spool_record record;
        const char *payload;
        tp_spool_walk(&walk, file, &file->threads[t]);
        while (tp_spool_next(&walk, &record, &payload)) {
            samples += record.kind == TP_SPOOL_SAMPLE;
            last = record.time > last ? record.time : last;
            if (!is_of_any(record.kind) || samples >= TP_TAKEOVER_BRIEF_SAMPLES)
                return false;
        }
    }
    int64_t ran_ns = tp_spool_time(file, last) - (int64_t)file->head.start_realtime_ns;
    return ran_ns < TP_TAKEOVER_BRIEF_MS * (int64_t)1000000;
}

struct opening {
    struct tp_spool_file *file;
    const char *path;
    struct tp_arena *arena;
};

static int open_spool(void *context, struct tp_error *err)
{
    struct opening *opening = context;
    return tp_spool_open(opening->file, opening->path, opening->arena, err);
}

static int look_at_spool(struct look *look, const char *path, struct tp_error *err)
{
    struct tp_spool_file file = {0};
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    int code = tp_arena_run(&arena, open_spool, &(struct opening){&file, path, &arena}, err);
    if (code == 0)
        *look = (struct look){file.thread_count == 0, file.was_stopped, is_below_floor(&file)};
    if (arena.code)
        code = tp_error_set(err, TP_ENOMEM, 0, "%s: out of memory", path);
    tp_spool_release(&file);
    tp_arena_release(&arena);
    return code;
}

/* Told as running; it is not told again for having no spool so far. */
static void tell_running(struct tp_takeover *t, const char *path, pid_t pid)
{
    for (size_t i = 0; i < t->left_count; i++)
        t->left[i] = t->left[i] == pid ? 0 : t->left[i];
    t->running_count++;
    t->tell(t->context, TP_TAKEN_RUNNING, path, pid, NULL);
}

static void take_spool(struct tp_takeover *t, struct entry *entry)
{
    struct look look = {0};
    struct tp_error err = {0};
    struct tp_spool_trace_result result = {0};
    int code = look_at_spool(&look, entry->path, &err);
    if (code == 0 && !look.was_stopped && tp_process_is_of_run(entry->pid, t->folder)) {
        tell_running(t, entry->path, entry->pid);
        return;
    }
    if (code == 0 && !look.was_stopped) /* it may have gone on since */
        code = look_at_spool(&look, entry->path, &err);
    bool is_brief = code == 0 && look.is_brief && !look.is_empty && entry->pid != t->program;
    if (code == 0 && !look.is_empty && !is_brief)
        code = tp_spool_trace(entry->path, entry->trace, true, &result, &err);
    bool has_nothing = look.is_empty || is_brief || (result.range_count == 0 && result.event_count == 0);
    if (code < 0) {
        t->failed_count++;
        t->tell(t->context, TP_TAKEN_FAILED, entry->path, entry->pid, err.text);
        return;
    }
    unlink(entry->path);
    t->open_count += result.open_count;
    t->broken_count += result.broken_count;
    if (has_nothing && !look.is_empty && !is_brief)
        unlink(entry->trace);
    t->brief_count += is_brief;
    t->empty_count += has_nothing && !is_brief;
    if (has_nothing)
        return;
    t->trace_count++;
    t->tell(t->context, TP_TAKEN_TRACE, entry->trace, entry->pid, NULL);
}

/* ---- traces that PyTorch wrote ---- */

/* Moves all bytes of fd to the packer. */
static int pack_bytes(const struct tp_input *input, struct tp_pack *pack, struct tp_error *err)
{
    struct tp_buf block;
    uint64_t at = 0;
    int code = 0;
    tp_buf_init(&block, 0);
    do {
        if (tp_buf_reserve(&block, TP_PACK_BLOCK) < 0)
            code = tp_error_set(err, block.failed, 0, "out of memory");
        else
            code = tp_input_read(&block.size, input, block.data, TP_PACK_BLOCK, at, err);
        at += block.size;
        if (code == 0 && block.size)
            tp_pack_write(pack, &block);
    } while (code == 0 && block.size);
    tp_buf_release(&block);
    return code;
}

static int pack_file(const char *from, const char *to, struct tp_error *err)
{
    struct tp_pack_options options = {.is_gzip = true};
    struct tp_pack *pack = NULL;
    struct tp_input input;
    int code = tp_input_open(&input, from, TP_INPUT_FILE, err);
    if (code < 0)
        return code;
    code = tp_pack_open(&pack, to, &options, err);
    code = code < 0 ? code : pack_bytes(&input, pack, err);
    code = code < 0 ? code : tp_pack_close(&pack, err);
    tp_pack_discard(&pack);
    close(input.fd);
    return code;
}

static void take_json(struct tp_takeover *t, struct entry *entry)
{
    struct tp_error err = {0};
    if (pack_file(entry->path, entry->trace, &err) < 0) {
        t->failed_count++;
        t->tell(t->context, TP_TAKEN_FAILED, entry->path, entry->pid, err.text);
        return;
    }
    unlink(entry->path);
    t->trace_count++;
    t->tell(t->context, TP_TAKEN_TRACE, entry->trace, entry->pid, NULL);
}

/* ---- all ---- */

/* Helpers end a moment after the process that started them: waits for all of them together. Those that stay are in
 * t->left. */
static void wait_for_helpers(struct tp_takeover *t)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    t->left_count = tp_processes_of_run(t->left, TP_TAKEOVER_LEFT, t->folder);
    for (unsigned waited_ms = 0; t->left_count > 0 && waited_ms < t->patience_ms; waited_ms += 20) {
        nanosleep(&pause, NULL);
        size_t kept = 0;
        for (size_t i = 0; i < t->left_count; i++)
            if (tp_process_is_of_run(t->left[i], t->folder))
                t->left[kept++] = t->left[i];
        t->left_count = kept;
    }
}

static void take(struct tp_takeover *t, struct dirent *const *names, int count, const char *base)
{
    struct entry entry;
    int n = snprintf(entry.path, sizeof entry.path, "%s/%s", t->folder, base);
    if (n < 0 || (size_t)n >= sizeof entry.path)
        return;
    entry.base = entry.path + (size_t)n - strlen(base);
    if (ends_with(base, ".tmp")) {
        if (t->left_count == 0) /* else its process may still be writing it */
            unlink(entry.path);
        return;
    }
    bool is_spool = ends_with(base, ".tpspool");
    if ((!is_spool && !ends_with(base, ".json")) || !read_name(&entry))
        return;
    bool is_second = is_spool && has_json(names, count, entry.pid);
    if (!name_trace(&entry, t->logdir, is_second ? TP_WORKER_BESIDE : ""))
        return;
    (is_spool ? take_spool : take_json)(t, &entry);
}

int tp_takeover(struct tp_takeover *t, struct tp_error *err)
{
    struct dirent **names = NULL;
    wait_for_helpers(t);
    int count = scandir(t->folder, &names, NULL, alphasort);
    if (count < 0)
        return tp_error_set(err, TP_EIO, 0, "%s: %s", t->folder, strerror(errno));
    for (int i = 0; i < count; i++)
        if (strcmp(names[i]->d_name, ".") != 0 && strcmp(names[i]->d_name, "..") != 0)
            take(t, names, count, names[i]->d_name);
    while (count > 0)
        free(names[--count]);
    free(names);
    for (size_t i = 0; i < t->left_count; i++)
        if (t->left[i] > 0 && tp_process_is_of_run(t->left[i], t->folder))
            tell_running(t, t->folder, t->left[i]);
    if (t->running_count == 0)
        rmdir(t->folder);
    return TP_OK;
}
