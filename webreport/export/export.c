/* The table of export formats: see export.h. */
#include "webreport/export/export.h"

#include <string.h>

#include "webreport/export/export_formats.h"

#define TP_PERFETTO_ENDINGS ".pftrace .pftrace.gz .perfetto-trace .perfetto-trace.gz"

const struct tp_export_format tp_export_formats[] = {
    {.name = "chrome",
     .keeps_ends = true,
     .write = tp_export_chrome,
     .choose_needs = tp_export_chrome_needs,
     .has_filter = true,
     .supports_slim = true,
     .rereads_trace = true,
     .needs = TP_EXPORT_NEEDS_MODEL},
    {.name = "csv",
     .write = tp_export_csv,
     .takes_snapshots = true,
     .rereads_trace = true,
     .needs = TP_EXPORT_NEEDS_MODEL},
    {.name = "firefox", .write = tp_export_firefox, .needs = TP_EXPORT_NEEDS_MODEL},
    {.name = "flamegraph",
     .write = tp_export_flamegraph,
     .takes_snapshots = true,
     .shows_moment = true,
     .check_metric = tp_export_flamegraph_has_metric,
     .choose_needs = tp_export_stacks_needs,
     .has_baseline = true,
     .needs = TP_EXPORT_NEEDS_TRACE},
    {.name = "folded",
     .write = tp_export_folded,
     .takes_snapshots = true,
     .shows_moment = true,
     .check_metric = tp_export_folded_has_metric,
     .choose_needs = tp_export_stacks_needs,
     .reads_frame_stacks = true,
     .needs = TP_EXPORT_NEEDS_TRACE},
    {.name = "perfetto",
     .keeps_ends = true,
     .write = tp_export_perfetto,
     .finish = tp_export_perfetto_job,
     .has_own_folders = true,
     .file_endings = TP_PERFETTO_ENDINGS,
     .needs = TP_EXPORT_NEEDS_TRACE},
    {.name = "pftrace",
     .keeps_ends = true,
     .write = tp_export_perfetto,
     .finish = tp_export_perfetto_job,
     .has_own_folders = true,
     .file_endings = TP_PERFETTO_ENDINGS,
     .needs = TP_EXPORT_NEEDS_TRACE},
    {.name = "pprof", .write = tp_export_pprof, .needs = TP_EXPORT_NEEDS_MODEL},
    {.name = "pstats", .write = tp_export_pstats, .needs = TP_EXPORT_NEEDS_TRACE},
    {.name = "memory-flow",
     .write = tp_export_memory_flow,
     .takes_snapshots = true,
     .has_colours = true,
     .needs = TP_EXPORT_NEEDS_MODEL},
    {.name = "repro",
     .write = tp_export_repro,
     .has_operator = true,
     .rereads_trace = true,
     .file_endings = ".py",
     .needs = TP_EXPORT_NEEDS_MODEL},
    {.name = "speedscope", .write = tp_export_speedscope, .needs = TP_EXPORT_NEEDS_MODEL},
    {.name = "sqlite",
     .write = tp_export_sqlite,
     .takes_snapshots = true,
     .rereads_trace = true,
     .needs = TP_EXPORT_NEEDS_MODEL},
    {.name = "tfevents",
     .write = tp_export_tfevents,
     .finish = tp_export_tfevents_ranks,
     .uses_one_folder_per_worker = true},
    {.name = "xplane", .write = tp_export_xplane, .has_own_folders = true},
    {.name = NULL},
};

const struct tp_export_format *tp_export_find(const char *name)
{
    for (const struct tp_export_format *format = tp_export_formats; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}
