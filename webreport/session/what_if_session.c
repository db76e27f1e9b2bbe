/* Runs the command `whatif`: see what_if_session.h. */
#include "webreport/session/what_if_session.h"

#include "webreport/session/inputs.h"
#include "webreport/session/trace_walk.h"

struct what_ifs {
    struct tp_what_if_session *session;
    struct tp_arena arena; /* memory for the whole session, such as the runs */
    struct tp_trace_walk walk;
    struct tp_joined_session joined;
    struct tp_asked_changes own; /* the asked changes without those of ranks, which one profile cannot answer */
    bool has_main;               /* true if an input is no helper process; then helper processes have no answers */
    size_t main_count;           /* number of profiles with answers */
};

/* Counts the profiles of the inputs, and checks that no output is an input. */
static int use_found_inputs(void *context, struct tp_error *err)
{
    struct what_ifs *w = context;
    size_t count = 0;
    for (size_t i = 0; i < w->walk.runs.count; i++)
        for (size_t k = 0; k < w->walk.runs.items[i].file_count; k++)
            count += !tp_is_accompanying_file(&w->walk.runs.items[i].files[k]);
    w->has_main = count > 0;
    w->main_count = count ? count : w->walk.file_count;
    for (size_t i = 0; i < w->session->output_count; i++)
        if (w->session->outputs[i] && tp_trace_walk_has_input(&w->walk, w->session->outputs[i]))
            return tp_error_set(err, TP_EUSAGE, 0, "whatif: the output would overwrite an input");
    return TP_OK;
}

static int answer_for_trace(void *context, const struct tp_walked *walked, struct tp_error *err)
{
    struct what_ifs *w = context;
    struct tp_what_if_session *session = w->session;
    struct tp_analysis *a = walked->analysis;
    struct tp_what_if_view view;
    struct tp_error why = {0};
    if (w->has_main && tp_is_accompanying_file(walked->file))
        return TP_OK;
    tp_analysis_build_model(a);
    tp_inputs_print_notices(session->console, walked->file->path, &a->trace);
    const struct tp_asked_changes *asked = w->main_count > 1 ? &w->own : &session->asked;
    int code = tp_changes_price(&view, &a->model, asked, &a->arena, &why);
    if (code < 0)
        return tp_error_set(err, code, 0, "whatif: %s", why.text);
    if (view.withheld) {
        session->withheld_count++;
        view.answer_count = 0;
    }
    tp_joined_session_add(&w->joined, walked);
    const struct tp_what_if_profile profile = {.label = tp_walked_label(&w->walk, walked, &a->arena),
                                               .file = tp_str_of(walked->file->base),
                                               .is_one_of_many = w->main_count > 1,
                                               .are_changes_usual = asked->count == 0,
                                               .view = &view};
    return session->receiver(session->context, &profile, &a->arena, err);
}

/* Lists the asked changes that one profile can answer. */
static void list_own_changes(struct what_ifs *w)
{
    const struct tp_asked_changes *asked = &w->session->asked;
    struct tp_str *texts = tp_arena_array(&w->arena, asked->count, sizeof *texts);
    w->own = (struct tp_asked_changes){.texts = texts, .most_nodes = asked->most_nodes};
    for (size_t i = 0; i < asked->count; i++)
        if (!tp_is_rank_change(asked->texts[i]))
            texts[w->own.count++] = asked->texts[i];
}

static int begin_run(void *context, const struct tp_run *run, struct tp_error *err)
{
    struct what_ifs *w = context;
    (void)err;
    tp_joined_session_begin(&w->joined, run);
    return TP_OK;
}

static int end_run(void *context, const struct tp_run *run, struct tp_error *err)
{
    struct what_ifs *w = context;
    (void)run;
    return tp_joined_session_end(&w->joined, err);
}

static int walk_traces_in_guard(void *context, struct tp_error *err)
{
    struct what_ifs *w = context;
    list_own_changes(w);
    int code = tp_trace_walk(&w->walk, err);
    return code < 0 ? code : tp_joined_session_finish(&w->joined, err);
}

int tp_what_if_session_run(struct tp_what_if_session *session, struct tp_error *err)
{
    static const struct tp_walk_user user = {
        .found = use_found_inputs, .begin_run = begin_run, .use = answer_for_trace, .end_run = end_run};
    struct what_ifs w = {.session = session};
    w.joined = (struct tp_joined_session){
        .walk = &w.walk, .asked = &session->asked, .receiver = session->receiver, .context = session->context};
    w.walk = (struct tp_trace_walk){.inputs = &session->input,
                                    .input_count = 1,
                                    .read = session->read,
                                    .console = session->console,
                                    .arena = &w.arena,
                                    .user = &user,
                                    .context = &w};
    session->withheld_count = 0;
    tp_arena_init(&w.arena, 0);
    int code = tp_arena_run(&w.arena, walk_traces_in_guard, &w, err);
    tp_console_progress_end(session->console);
    tp_arena_release(&w.arena);
    session->withheld_count += w.joined.withheld_count;
    return code;
}
