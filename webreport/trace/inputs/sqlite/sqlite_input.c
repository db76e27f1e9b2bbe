/* Reads SQLite databases of profilers: see sqlite_input.h. Opens the database, recognises its producer by its tables,
 * and calls the reader of the producer.
 *
 * SQLite reads files only by name, so an input that is compressed or comes through a pipe is written into a temporary
 * file first. Database, temporary file and buffers are outside the arenas, so all work runs under a separate guard. */
#include "webreport/trace/inputs/sqlite/sqlite_input.h"

#include <stdio.h>
#include <unistd.h>

#include "webreport/trace/inputs/sqlite/producers.h"
#include "webreport/trace/inputs/sqlite/unpacked_file.h"
#include "writer/base/input.h"
#include "writer/base/limits.h"

/* ---- producers ---- */

static const struct tp_database_producer *find_producer(const struct tp_database *db)
{
#define ROW(name) &tp_##name##_producer,
    static const struct tp_database_producer *const producers[] = {TP_DATABASE_PRODUCERS(ROW)};
#undef ROW
    for (size_t i = 0; i < sizeof producers / sizeof *producers; i++)
        if (producers[i]->is_one(db))
            return producers[i];
    return NULL;
}

/* Refuses a database that no producer wrote, and names its first tables. */
static int refuse_unknown_database(const struct tp_database *db, struct tp_error *err)
{
    enum { SHOWN = 5, SHOWN_BYTES = 24 };
    uint32_t count = tp_database_table_count(db);
    char names[SHOWN * (SHOWN_BYTES + 3)] = "";
    size_t size = 0;
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        struct tp_str name = tp_database_table(db, i);
        int length = (int)(name.len < SHOWN_BYTES ? name.len : SHOWN_BYTES);
        size += (size_t)snprintf(names + size, sizeof names - size, "%s%.*s", i ? ", " : "", length, name.ptr);
    }
    return tp_error_set(err, TP_EFORMAT, 0, "is an SQLite database that tracepress does not know (tables: %s)",
                        count ? names : "none");
}

/* ---- one database ---- */

struct job {
    struct tp_source *source; /* NULL for a list of parts */
    struct tp_vec *parts;     /* NULL for reading */
    const char *path;         /* path of the database */
    struct tp_unpacked_file unpacked;
    struct tp_database *db;
    struct tp_row_events events;
    struct tp_arena scratch;
};

static int choose_process(const struct tp_vec *pids, const struct tp_database_producer *producer, int64_t *pid,
                          struct tp_error *err)
{
    if (!pids->count)
        return tp_error_set(err, TP_EFORMAT, 0, "%s", producer->refusal);
    *pid = *TP_AT(pids, int64_t, 0);
    if (pids->count == 1)
        return TP_OK;
    return tp_error_set(err, TP_EFORMAT, 0,
                        "%zu processes are in this file; store it as a regular file, and tracepress reads each process",
                        pids->count);
}

static int read_database(struct job *job, const struct tp_database_producer *producer, struct tp_error *err)
{
    struct tp_source *source = job->source;
    int64_t pid = 0;
    if (source->options && source->options->part) {
        pid = source->options->part->number;
    } else {
        struct tp_vec pids = TP_VEC(&job->scratch, int64_t);
        int code = producer->list(job->db, &pids, err);
        if (code == TP_OK)
            code = choose_process(&pids, producer, &pid, err);
        if (code < 0)
            return code;
    }
    tp_row_events_open(&job->events, source->sink, &job->scratch);
    return producer->read(job->db, source, &job->events, pid);
}

static int list_database_parts(struct job *job, const struct tp_database_producer *producer, struct tp_error *err)
{
    struct tp_vec pids = TP_VEC(&job->scratch, int64_t);
    int code = producer->list(job->db, &pids, err);
    if (code == TP_OK && !pids.count)
        return tp_error_set(err, TP_EFORMAT, 0, "%s", producer->refusal);
    for (size_t i = 0; code == TP_OK && i < pids.count && i < TP_MAX_INPUT_PARTS; i++) {
        char name[48];
        int64_t pid = *TP_AT(&pids, int64_t, i);
        int size = snprintf(name, sizeof name, "process %lld", (long long)pid);
        *(struct tp_input_part *)tp_vec_push(job->parts) =
            (struct tp_input_part){pid, {tp_arena_copy(job->parts->arena, name, (size_t)size), (size_t)size}, NULL};
    }
    return code;
}

static int open_and_use(void *context, struct tp_error *err)
{
    struct job *job = context;
    int code = tp_database_open(&job->db, job->path, &job->scratch, err);
    tp_unpacked_file_remove(&job->unpacked); /* an open file remains readable */
    if (code < 0)
        return code;
    const struct tp_database_producer *producer = find_producer(job->db);
    if (!producer)
        return refuse_unknown_database(job->db, err);
    return job->source ? read_database(job, producer, err) : list_database_parts(job, producer, err);
}

/* Runs a job under a guard of `arena` and of the job's own arena. Releases everything outside `arena`. */
static int run_job(struct job *job, struct tp_arena *arena, struct tp_error *err)
{
    tp_arena_init(&job->scratch, 0);
    int code = tp_arena_run_both(arena, &job->scratch, open_and_use, job, err);
    tp_unpacked_file_remove(&job->unpacked);
    tp_database_close(job->db);
    tp_row_events_release(&job->events);
    tp_arena_release(&job->scratch);
    tp_arena_fail_with_stored_code(arena);
    return code;
}

/* ---- reading ---- */

/* Returns true if SQLite can open the input by its path: a regular file that is not compressed. path: may be NULL. */
static bool can_open_by_path(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof magic];
    struct tp_input input;
    size_t size = 0;
    if (!path || strcmp(path, "-") == 0 || tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return false;
    tp_input_read(&size, &input, head, sizeof head, 0, NULL);
    close(input.fd);
    return size == sizeof head && memcmp(head, magic, sizeof head) == 0;
}

int tp_sqlite_input_read(struct tp_source *source)
{
    struct job job = {.source = source, .path = source->path};
    int code;
    source->is_binary = true;
    if (can_open_by_path(source->path)) {
        code = tp_source_drain(source);
    } else {
        code = tp_unpacked_file_make(&job.unpacked, source->feed, &source->at, &source->end, source->err);
        job.path = job.unpacked.path;
    }
    if (code == TP_OK)
        code = run_job(&job, source->sink->trace->arena, source->err);
    else
        tp_unpacked_file_remove(&job.unpacked);
    tp_source_store_feed_report(source, source->at);
    return code;
}

/* Unpacks a compressed file for a list of its parts. */
static int unpack(struct job *job, const char *path, struct tp_error *err)
{
    const struct tp_feed_options options = {.max_input_bytes = TP_MAX_UNPACKED_DATABASE_BYTES, .skips_hash = true};
    struct tp_feed *feed;
    const char *at = NULL, *end = NULL;
    int code = tp_feed_open(&feed, path, &options, err);
    if (code < 0)
        return code;
    code = tp_unpacked_file_make(&job->unpacked, feed, &at, &end, err);
    tp_feed_close(feed);
    job->path = job->unpacked.path;
    return code;
}

int tp_sqlite_input_list_parts(struct tp_vec *parts, const char *path, struct tp_error *err)
{
    struct job job = {.parts = parts, .path = path};
    int code = can_open_by_path(path) ? TP_OK : unpack(&job, path, err);
    if (code == TP_OK)
        return run_job(&job, parts->arena, err);
    tp_unpacked_file_remove(&job.unpacked);
    return code;
}
