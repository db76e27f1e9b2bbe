/* Finds, reads and analyses memory snapshots: see snapshot_session.h. */
#include "webreport/session/snapshot_session.h"

#include <fnmatch.h>
#include <string.h>

#include "webreport/document/words/snapshot_words.h"
#include "webreport/session/inputs.h"
#include "webreport/trace/file_head.h"
#include "writer/base/path.h"
#include "writer/base/sort.h"

/* ---- search ---- */

/* Lists the snapshots below a folder, sorted by path. include: pattern of the file names; NULL for all names. */
static int list_folder(struct tp_vec *paths, const char *folder, const char *include, struct tp_error *err)
{
    struct tp_arena *arena = paths->arena;
    static const char *const endings[] = {".pickle", ".pickle.gz", ".pkl", ".pkl.gz"};
    int code = TP_OK;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && code == TP_OK; i++) {
        struct tp_vec named = TP_VEC(arena, const char *);
        code = tp_rundir_find_named(&named, folder, endings[i], err);
        for (size_t k = 0; k < named.count && code == TP_OK; k++) {
            const char *path = *TP_AT(&named, const char *, k);
            bool is_wanted = !include || fnmatch(include, tp_path_base(path), FNM_PERIOD) == 0;
            if (is_wanted && tp_file_head_is_snapshot(path))
                *(const char **)tp_vec_push(paths) = path;
        }
    }
    return code;
}

/* Lists the snapshots of one input. Adds nothing for an input that is no snapshot. */
static int list_input(struct tp_vec *paths, const char *input, const char *include, struct tp_error *err)
{
    if (strcmp(input, "-") == 0)
        return TP_OK;
    if (tp_inputs_is_folder(input))
        return list_folder(paths, input, include, err);
    if (tp_file_head_is_snapshot(input))
        *(const char **)tp_vec_push(paths) = input;
    return TP_OK;
}

struct question {
    const struct tp_run_search *search;
    struct tp_arena arena;
};

static int classify_inputs(void *context, struct tp_error *err)
{
    struct question *question = context;
    size_t snapshot_count = 0;
    for (size_t i = 0; i < question->search->path_count; i++) {
        const char *input = question->search->paths[i];
        struct tp_vec paths = TP_VEC(&question->arena, const char *);
        if (list_input(&paths, input, question->search->include, err) < 0 || !paths.count)
            continue;
        /* in a folder, traces take precedence over snapshots */
        snapshot_count += !tp_inputs_is_folder(input) || !tp_inputs_count_traces(input, question->search->include);
    }
    if (snapshot_count == 0)
        return 0;
    return snapshot_count == question->search->path_count ? 1 : TP_EUSAGE;
}

int tp_snapshot_detect_inputs(const struct tp_run_search *search)
{
    struct question question = {.search = search};
    tp_arena_init(&question.arena, 0);
    int answer = tp_arena_run(&question.arena, classify_inputs, &question, NULL);
    tp_arena_release(&question.arena);
    return answer;
}

/* Returns whether an input is the file of a memory snapshot, not a folder. */
static bool is_snapshot_file(const char *input)
{
    return strcmp(input, "-") != 0 && !tp_inputs_is_folder(input) && tp_file_head_is_snapshot(input);
}

bool tp_snapshot_refuse_inputs(const char *const *inputs, size_t count, const char *why, struct tp_console *console)
{
    for (size_t i = 0; i < count; i++)
        if (!is_snapshot_file(inputs[i]))
            return false;
    if (count)
        tp_console_error(console, "%s: %s", inputs[0], why);
    return count > 0;
}

size_t tp_snapshot_find_partner(const struct tp_run_search *search)
{
    bool is_snapshot[2];
    if (search->path_count != 2)
        return SIZE_MAX;
    for (size_t i = 0; i < 2; i++)
        is_snapshot[i] = is_snapshot_file(search->paths[i]);
    return is_snapshot[0] == is_snapshot[1] ? SIZE_MAX : is_snapshot[1];
}

bool tp_timeline_detect_input(const struct tp_run_search *search)
{
    return search->path_count == 1 && tp_file_head_is_timeline(search->paths[0]);
}

/* ---- reading ---- */

struct state {
    const struct tp_snapshot_session *session;
    struct tp_snapshots *snapshots;
    struct tp_arena *arena;
    bool hit_limit;
};

static void report_failed_input(struct state *state, const char *path, const struct tp_error *why)
{
    const char *file = tp_path_base(path);
    tp_console_input_error(state->session->console, path, why->text);
    state->hit_limit |= why->code == TP_ELIMIT || why->code == TP_ENOMEM;
    *(struct tp_snapshot_failure *)tp_vec_push(&state->snapshots->failed) = (struct tp_snapshot_failure){
        tp_str_of(file), {tp_arena_copy(state->arena, why->text, strlen(why->text)), strlen(why->text)}};
}

static int read_input(struct state *state, const char *path)
{
    struct tp_snapshot *snapshot = tp_arena_alloc(state->arena, sizeof *snapshot);
    struct tp_error why = {0};
    int code = tp_snapshot_read(snapshot, state->arena, path, state->session->max_input_bytes, &why);
    if (code == TP_ENOMEM)
        return code;
    if (code < 0) {
        report_failed_input(state, path, &why);
        return TP_OK;
    }
    struct tp_snapshot_result *result = &state->snapshots->items[state->snapshots->count++];
    tp_snapshot_analyse(result, snapshot, tp_str_of(tp_path_base(path)), state->arena);
    tp_fill_snapshot_texts(result, state->arena);
    return TP_OK;
}

/* Sets *err if no input can be used, or if the session is strict and some input cannot be used. */
static int check_results(struct state *state, struct tp_error *err)
{
    size_t failed = state->snapshots->failed.count;
    if (state->snapshots->count && (!failed || !state->session->is_strict))
        return TP_OK;
    return tp_error_set(err, state->hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0, "%zu of %zu inputs cannot be used", failed,
                        failed + state->snapshots->count);
}

/* Orders paths by rank; paths without a rank come last. */
static int compare_ranks(const void *x, const void *y, const void *context)
{
    int64_t a = tp_snapshot_rank_of_file(tp_str_of(tp_path_base(*(const char *const *)x)));
    int64_t b = tp_snapshot_rank_of_file(tp_str_of(tp_path_base(*(const char *const *)y)));
    (void)context; /* all data is in the paths */
    if ((a == TP_NULL_INT) != (b == TP_NULL_INT))
        return a == TP_NULL_INT ? 1 : -1;
    return (a > b) - (a < b);
}

int tp_snapshot_list_inputs(struct tp_vec *paths, const struct tp_snapshot_session *session, struct tp_arena *arena,
                            struct tp_error *err)
{
    int code = TP_OK;
    for (size_t i = 0; i < session->input_count && code == TP_OK; i++)
        if (tp_inputs_is_folder(session->inputs[i]))
            code = list_folder(paths, session->inputs[i], session->include, err);
        else /* tp_snapshot_detect_inputs has found that the file is a snapshot */
            *(const char **)tp_vec_push(paths) = session->inputs[i];
    tp_merge_sort(arena, paths->data, paths->count, sizeof(const char *), compare_ranks, NULL);
    return code;
}

int tp_snapshot_session_run(struct tp_snapshots *snapshots, const struct tp_snapshot_session *session,
                            struct tp_arena *arena, struct tp_error *err)
{
    struct state state = {.session = session, .snapshots = snapshots, .arena = arena};
    struct tp_vec paths = TP_VEC(arena, const char *);
    *snapshots = (struct tp_snapshots){.failed = TP_VEC(arena, struct tp_snapshot_failure)};
    int code = tp_snapshot_list_inputs(&paths, session, arena, err);
    snapshots->items = tp_arena_array(arena, paths.count, sizeof *snapshots->items);
    for (size_t i = 0; i < paths.count && code == TP_OK; i++) {
        const char *path = *TP_AT(&paths, const char *, i);
        tp_console_progress(session->console, "reading %zu of %zu: %s", i + 1, paths.count, tp_path_base(path));
        code = read_input(&state, path);
    }
    tp_console_progress_end(session->console);
    return code < 0 ? code : check_results(&state, err);
}
