/* Defines the formats of input files. One table names each format, recognizes it by the head of a file, and gives the
 * function that reads it.
 *
 * A format with a reader becomes a trace. A format without a reader is refused with a sentence that names its producer
 * and says what to do. The recipe for a new format is in CONTRIBUTING.md. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_INPUT_FORMAT_H
#define TP_WEBREPORT_TRACE_INPUTS_INPUT_FORMAT_H

#include "webreport/trace/source.h"

/* The first bytes of a file and facts about them. Texts are borrowed. */
struct tp_input_head {
    const char *text; /* first bytes of the file, inflated once if the file is gzip; may be cut anywhere */
    size_t size;      /* number of bytes in `text` */
    const char *name; /* file name or path; NULL for standard input or bytes in memory */
    size_t at;        /* offset of the first byte that is not white space; `size` if there is none */
    bool is_json;     /* true if JSON begins at offset `at` */
    bool has_events;  /* true if the text is a JSON object with a member "traceEvents" */
};

/* The signature of a format, as its recognizer function needs it. Unused members are 0. */
struct tp_input_sign {
    const char *bytes; /* bytes that the file has at `offset` */
    size_t offset, size;
    const char *inside;  /* text that is somewhere in the head; NULL if no text is required */
    const char *keys[3]; /* keys of a JSON object, with quotes; NULL after the last one */
};

struct tp_input_format {
    const char *name; /* name for messages and tests; name and signature together are unique in the table */
    /* file name endings that the producer uses, separated by spaces; NULL if it uses no special ones */
    const char *endings;
    bool (*is_one)(const struct tp_input_head *head, const struct tp_input_sign *sign);
    struct tp_input_sign sign;
    tp_source_reader *read; /* function that reads the format; NULL if the format is only recognized */
    /* sentence that says what the file is and what to do; NULL if the format is never refused. A format with a reader
     * is refused only for callers that do not want it (tp_trace_options.reads_spools). */
    const char *refusal;
};

/* All formats; the last row has no name. The first row that recognizes a head decides. The row of the trace in JSON
 * accepts every head, because its reader explains what is wrong with a file that is not a trace. */
extern const struct tp_input_format tp_input_formats[];

/* Returns the format of a file by its first bytes, never NULL. name: file name or path; NULL for standard input. */
const struct tp_input_format *tp_input_format_of(const void *bytes, size_t size, const char *name);

/* Returns whether the name has a file name ending of some format in the table. */
bool tp_input_format_is_name(const char *name);

#endif
