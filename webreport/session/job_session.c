/* Builds jobs from the summaries of their ranks: see job_session.h. The packed summaries of all inputs are in memory
 * together. Two threads unpack them batch by batch, each into its own arenas. A job keeps only a few kilobytes of
 * each rank. */
#include "webreport/session/job_session.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "webreport/compare/job/job_build.h"
#include "webreport/document/words/reason_words.h"
#include "webreport/session/inputs.h"
#include "webreport/session/summary_inputs.h"
#include "writer/base/limits.h"
#include "writer/base/path.h"

enum { BATCH = 64 };

/* State of building the jobs. Memory comes from the caller's arena. */
struct state {
    const struct tp_job_session *session;
    struct tp_console *console;
    struct tp_arena *arena;
    struct tp_summary_set set;
    struct tp_jobs *jobs;
    struct tp_vec items,
        failed; /* items: the jobs, struct tp_job; failed: unusable inputs, struct tp_job_failed_input */
    bool hit_limit;
    struct tp_error *err;
};

/* ---- finding and reading of inputs ---- */

struct question {
    const struct tp_run_search *search;
    struct tp_arena arena;
};

/* Returns 1 if all inputs are summaries; 0 if no input is a summary, or the inputs cannot be found; TP_EUSAGE if only
 * some inputs are summaries. */
static int classify_inputs(void *context, struct tp_error *err)
{
    struct question *question = context;
    struct tp_summary_inputs found;
    size_t summary_count = 0;
    int code = tp_summary_inputs_find(&found, &question->arena, question->search, TP_INPUTS_MUST_EXIST, err);
    for (size_t i = 0; code == TP_OK && i < found.count; i++)
        summary_count += found.items[i].trace == NULL;
    if (code == TP_OK && summary_count > 0)
        return summary_count == found.count ? 1 : TP_EUSAGE;
    return code == TP_ENOMEM ? code : 0;
}

int tp_job_detect_inputs(const struct tp_run_search *search)
{
    struct question question = {.search = search};
    tp_arena_init(&question.arena, 0);
    int answer = tp_arena_run(&question.arena, classify_inputs, &question, NULL);
    tp_arena_release(&question.arena);
    return answer;
}

/* Prints why an input cannot be used, and adds it to the list of failed inputs. The list has only the file name,
 * because outputs must not reveal folders. */
static void report_failed_input(struct state *state, const char *path, const struct tp_error *why)
{
    const char *file = tp_path_base(path);
    tp_console_input_error(state->console, path, why->text);
    state->hit_limit |= why->code == TP_ELIMIT || why->code == TP_ENOMEM;
    *(struct tp_job_failed_input *)tp_vec_push(&state->failed) = (struct tp_job_failed_input){
        tp_str_of(file), {tp_arena_copy(state->arena, why->text, strlen(why->text)), strlen(why->text)}};
}

static int read_inputs(struct state *state)
{
    struct tp_summary_inputs inputs;
    const struct tp_run_search search = {.paths = state->session->inputs, .path_count = state->session->input_count};
    int code = tp_summary_inputs_find(&inputs, state->arena, &search, TP_INPUTS_SUMMARIES, state->err);
    tp_summary_set_init(&state->set, state->arena);
    for (size_t i = 0; code == TP_OK && i < inputs.missing.count; i++) {
        struct tp_error why = {0};
        tp_error_set(&why, TP_ENOTFOUND, 0, "No such file or directory");
        report_failed_input(state, *TP_AT(&inputs.missing, const char *, i), &why);
    }
    for (size_t i = 0; code == TP_OK && i < inputs.count; i++) {
        struct tp_error why = {0};
        tp_console_progress(state->console, "reading %zu of %zu: %s", i + 1, inputs.count, inputs.items[i].base);
        int read = tp_summary_inputs_read(&state->set, inputs.items[i].path, &why);
        if (read == TP_ENOMEM) /* running out of memory is a failure of the command, not of this input */
            return tp_error_set(state->err, read, 0, "%s", why.text);
        if (read < 0)
            report_failed_input(state, inputs.items[i].path, &why);
    }
    state->jobs->duplicate_count = state->set.repeated_record_count + state->set.other_count;
    return code;
}

/* ---- unpacking of summaries ---- */

struct unpacked {
    const struct tp_summary_record *record;
    struct tp_arena arena, *scratch;
    struct tp_summary summary;
    int code;
    struct tp_error err;
};

static int unpack_record(void *context, struct tp_error *err)
{
    struct unpacked *item = context;
    int code = tp_summary_unpack_in_arena(&item->summary, item->record, &item->arena, item->scratch, err);
    if (code == TP_OK)
        tp_fill_metric_texts(item->summary.metrics);
    return code;
}

static void unpack_summary(struct unpacked *item, struct tp_arena *scratch)
{
    item->scratch = scratch;
    item->code = tp_arena_run(&item->arena, unpack_record, item, &item->err);
    if (item->arena.code)
        tp_error_set(&item->err, item->arena.code, 0, "a process is too large");
}

/* Up to BATCH summaries that are unpacked together by two threads, each of which unpacks every second summary. All
 * batches reuse the same memory. */
struct batch {
    struct state *state;
    struct unpacked items[BATCH];
    size_t count;
    struct tp_arena scratch[2]; /* element for each thread: arena for temporary data */
};

struct half {
    struct batch *batch;
    size_t first;
};

static void *unpack_half_of_batch(void *context)
{
    const struct half *half = context;
    for (size_t i = half->first; i < half->batch->count; i += 2)
        unpack_summary(&half->batch->items[i], &half->batch->scratch[half->first]);
    return NULL;
}

static void unpack_batch_on_two_threads(struct batch *batch)
{
    struct half own = {batch, 0}, other = {batch, 1};
    pthread_t thread;
    bool has_thread = batch->count > 1 && pthread_create(&thread, NULL, unpack_half_of_batch, &other) == 0;
    unpack_half_of_batch(&own);
    if (has_thread)
        pthread_join(thread, NULL);
    else
        unpack_half_of_batch(&other);
}

/* Returns the job with the name and the recording number of a summary, or adds it. Returns NULL if there are too many
 * jobs. */
static struct tp_job *find_or_add_job(struct state *state, const struct tp_summary_key *key)
{
    for (size_t i = 0; i < state->items.count; i++) {
        struct tp_job *job = TP_AT(&state->items, struct tp_job, i);
        if (tp_str_equal(job->name, key->job) && job->span == key->span)
            return job;
    }
    if (state->items.count == TP_MAX_JOB_SPANS) {
        state->jobs->dropped_summary_count++;
        return NULL;
    }
    struct tp_job *job = tp_vec_push(&state->items);
    tp_job_init(job, state->arena, key->job, key->span);
    return job;
}

static const char *job_name(struct state *state, const struct tp_summary_key *key)
{
    char name[96];
    int size;
    if (key->rank == TP_NULL_INT)
        size = snprintf(name, sizeof name, "the record of %.*s", (int)(key->worker.len < 60 ? key->worker.len : 60),
                        key->worker.ptr);
    else
        size = snprintf(name, sizeof name, "the record of rank %lld", (long long)key->rank);
    return tp_arena_copy(state->arena, name, (size_t)size);
}

static void add_unpacked_record(struct state *state, struct unpacked *item)
{
    if (item->code == TP_ENOMEM)
        tp_arena_fail(state->arena, item->code);
    if (item->code < 0) {
        report_failed_input(state, job_name(state, &item->record->key), &item->err);
        return;
    }
    struct tp_job *job = find_or_add_job(state, &item->summary.key);
    if (job)
        tp_job_add_summary(job, &item->summary);
}

static int add_summaries_of_batch(void *context, struct tp_error *err)
{
    struct batch *batch = context;
    (void)err;
    for (size_t i = 0; i < batch->count; i++)
        add_unpacked_record(batch->state, &batch->items[i]);
    return TP_OK;
}

static void init_batch_arenas(struct batch *batch, struct state *state)
{
    batch->state = state;
    for (size_t i = 0; i < BATCH; i++)
        tp_arena_init(&batch->items[i].arena, TP_MAX_SUMMARY_MEMORY_BYTES);
    for (size_t i = 0; i < 2; i++)
        tp_arena_init(&batch->scratch[i], TP_MAX_SUMMARY_MEMORY_BYTES);
}

static void release_batch_arenas(struct batch *batch)
{
    for (size_t i = 0; i < BATCH; i++)
        tp_arena_release(&batch->items[i].arena);
    for (size_t i = 0; i < 2; i++)
        tp_arena_release(&batch->scratch[i]);
}

/* Unpacks all summaries and adds each to its job, in the order of the inputs. */
static void add_records(struct state *state)
{
    struct batch *batch = tp_arena_alloc(state->arena, sizeof *batch);
    init_batch_arenas(batch, state);
    for (size_t first = 0; first < state->set.count && !state->arena->code; first += BATCH) {
        size_t left = state->set.count - first;
        batch->count = left < BATCH ? left : BATCH;
        tp_console_progress(state->console, "comparing %zu of %zu ranks", first, state->set.count);
        for (size_t i = 0; i < batch->count; i++)
            batch->items[i].record = &state->set.records[first + i];
        unpack_batch_on_two_threads(batch);
        tp_arena_run(state->arena, add_summaries_of_batch, batch, NULL);
        for (size_t i = 0; i < batch->count; i++) {
            tp_arena_clear(&batch->items[i].arena);
            batch->items[i].err = (struct tp_error){0};
        }
    }
    release_batch_arenas(batch); /* called also after a failure, which the next call reports */
    tp_arena_fail_with_stored_code(state->arena);
}

int tp_job_session_run(struct tp_jobs *jobs, const struct tp_job_session *session, struct tp_arena *arena,
                       struct tp_error *err)
{
    struct state state = {.session = session,
                          .console = session->console,
                          .arena = arena,
                          .jobs = jobs,
                          .items = TP_VEC(arena, struct tp_job),
                          .failed = TP_VEC(arena, struct tp_job_failed_input),
                          .err = err};
    *jobs = (struct tp_jobs){0};
    int code = read_inputs(&state);
    if (code < 0)
        return code;
    add_records(&state);
    if (state.items.count == 0) /* the reason why each input is unusable is already printed */
        return tp_error_set(err, state.hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0, "no usable summary");
    if (session->is_strict && state.failed.count)
        return tp_error_set(err, TP_ENOTFOUND, 0, "--strict: %zu inputs could not be used", state.failed.count);
    for (size_t i = 0; i < state.items.count; i++)
        tp_job_finish(TP_AT(&state.items, struct tp_job, i));
    jobs->items = state.items.data;
    jobs->count = state.items.count;
    jobs->failed = state.failed.data;
    jobs->failed_count = state.failed.count;
    return TP_OK;
}
