/* The formats of input files: one table names each format, recognises it by the head of a file, and says what reads it.
 *
 * A format with a reader becomes a trace. A format without one is refused with a sentence that names its producer and
 * what to do instead. The recipe for a new format is in CONTRIBUTING.md. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_INPUT_FORMAT_H
#define TP_WEBREPORT_TRACE_INPUTS_INPUT_FORMAT_H

#include "webreport/trace/source.h"

/* How a file begins. Texts are borrowed. */
struct tp_input_head {
    const char *text; /* first bytes of the file, inflated once if it is gzip; may be cut anywhere */
    size_t size;      /* bytes of text */
    const char *name; /* file name or path; NULL: standard input or bytes in memory */
    size_t at;        /* offset of the first byte that is not white space; size if there is none */
    bool is_json;     /* JSON begins at this offset */
    bool has_events;  /* the JSON object has a member "traceEvents" */
};

/* The mark of a format, as its recogniser needs it. Unused members are 0. */
struct tp_input_sign {
    const char *bytes;  /* at this offset of the file */
    size_t offset, size;
    const char *inside; /* text somewhere in the head; NULL: none is needed */
    const char *keys[3]; /* members of a JSON object, with quotes; NULL: fewer */
};

struct tp_input_format {
    const char *name;    /* for messages and tests, unique in the table together with the sign */
    const char *endings; /* endings of file names that its producer uses, separated by spaces; NULL: none of its own */
    bool (*is_one)(const struct tp_input_head *head, const struct tp_input_sign *sign);
    struct tp_input_sign sign;
    tp_source_reader *read; /* NULL: the format is recognised and not read */
    const char *refusal; /* what the file is and what to do; NULL: every caller wants the format. With a reader: for
                            callers that do not (tp_trace_options.reads_spools) */
};

/* All formats, ended by a row without a name. The first row that recognises a head decides. The last row, the trace in
 * JSON, takes every head: its reader explains what is wrong with a file that is no trace. */
extern const struct tp_input_format tp_input_formats[];

/* Returns the format of a file by its first bytes, never NULL. name: file name or path; NULL for standard input. */
const struct tp_input_format *tp_input_format_of(const void *bytes, size_t size, const char *name);

/* Returns whether a format of the table has file names that end like this one. */
bool tp_input_format_is_name(const char *name);

#endif
