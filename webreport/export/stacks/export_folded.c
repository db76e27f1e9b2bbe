/* Writes folded stacks for flamegraph.pl and speedscope, by torch's export_stacks metrics or by metrics of
 * tracepress. */
#include <assert.h>
#include <stdio.h>

#include "webreport/document/words/reason_words.h"
#include "webreport/export/stacks/live_stacks.h"
#include "webreport/export/stacks/trace_stacks.h"
#include "webreport/export/whole_file.h"
#include "writer/text/format.h"

bool tp_export_folded_has_metric(const char *metric)
{
    return tp_folded_metric(metric) != NULL;
}

static int write_snapshot(const struct tp_snapshot_picture *picture, struct tp_error *err)
{
    const char *path = tp_text_printf(picture->export->arena, "%s.folded", picture->path);
    return tp_export_note_written_path(picture->export, path, tp_folded_write(picture->now, path, err));
}

int tp_export_folded(const struct tp_export *export, struct tp_error *err)
{
    if (export->snapshot)
        return tp_snapshot_pictures(export, write_snapshot, err);
    const char *name =
        export->metric ? export->metric : tp_folded_default_metric(export->profile->trace, "self_cpu_time_total");
    const struct tp_folded_metric *metric = tp_folded_metric(name);
    assert(metric); /* the metric is not NULL, because tp_export_folded_has_metric has checked it */
    struct tp_folded *folded = tp_arena_alloc(export->arena, sizeof *folded);
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.%s.folded", export->folder, export->worker, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    tp_trace_stacks_build(folded, export, metric);
    if (tp_folded_is_at_end(folded)) /* an empty file is an error, because flamegraph.pl and speedscope refuse it */
        return tp_error_set(err, TP_ENOTFOUND, 0, "%s", tp_folded_missing_text(metric));
    return tp_export_note_written_path(export, path, tp_folded_write(folded, path, err));
}
