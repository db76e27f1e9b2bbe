/* Writes export --to flamegraph: a flame graph of a trace, or of the difference between a trace and a baseline, as one
 * SVG file. */
#include "webreport/document/words/reason_words.h"
#include "webreport/export/stacks/flamegraph.h"

#include <stdio.h>

#include "webreport/export/stacks/live_stacks.h"
#include "webreport/export/stacks/trace_stacks.h"
#include "webreport/export/svg.h"
#include "webreport/export/whole_file.h"
#include "writer/text/format.h"

bool tp_export_flamegraph_has_metric(const char *metric)
{
    const struct tp_folded_metric *found = tp_folded_metric(metric);
    return found && tp_folded_metric_title(found);
}

static struct tp_folded *build_folded(const struct tp_export *export, const struct tp_folded_metric *metric)
{
    struct tp_folded *folded = tp_arena_alloc(export->arena, sizeof *folded);
    tp_trace_stacks_build(folded, export, metric);
    return folded;
}

static struct tp_folded *build_baseline(const struct tp_export *export, const struct tp_folded_metric *metric)
{
    struct tp_folded *folded = tp_arena_alloc(export->arena, sizeof *folded);
    tp_trace_stacks_build_baseline(folded, export, metric);
    return folded;
}

struct picture {
    struct tp_arena *arena;
    struct tp_str title;
    /* now: stacks of the trace; before: stacks of the baseline, or NULL */
    const struct tp_folded *now, *before;
};

static void draw_flamegraph(struct tp_buf *out, void *context)
{
    const struct picture *picture = context;
    struct tp_flame flame;
    tp_flame_build(&flame, picture->now, picture->before, picture->arena);
    tp_flame_write_svg(out, &flame, picture->title, picture->arena);
}

static int write_picture(const struct tp_export *export, const char *path, struct picture *picture,
                         struct tp_error *err)
{
    picture->arena = export->arena;
    return tp_export_note_written_path(export, path, tp_svg_write(path, export->arena, draw_flamegraph, picture, err));
}

static int write_snapshot(const struct tp_snapshot_picture *snapshot, struct tp_error *err)
{
    struct picture picture = {.title = tp_str_of(snapshot->title), .now = snapshot->now, .before = snapshot->before};
    const char *path =
        tp_text_printf(snapshot->export->arena, "%s%s.svg", snapshot->path, snapshot->before ? ".diff" : "");
    return write_picture(snapshot->export, path, &picture, err);
}

int tp_export_flamegraph(const struct tp_export *export, struct tp_error *err)
{
    if (export->snapshot)
        return tp_snapshot_pictures(export, write_snapshot, err);
    const char *name = export->metric ? export->metric : tp_folded_default_metric(export->profile->trace, "cpu");
    const struct tp_folded_metric *metric = tp_folded_metric(name);
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.%s%s.svg", export->folder, export->worker, name,
                     export->baseline ? ".diff" : "");
    if (n < 0 || (size_t)n >= sizeof path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    struct tp_folded *now = build_folded(export, metric),
                     *before = export->baseline ? build_baseline(export, metric) : NULL;
    if (tp_folded_is_at_end(now) && (!before || tp_folded_is_at_end(before)))
        return tp_error_set(err, TP_ENOTFOUND, 0, "%s", tp_folded_missing_text(metric));
    struct picture picture = {.title = export->profile->worker, .now = now, .before = before};
    return write_picture(export, path, &picture, err);
}
