/* Finds and reads dumps of the Flight Recorder: see flight_session.h.
 *
 * The files are read in batches. Several threads read the files of a batch; then their dumps are added in the order of
 * the files, so that the result does not depend on the threads. */
#include "webreport/session/flight_session.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "webreport/document/words/flight_words.h"
#include "webreport/session/inputs.h"
#include "webreport/trace/file_head.h"
#include "writer/base/limits.h"
#include "writer/base/path.h"

enum { BATCH = 64, MOST_THREADS = 16 };

/* ---- search ---- */

/* Returns whether a part of a path below its first `start` bytes begins with a dot. */
static bool is_hidden(const char *path, size_t start)
{
    for (size_t i = start; path[i]; i++)
        if (path[i] == '.' && (i == start || path[i - 1] == '/'))
            return true;
    return false;
}

/* Lists the files below a folder whose names have a rank, in the order of the folders and names. */
static int list_folder(struct tp_vec *paths, const char *folder, struct tp_error *err)
{
    struct tp_vec all = TP_VEC(paths->arena, const char *);
    size_t start = strlen(folder);
    int code = tp_rundir_find_named(&all, folder, "", err);
    for (size_t i = 0; i < all.count && code == TP_OK; i++) {
        const char *path = *TP_AT(&all, const char *, i);
        size_t below = start + (path[start] == '/');
        if (!is_hidden(path, below) && tp_flight_rank_of_file(tp_str_of(tp_path_base(path))) >= 0)
            *(const char **)tp_vec_push(paths) = path;
    }
    return code;
}

struct question {
    const struct tp_run_search *search;
    struct tp_arena arena;
};

/* Returns whether one of the first files of a folder is a dump. */
static bool has_dumps(const char *folder, struct tp_arena *arena, struct tp_error *err)
{
    struct tp_vec paths = TP_VEC(arena, const char *);
    if (list_folder(&paths, folder, err) < 0)
        return false;
    for (size_t i = 0; i < paths.count && i < TP_MAX_IGNORED_CHECKS; i++)
        if (tp_file_head_is_flight(*TP_AT(&paths, const char *, i)))
            return true;
    return false;
}

static int classify_inputs(void *context, struct tp_error *err)
{
    struct question *question = context;
    size_t count = 0;
    for (size_t i = 0; i < question->search->path_count; i++) {
        const char *input = question->search->paths[i];
        if (strcmp(input, "-") == 0)
            continue;
        if (!tp_inputs_is_folder(input))
            count += tp_file_head_is_flight(input);
        else /* traces take precedence over dumps */
            count +=
                has_dumps(input, &question->arena, err) && !tp_inputs_count_traces(input, question->search->include);
    }
    if (count == 0)
        return 0;
    return count == question->search->path_count ? 1 : TP_EUSAGE;
}

int tp_flight_detect_inputs(const struct tp_run_search *search)
{
    struct question question = {.search = search};
    tp_arena_init(&question.arena, 0);
    int answer = tp_arena_run(&question.arena, classify_inputs, &question, NULL);
    tp_arena_release(&question.arena);
    return answer;
}

/* ---- reading ---- */

/* One file of a batch. */
struct item {
    const char *path;
    int64_t rank;
    struct tp_flight_dump dump;
    struct tp_arena arena;
    int code;
    struct tp_error err;
};

struct batch {
    struct item *items;
    size_t count;
    _Atomic size_t next;
};

struct state {
    const struct tp_flight_session *session;
    struct tp_flight_job job;
    struct item items[BATCH];
    size_t thread_count;
    struct tp_vec paths;
    struct tp_flight_result *result;
    struct tp_arena *arena;
};

static void *read_items(void *context)
{
    struct batch *batch = context;
    struct tp_arena scratch;
    tp_arena_init(&scratch, 0);
    for (size_t i = batch->next++; i < batch->count; i = batch->next++) {
        struct item *item = &batch->items[i];
        item->err = (struct tp_error){0};
        if (item->rank >= TP_MAX_FLIGHT_RANKS)
            continue;
        item->code = tp_flight_read(&item->dump, &item->arena, &scratch, item->path, &item->err);
        tp_arena_clear(&scratch);
    }
    tp_arena_release(&scratch);
    return NULL;
}

static void read_on_threads(struct batch *batch, size_t thread_count)
{
    pthread_t threads[MOST_THREADS];
    size_t started = 0;
    while (started + 1 < thread_count && started + 1 < batch->count &&
           pthread_create(&threads[started], NULL, read_items, batch) == 0)
        started++;
    read_items(batch);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

/* Adds a file of a batch to the job. */
static int add_item(struct state *state, const struct item *item)
{
    struct tp_str name = tp_str_of(tp_path_base(item->path));
    if (item->code == TP_OK && item->rank < TP_MAX_FLIGHT_RANKS) {
        tp_flight_job_add(&state->job, name, (uint32_t)item->rank, &item->dump);
        return TP_OK;
    }
    bool has_rank = item->rank < TP_MAX_FLIGHT_RANKS;
    struct tp_str version = has_rank ? item->dump.version : (struct tp_str){"", 0};
    struct tp_str reason =
        tp_flight_refusal_text(has_rank ? item->dump.refusal : TP_FLIGHT_RANK, version, state->arena);
    struct tp_str detail = tp_str_of(item->err.text);
    if (item->code == TP_ENOMEM)
        return TP_ENOMEM;
    tp_console_input_error(state->session->console, item->path, detail.len ? detail.ptr : reason.ptr);
    tp_flight_job_add_failed(&state->job, name, has_rank ? item->rank : TP_NULL_INT, reason, detail);
    return TP_OK;
}

static int read_batch(struct state *state, size_t from)
{
    struct batch batch = {.items = state->items, .count = state->paths.count - from};
    int code = TP_OK;
    batch.count = batch.count < BATCH ? batch.count : BATCH;
    for (size_t i = 0; i < batch.count; i++) {
        struct item *item = &state->items[i];
        tp_arena_clear(&item->arena);
        item->arena.max_bytes = TP_PICKLE_GRACE_BYTES;
        item->path = *TP_AT(&state->paths, const char *, from + i);
        item->rank = tp_flight_rank_of_file(tp_str_of(tp_path_base(item->path)));
        item->code = TP_OK;
    }
    read_on_threads(&batch, state->thread_count);
    for (size_t i = 0; i < batch.count && code == TP_OK; i++)
        code = add_item(state, &state->items[i]);
    return code;
}

static int read_all(void *context, struct tp_error *err)
{
    struct state *state = context;
    int code = TP_OK;
    tp_flight_job_init(&state->job, state->arena);
    for (size_t from = 0; from < state->paths.count && code == TP_OK; from += BATCH) {
        tp_console_progress(state->session->console, "reading %zu of %zu dumps", from, state->paths.count);
        code = read_batch(state, from);
    }
    if (code < 0)
        return tp_error_set(err, code, 0, "out of memory");
    tp_flight_job_finish(&state->job);
    tp_flight_analyse(state->result, &state->job);
    tp_fill_flight_texts(state->result);
    return TP_OK;
}

/* ---- the session ---- */

static int list_inputs(struct state *state, struct tp_error *err)
{
    const struct tp_flight_session *session = state->session;
    int code = TP_OK;
    for (size_t i = 0; i < session->input_count && code == TP_OK; i++) {
        const char *input = session->inputs[i];
        size_t before = state->paths.count;
        if (tp_inputs_is_folder(input))
            code = list_folder(&state->paths, input, err);
        else if (access(input, F_OK) != 0)
            code = tp_error_set(err, TP_ENOTFOUND, 0, "%s: no such file or folder", input);
        else if (tp_flight_rank_of_file(tp_str_of(tp_path_base(input))) >= 0)
            *(const char **)tp_vec_push(&state->paths) = input;
        if (code == TP_OK && state->paths.count == before)
            code =
                tp_error_set(err, TP_ENOTFOUND, 0,
                             "%s: no dump of the Flight Recorder: the name of a dump ends in the number of its rank, "
                             "such as rank_0",
                             input);
    }
    return code;
}

int tp_flight_session_run(struct tp_flight_result *result, const struct tp_flight_session *session,
                          struct tp_arena *arena, struct tp_error *err)
{
    struct state *state = tp_arena_alloc(arena, sizeof *state);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    state->session = session;
    state->result = result;
    state->arena = arena;
    state->paths = TP_VEC(arena, const char *);
    state->thread_count = processors < 1 ? 1 : processors < MOST_THREADS ? (size_t)processors : MOST_THREADS;
    int code = list_inputs(state, err);
    if (code < 0)
        return code;
    for (size_t i = 0; i < BATCH; i++)
        tp_arena_init(&state->items[i].arena, 0);
    code = tp_arena_run(arena, read_all, state, err); /* nested, because the dumps have arenas of their own */
    for (size_t i = 0; i < BATCH; i++)
        tp_arena_release(&state->items[i].arena);
    tp_arena_fail_with_stored_code(arena);
    tp_console_progress_end(session->console);
    if (code == TP_OK && session->is_strict && result->failed_file_total)
        return tp_error_set(err, TP_ENOTFOUND, 0, "--strict: %llu of %zu dumps could not be read",
                            (unsigned long long)result->failed_file_total, state->paths.count);
    return code;
}
