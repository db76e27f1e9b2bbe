/* Runs the command `whatif`: see what_if_session.h. */
#include "webreport/session/what_if_session.h"

#include "webreport/session/inputs.h"
#include "webreport/session/trace_walk.h"

struct what_ifs {
    struct tp_what_if_session *session;
    struct tp_arena arena; /* memory for the whole session, such as the runs */
    struct tp_trace_walk walk;
    bool has_main;     /* true if an input is no helper process; then helper processes have no answers */
    size_t main_count; /* number of profiles with answers */
};

/* Returns whether the file shows only a part of the work of a process that another file of the run shows. */
static bool is_accompanying(const struct tp_run_file *file)
{
    return file->is_helper || file->is_silent || file->is_program;
}

/* Counts the profiles of the inputs, and checks that no output is an input. */
static int use_found_inputs(void *context, struct tp_error *err)
{
    struct what_ifs *w = context;
    size_t count = 0;
    for (size_t i = 0; i < w->walk.runs.count; i++)
        for (size_t k = 0; k < w->walk.runs.items[i].file_count; k++)
            count += !is_accompanying(&w->walk.runs.items[i].files[k]);
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
    if (w->has_main && is_accompanying(walked->file))
        return TP_OK;
    tp_analysis_build_model(a);
    tp_inputs_print_notices(session->console, walked->file->path, &a->trace);
    int code = tp_changes_price(&view, &a->model, &session->asked, &a->arena, &why);
    if (code < 0)
        return tp_error_set(err, code, 0, "whatif: %s", why.text);
    if (view.withheld) {
        session->withheld_count++;
        view.answer_count = 0;
    }
    const struct tp_what_if_profile profile = {.label = tp_walked_label(&w->walk, walked, &a->arena),
                                               .file = tp_str_of(walked->file->base),
                                               .is_one_of_many = w->main_count > 1,
                                               .are_changes_usual = session->asked.count == 0,
                                               .view = &view};
    return session->receiver(session->context, &profile, &a->arena, err);
}

static int walk_traces_in_guard(void *context, struct tp_error *err)
{
    struct what_ifs *w = context;
    return tp_trace_walk(&w->walk, err);
}

int tp_what_if_session_run(struct tp_what_if_session *session, struct tp_error *err)
{
    static const struct tp_walk_user user = {.found = use_found_inputs, .use = answer_for_trace};
    struct what_ifs w = {.session = session};
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
    return code;
}
