/* Defines the formats of input files. One table has a row for each format: its name, a function that recognizes it by
 * the first bytes of a file, and a function that reads it.
 *
 * A file whose format has a reader becomes a trace. A format without a reader is refused with a sentence that names its
 * producer and what the user can do. The recipe for a new format is in CONTRIBUTING.md. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_INPUT_FORMAT_H
#define TP_WEBREPORT_TRACE_INPUTS_INPUT_FORMAT_H

#include "webreport/trace/input_part.h"
#include "webreport/trace/source.h"
#include "webreport/trace/visit.h"

/* The first bytes of a file, and properties that follow from them. Texts are borrowed. */
struct tp_input_head {
    const char *text; /* first bytes of the file, inflated once if it is gzip; may end anywhere; never NULL */
    size_t size;      /* number of bytes in `text` */
    const char *name; /* file name or path; NULL for standard input or bytes in memory */
    size_t at;        /* offset in `text` of the first byte that is not white space; `size` if none exists */
    bool is_json;     /* true if JSON begins at the offset `at` */
    bool has_events;  /* true if `text` is a JSON object with a member "traceEvents" */
};

/* The signature of a format, for the function that recognizes it. Unused members are 0. */
struct tp_input_sign {
    const char *bytes; /* bytes that the file must have at `offset` */
    size_t offset, size;
    const char *inside;  /* text that must occur in the first bytes; NULL for none */
    const char *keys[3]; /* keys that the JSON object must have, with their quotes; NULL after the last one */
};

struct tp_input_format {
    const char *name; /* name for messages and tests; several rows may have the same name, with different signatures */
    /* endings of file names that the producer uses, separated by spaces; NULL if there are no special ones */
    const char *endings;
    bool (*is_one)(const struct tp_input_head *head, const struct tp_input_sign *sign);
    struct tp_input_sign sign;
    tp_source_reader *read; /* function that reads the format; NULL if the format cannot be read as a trace */
    /* passes the texts of events and members to the visitor, as tp_document_visit does; NULL if the format is not JSON
     */
    int (*visit)(struct tp_source *source, const struct tp_visitor *visitor, bool *has_host_work);
    bool is_snapshot; /* the format is a memory snapshot, which tp_snapshot_read reads */
    bool is_flight;   /* the format is a dump of the Flight Recorder, which tp_flight_read reads */
    bool is_timeline; /* the format is a memory timeline, which tp_memory_timeline_read reads */
    /* text that follows the name of the file in messages: says what the file is, and what the user can do; begins with
     * "is" or "was". NULL if the format is never refused. A format with a reader is refused only for callers that do
     * not want it (tp_trace_options.reads_spools). */
    const char *refusal;
    tp_input_parts_lister *list_parts; /* lists the processes or ranks in a file; NULL for JSON (merged_ranks.h) and
                                          if a file is always one trace */
};

/* All input formats. A file has the format of the first row that recognizes it. The row of traces in JSON accepts every
 * file, because its reader explains why a file is not a trace. After it, a row without a name ends the table. The
 * libraries that programs link have the shorter table of spool_only.c. */
extern const struct tp_input_format tp_input_formats[];

/* Returns the format of a file by its first bytes; never NULL. name: file name or path; NULL for standard input. */
const struct tp_input_format *tp_input_format_detect(const void *bytes, size_t size, const char *name);

/* Returns true if a file name has an ending of some format in the table. */
bool tp_input_format_has_ending(const char *name);

/* Returns the size of the ending of a file name, bytes, if it is an ending of a format other than JSON that can be
 * read; otherwise 0. */
size_t tp_input_format_ending_bytes(const char *name);

/* Returns true if the first bytes of a file show a format other than JSON that can be read. name: file name or path. */
bool tp_input_format_is_readable(const void *bytes, size_t size, const char *name);

#endif
