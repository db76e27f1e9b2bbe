/* Converts one file of a process into a trace: see run_file.h.
 *
 * Spools are named .HOST_PID.NS.PID.tpspool (collector/session_spool.c). In a spool that was opened after fork, the
 * first PID is the parent's. Traces of PyTorch are named torch.NS.PID.json (collector/source/torch.py) or
 * kineto_PID.json (Kineto adds the PID). */
#include "collector/launch/run_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/launch/processes.h"
#include "collector/launch/takeover.h"
#include "writer/base/arena.h"
#include "writer/base/input.h"
#include "writer/base/pack.h"
#include "writer/base/str.h"
#include "writer/spool/spool_read.h"
#include "writer/worker.h"

/* ---- names ---- */

/* Returns the number before `end`, or -1 if there is no number. Sets *start to the first digit of the number. */
static long long parse_number_at_text_end(const char *text, const char *end, const char **start)
{
    const char *at = end;
    while (at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    *start = at;
    return at < end ? strtoll(at, NULL, 10) : -1;
}

/* Reads process id and time from the file's name. Returns false if the file does not belong to a run. */
static bool parse_file_name(struct tp_run_file *file)
{
    struct stat status;
    const char *dot = strrchr(file->base, '.'), *at;
    while (file->is_cut && dot > file->base && strncmp(dot, ".json", 5) != 0)
        dot--;
    if (!dot || lstat(file->path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    long long pid = parse_number_at_text_end(file->base, dot, &at);
    file->time_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    file->size_bytes = (uint64_t)status.st_size;
    if (pid < 0 || at == file->base)
        return false;
    file->pid = (pid_t)pid;
    if (at[-1] == '.') {
        long long time = parse_number_at_text_end(file->base, at - 1, &at);
        file->time_ns = time > 0 ? time : file->time_ns;
    }
    return true;
}

bool tp_run_file_open(struct tp_run_file *file, const char *folder, const char *base)
{
    *file = (struct tp_run_file){.is_spool = tp_str_ends(tp_str_of(base), ".tpspool"),
                                 /* is_cut: also true if a suffix follows .json.tmp, because Kineto adds its own
                                  * suffix */
                                 .is_cut = strstr(base, ".json.tmp") != NULL};
    if ((!file->is_spool && !file->is_cut && !tp_str_ends(tp_str_of(base), ".json")) ||
        asprintf(&file->path, "%s/%s", folder, base) < 0) {
        file->path = NULL;
        return false;
    }
    file->base = strrchr(file->path, '/') + 1;
    return parse_file_name(file);
}

void tp_run_file_release(struct tp_run_file *file)
{
    free(file->path);
    free(file->trace);
    file->path = file->trace = NULL;
}

bool tp_run_file_set_trace_path(struct tp_run_file *file, const char *logdir, const char *suffix)
{
    char host[65] = "host";
    gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++)
        *c = *c == '/' ? '_' : *c;
    if (asprintf(&file->trace, "%s/%s_%d%s%s.%lld.pt.trace.json.gz", logdir, host, (int)file->pid, suffix,
                 file->is_cut ? TP_WORKER_CUT : "", (long long)file->time_ns) < 0)
        file->trace = NULL;
    return file->trace != NULL;
}

/* ---- spools ---- */

/* Returns whether records of this kind occur in every process, so that they do not describe its work. */
static bool is_in_every_process(uint8_t kind)
{
    return kind == TP_SPOOL_STACK || kind == TP_SPOOL_SAMPLED || kind == TP_SPOOL_SAMPLE ||
           kind == TP_SPOOL_MEMORY_NOTE || kind == TP_SPOOL_WAIT;
}

/* Returns whether a record is a call of a math library, or the end of such a call. Such calls alone do not describe
 * the work of a process. */
static bool is_library_call(const struct tp_spool_record *record, const char *payload)
{
    struct tp_spool_operator op = {0};
    if (record->kind == TP_SPOOL_OPERATOR && record->slots * (size_t)TP_SPOOL_SLOT >= sizeof op)
        memcpy(&op, payload, sizeof op);
    return record->kind == TP_SPOOL_END || op.is_of_library;
}

/* Sets is_short (see the limits in takeover.h) and is_silent from the records of a spool. */
static void find_short_and_silent_spools(struct tp_run_file *left, const struct tp_spool_file *file)
{
    uint64_t samples = 0, last = 0;
    bool has_own_events = false, has_calls = false;
    for (uint32_t i = 0; i < file->clock_count; i++)
        last = file->clocks[i].ticks > last ? file->clocks[i].ticks : last;
    for (uint32_t t = 0; t < file->thread_count; t++) {
        struct tp_spool_walk walk;
        struct tp_spool_record record;
        const char *payload;
        tp_spool_walk(&walk, file, &file->threads[t]);
        while (!has_own_events && tp_spool_next_record(&walk, &record, &payload)) {
            samples += record.kind == TP_SPOOL_SAMPLE;
            last = record.time > last ? record.time : last;
            bool is_call = is_library_call(&record, payload);
            has_calls |= is_call;
            has_own_events = !is_call && !is_in_every_process(record.kind);
        }
    }
    int64_t ran_ns = tp_spool_realtime_ns(file, last) - (int64_t)file->head.start_realtime_ns;
    left->is_silent = !has_own_events;
    left->is_short = !has_own_events && !has_calls && samples < TP_TAKEOVER_SHORT_SAMPLES &&
                     ran_ns < TP_TAKEOVER_SHORT_MS * (int64_t)1000000;
}

static bool has_steps(const struct tp_spool_file *file)
{
    for (uint32_t t = 0; t < file->thread_count; t++) {
        struct tp_spool_walk walk;
        struct tp_spool_record record;
        const char *payload;
        tp_spool_walk(&walk, file, &file->threads[t]);
        while (tp_spool_next_record(&walk, &record, &payload))
            if (record.kind == TP_SPOOL_STEP)
                return true;
    }
    return false;
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

void tp_run_file_examine(struct tp_run_file *file)
{
    struct tp_spool_file spool = {0};
    struct tp_arena arena;
    if (!file->is_spool)
        return;
    tp_arena_init(&arena, 0);
    int code = tp_arena_run(&arena, open_spool, &(struct opening){&spool, file->path, &arena}, &file->err);
    if (arena.code)
        code = tp_error_set(&file->err, TP_ENOMEM, 0, "%s: out of memory", file->path);
    file->is_examined = code == 0;
    if (code == 0) {
        file->is_empty = spool.thread_count == 0;
        file->was_stopped = spool.was_stopped;
        find_short_and_silent_spools(file, &spool);
        file->has_steps = !file->is_short && has_steps(&spool);
    }
    tp_spool_release(&spool);
    tp_arena_release(&arena);
}

static enum tp_left_outcome convert_spool(struct tp_run_file *file, const struct tp_run_facts *run)
{
    if (file->is_examined && !file->was_stopped) {
        /* tp_spool_is_live tests a lock, which also works for processes with other ids in their own namespace */
        if (tp_process_is_of_run(file->pid, run->folder) || tp_spool_is_live(file->path))
            return TP_RUN_FILE_RUNNING;
        /* examined again, because the process may have recorded more since the first time */
        tp_run_file_examine(file);
    }
    if (!file->is_examined)
        return TP_RUN_FILE_FAILED;
    if (file->is_empty)
        return TP_RUN_FILE_EMPTY;
    if (file->is_short && (file->pid != run->program || file->is_replaced))
        return TP_RUN_FILE_SHORT;
    if (tp_spool_trace(file->path, file->trace, true, &file->result, &run->watch, &file->err) < 0)
        return TP_RUN_FILE_FAILED;
    if (file->result.range_count || file->result.event_count)
        return TP_RUN_FILE_TRACE;
    unlink(file->trace);
    return TP_RUN_FILE_EMPTY;
}

/* ---- traces that PyTorch wrote ---- */

/* Copies all bytes of the input to the compressor. */
static int compress_bytes(const struct tp_input *input, struct tp_pack *pack, const struct tp_spool_watch *watch,
                          struct tp_error *err)
{
    struct tp_buf block;
    uint64_t at = 0;
    size_t got = 1; /* not 0, so that the loop starts */
    int code = 0;
    tp_buf_init(&block, 0);
    while (code == 0 && got) {
        if (tp_buf_reserve(&block, TP_PACK_BLOCK) < 0)
            code = tp_error_set(err, block.failed, 0, "out of memory");
        else
            code = tp_input_read(&got, input, block.data, TP_PACK_BLOCK, at, err);
        at += got;
        block.size = got;
        if (code == 0 && got)
            tp_pack_write(pack, &block);
        watch->seen(watch->context, got);
    }
    tp_buf_release(&block);
    return code;
}

static int compress_file(const char *from, const char *to, const struct tp_spool_watch *watch, struct tp_error *err)
{
    struct tp_pack_options options = {.is_gzip = true};
    struct tp_pack *pack = NULL;
    struct tp_input input;
    int code = tp_input_open(&input, from, TP_INPUT_FILE, err);
    if (code < 0)
        return code;
    code = tp_pack_open(&pack, to, &options, err);
    code = code < 0 ? code : compress_bytes(&input, pack, watch, err);
    code = code < 0 ? code : tp_pack_close(&pack, err);
    tp_pack_discard(&pack);
    close(input.fd);
    return code;
}

/* Returns whether an incomplete file contains at least one event, or cannot be read. */
static bool has_event(const char *path)
{
    static const char key[] = "\"ph\"";
    struct tp_input input;
    struct tp_buf block;
    size_t got = 0;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return true;
    tp_buf_init(&block, 0);
    bool is_read = tp_buf_reserve(&block, TP_PACK_BLOCK) == 0 &&
                   tp_input_read(&got, &input, block.data, TP_PACK_BLOCK, 0, NULL) == 0;
    bool has = !is_read || got == TP_PACK_BLOCK || memmem(block.data, got, key, sizeof key - 1);
    tp_buf_release(&block);
    close(input.fd);
    return has;
}

void tp_run_file_convert(struct tp_run_file *file, const struct tp_run_facts *run)
{
    if (file->is_spool)
        file->outcome = convert_spool(file, run);
    else if (file->is_cut && !has_event(file->path))
        file->outcome = TP_RUN_FILE_EMPTY;
    else
        file->outcome = compress_file(file->path, file->trace, &run->watch, &file->err) < 0 ? TP_RUN_FILE_FAILED
                                                                                            : TP_RUN_FILE_TRACE;
    if (file->outcome != TP_RUN_FILE_RUNNING && file->outcome != TP_RUN_FILE_FAILED)
        unlink(file->path);
}
