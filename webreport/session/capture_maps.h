/* Reads the capture traces that belong to the traces of a command (docs/definitions.md, section 33).
 *
 * The option --map names capture traces or folders of them. Capture traces in the folder of a trace, and in its folder
 * "capture_traces", are found if the trace has launches of graphs. Each capture trace is read once for a command. */
#ifndef TP_WEBREPORT_SESSION_CAPTURE_MAPS_H
#define TP_WEBREPORT_SESSION_CAPTURE_MAPS_H

#include "webreport/session/console.h"
#include "webreport/session/trace_analysis.h"
#include "webreport/trace/run.h"
#include "webreport/trace/trace.h"

struct tp_capture_maps {
    struct tp_arena arena; /* memory of the capture traces */
    struct tp_console *console;
    struct tp_trace_options read;
    struct tp_vec known;   /* files that were read; elements: struct tp_known_map */
    struct tp_vec items;   /* capture traces; elements: struct tp_capture_trace */
    struct tp_vec folders; /* folders that were searched; elements: struct tp_map_folder */
    size_t given_count;    /* number of capture traces that --map named; they come first in `items` */
    bool is_given_read;
};

/* Initializes *maps. Reads nothing yet. console: for messages about unusable files; read: options of the command. */
void tp_capture_maps_open(struct tp_capture_maps *maps, struct tp_console *console,
                          const struct tp_trace_options *read);
void tp_capture_maps_close(struct tp_capture_maps *maps);

/* Removes the files from `runs` that are only capture traces, according to their names and their content, and prints
 * each of them. Removes runs that have no other files. file_count: number of files in all runs; updated. arena: for
 * temporary texts; its guard must be set. */
void tp_capture_maps_remove_from_runs(struct tp_capture_maps *maps, struct tp_runs *runs, size_t *file_count,
                                      struct tp_arena *arena);

/* Reads a trace into analysis->trace as tp_trace_read does, and finds the capture traces that belong to it;
 * tp_analysis_build joins them. Sets analysis->is_map if the trace itself is only a capture trace. The guard of
 * analysis->arena must be set. Returns the codes of tp_trace_read, and TP_ENOTFOUND if a path of --map has no capture
 * trace. */
int tp_capture_maps_read(struct tp_capture_maps *maps, struct tp_analysis *analysis, const char *path,
                         const struct tp_trace_options *options, struct tp_error *err);

#endif
