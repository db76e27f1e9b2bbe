/* Writes export --to tfevents: one TensorBoard event file for each profile. The new file replaces the file of an
 * earlier export. */
#include "webreport/export/tfevents/export_tfevents.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "webreport/export/export_formats.h"
#include "webreport/export/tfevents/tfevents_run.h"
#include "webreport/export/whole_file.h"
#include "writer/base/fs.h"
#include "writer/base/limits.h"
#include "writer/text/escape.h"
#include "writer/tfevents_file.h"

/* Returns the number at the end of a step's name, or -1 if the name has no number. */
static int64_t number_at_end(struct tp_str name)
{
    enum { MOST_DIGITS = 15 };
    size_t start = name.len;
    int64_t number = 0;
    while (start > 0 && name.ptr[start - 1] >= '0' && name.ptr[start - 1] <= '9')
        start--;
    if (start == name.len || name.len - start > MOST_DIGITS)
        return -1;
    for (size_t i = start; i < name.len; i++)
        number = number * 10 + (name.ptr[i] - '0');
    return number;
}

static void number_steps(struct tp_tf_run *run)
{
    const struct tp_model *model = run->export->profile->model;
    run->step_count = model->step_count < TP_MAX_EXPORT_STEPS ? model->step_count : TP_MAX_EXPORT_STEPS;
    run->step_numbers = tp_arena_array(run->export->arena, run->step_count, sizeof *run->step_numbers);
    for (uint32_t i = 0; i < run->step_count; i++)
        run->step_numbers[i] = number_at_end(model->steps[i].name);
    bool is_growing = run->step_numbers[0] >= 0;
    for (uint32_t i = 1; i < run->step_count && is_growing; i++)
        is_growing = run->step_numbers[i] > run->step_numbers[i - 1];
    for (uint32_t i = 0; i < run->step_count && !is_growing; i++)
        run->step_numbers[i] = i;
}

static int build_events(void *context, struct tp_error *err)
{
    struct tp_tf_run *run = context;
    (void)err;
    const struct tp_profile *profile = run->export->profile;
    run->base_ns = tp_trace_base_ns(profile->trace, profile->model->first_ns);
    number_steps(run);
    run->last = tp_tf_position_of_step_end(run, run->step_count - 1);
    run->first = (struct tp_tfevents_at){tp_tf_seconds(run, profile->model->steps[0].start_ns), run->step_numbers[0]};
    run->columns = tp_arena_alloc(run->export->arena, sizeof *run->columns);
    *run->columns =
        (struct tp_tf_columns){run->export->arena, run->step_count, TP_VEC(run->export->arena, struct tp_tf_column)};
    tp_tfevents_begin(run->events, run->first.wall_s);
    tp_tf_add_steps(run);
    tp_tf_add_summary(run);
    tp_tf_add_texts(run);
    tp_tf_add_graph(run);
    return TP_OK;
}

/* Fills run->events. Catches failed allocations, so that the buffers, which are not in the arena, can be released.
 * Returns 0 or the code of the failure. */
static int build_events_guarded(struct tp_tf_run *run)
{
    struct tp_buf text;
    tp_buf_init(&text, TP_MAX_EVENT_FILE_BYTES);
    run->text = &text;
    int code = tp_arena_run(run->export->arena, build_events, run, NULL);
    if (code == TP_OK)
        code = run->events->out.failed ? run->events->out.failed : text.failed;
    tp_buf_release(&text);
    run->text = NULL;
    return code;
}

int tp_export_tfevents(const struct tp_export *export, struct tp_error *err)
{
    struct tp_tfevents events;
    struct tp_tf_run run = {.export = export, .events = &events};
    tp_tfevents_init(&events, TP_MAX_EVENT_FILE_BYTES);
    int code = build_events_guarded(&run);
    if (code == TP_OK)
        code = tp_tf_store_rank_samples(&run);
    if (code == TP_OK) {
        struct tp_tf_folder folder;
        code = tp_tf_find_folder(&run, &folder, err);
        code = code < 0 ? code : tp_tf_write_file(&events.out, &folder, export->worker, run.first.wall_s, err);
        char written[sizeof folder.path + 32];
        snprintf(written, sizeof written, "%s/events.out.tfevents.*", folder.path);
        tp_export_note_written_path(export, written, code);
    } else {
        tp_error_set(err, code, 0, "%s: %s", export->profile->file.ptr,
                     code == TP_ELIMIT ? "the event file would be larger than 256 MiB" : "out of memory");
    }
    tp_tfevents_release(&events);
    return code;
}

int tp_export_tfevents_build(const struct tp_export *export, struct tp_tfevents *events)
{
    struct tp_tf_run run = {.export = export, .events = events};
    return build_events_guarded(&run);
}
