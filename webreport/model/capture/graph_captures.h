/* Defines captured graphs: sections of a trace in which calls were captured into a graph instead of run
 * (docs/definitions.md, section 33).
 *
 * The calls of a section show from which operator, shape, module and line the kernels of a replay of the graph come.
 * Sections are in the trace itself, or in capture traces whose host events were added to the trace (import.h). All
 * data is in the arena of the trace, and read-only after it was made. */
#ifndef TP_WEBREPORT_MODEL_CAPTURE_GRAPH_CAPTURES_H
#define TP_WEBREPORT_MODEL_CAPTURE_GRAPH_CAPTURES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

/* Why a section has no begin or no end in the recording. */
enum tp_capture_open { TP_CAPTURE_WHOLE, TP_CAPTURE_NO_BEGIN, TP_CAPTURE_NO_END };

/* One captured graph. Sections of a file are sorted by begin, then by end. */
struct tp_capture_section {
    uint32_t file;  /* index in tp_captures.files */
    uint32_t index; /* number of the section in its file, from 0 */
    int64_t begin_ns, end_ns;
    uint32_t first_call, call_count; /* captured calls: items in tp_captures.calls, in order of start */
    int64_t batch;                   /* batch size for which the graph was captured; TP_NULL_INT if unknown */
    struct tp_str mode;              /* mode of the engine, such as "FULL"; empty if unknown */
    enum tp_capture_open open;
};

/* A trace with sections. */
struct tp_capture_file {
    struct tp_str name; /* name without folders */
    bool is_only_map;   /* true if the trace only shows captures, and so is no run with a verdict */
    uint32_t first_section, section_count;
};

struct tp_captures {
    struct tp_capture_file *files;
    struct tp_capture_section *sections;
    uint32_t *calls; /* events of the captured calls: indexes in the events of the trace, added events included */
    uint32_t file_count, section_count, call_count;
};

#endif
