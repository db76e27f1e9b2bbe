/* Defines the functions that the parts of a TensorBoard event file share: times and steps, tags, columns, curves, and
 * writing of the file. */
#include "webreport/export/tfevents/tfevents_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "webreport/document/charts/chart.h"
#include "writer/base/fs.h"
#include "writer/base/limits.h"
#include "writer/text/escape.h"
#include "writer/tfevents_file.h"

/* ---- steps and tags ---- */

double tp_tf_seconds(const struct tp_tf_run *run, int64_t time_ns)
{
    return ((double)run->base_ns + (double)time_ns) * 1e-9;
}

struct tp_tfevents_at tp_tf_position_of_step_end(const struct tp_tf_run *run, uint32_t step)
{
    return (struct tp_tfevents_at){tp_tf_seconds(run, run->export->profile->model->steps[step].end_ns),
                                   run->step_numbers[step]};
}

const char *tp_tf_tag_part(struct tp_arena *arena, struct tp_str text)
{
    enum { PART_BYTES = 64 };
    return tp_name_escape(arena, text, "_.:-", PART_BYTES);
}

uint32_t tp_tf_step_of_time(const struct tp_tf_run *run, int64_t time_ns)
{
    const struct tp_step *steps = run->export->profile->model->steps;
    uint32_t low = 0, high = run->step_count;
    while (low < high) { /* binary search for the first step that ends after time_ns */
        uint32_t middle = low + (high - low) / 2;
        if (steps[middle].end_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < run->step_count && steps[low].start_ns <= time_ns ? low : TP_NO_ID;
}

/* ---- values ---- */

double *tp_tf_column_new(struct tp_tf_columns *columns, const char *tag, const char *description)
{
    struct tp_tf_column *column = tp_vec_push(&columns->items);
    column->tag = tag;
    column->description = description;
    column->values = tp_arena_array(columns->arena, columns->step_count, sizeof *column->values);
    for (uint32_t i = 0; i < columns->step_count; i++)
        column->values[i] = NAN;
    return column->values;
}

const struct tp_tf_column *tp_tf_column_find(const struct tp_tf_columns *columns, const char *begin, const char *end,
                                             bool with_flat)
{
    for (size_t c = 0; c < columns->items.count; c++) {
        const struct tp_tf_column *column = TP_AT(&columns->items, struct tp_tf_column, c);
        size_t size = strlen(column->tag);
        if ((with_flat || !column->is_flat) && size >= strlen(begin) + strlen(end) &&
            strncmp(column->tag, begin, strlen(begin)) == 0 && strcmp(column->tag + size - strlen(end), end) == 0)
            return column;
    }
    return NULL;
}

struct tp_table tp_tf_memory_curve(const struct tp_tf_run *run, uint32_t device)
{
    const struct tp_profile *profile = run->export->profile;
    const struct tp_memory_view *view = &profile->views->memory;
    if (view->devices[device].curve.row_count)
        return view->devices[device].curve;
    return tp_chart_running_memory(run->export->arena, profile->model, &view->devices[device], view->first_ns);
}

/* ---- the file ---- */

/* Chooses the folder of the file. If `folder` already contains an event file that the program wrote live with all
 * steps, the few steps of the trace become a separate run in a subfolder. */
static int find_folder(char *path, size_t size, const char *folder, struct tp_error *err)
{
    bool is_taken = tp_tfevents_has_live(folder);
    int n = snprintf(path, size, "%s%s", folder, is_taken ? "/profile" : "");
    if (n < 0 || (size_t)n >= size)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the name of the folder is too long", folder);
    return is_taken ? tp_folder_make(path, err) : TP_OK;
}

int tp_tf_write_file(const struct tp_buf *records, const struct tp_tf_folder *folder, const char *host, double wall_s,
                     struct tp_error *err)
{
    struct tp_outfile *file = NULL;
    char name[512], place[sizeof folder->path + 16], path[sizeof place + sizeof name];
    int code = find_folder(place, sizeof place, folder->path, err);
    if (code < 0)
        return code;
    struct tp_tfevents_name parts = {(int64_t)fmin(wall_s, 9e9), host, 0, tp_tfevents_next_number(place)};
    code = tp_tfevents_name(name, sizeof name, &parts, err);
    if (code < 0)
        return code;
    snprintf(path, sizeof path, "%s/%s", place, name);
    code = tp_outfile_open(&file, path, err);
    if (code == TP_OK)
        code = tp_outfile_write(file, records->data, records->size, err);
    if (code < 0) {
        tp_outfile_discard(&file);
        return code;
    }
    code = tp_outfile_commit(&file, err);
    return code < 0 || folder->has_files_of_earlier_cycles ? code : tp_tfevents_remove_older(place, host, name, err);
}
