/* The formats: a file each, one signature.
 *
 * Each function appends the document to `out`, whose failure is sticky, and returns 0, or a negative tp_status with
 * *err: that is for pages alone. Texts of traces are made harmless for where they go. Equal documents give equal bytes.
 * Documents, and memory that is needed on the way, are in document->arena, whose guard is the caller's. */
#ifndef TP_WEBREPORT_PRINT_PRINT_H
#define TP_WEBREPORT_PRINT_PRINT_H

#include "webreport/document/block.h"
#include "writer/base/error.h"
#include "writer/base/json_out.h"

/* How a printer is to write; each takes what concerns its format. */
struct tp_print_options {
    const int64_t *row_limit; /* of each table of text, negative: none; NULL: none */
    bool has_details;         /* text has what TP_IN_DETAILED_TEXT names */
    bool has_color;           /* of text */
    const char *source_root;  /* taken off the front of paths in SARIF; NULL: none */
    size_t end;               /* of Markdown: the size that `out` must not exceed; 0: none */
    size_t *left_out;         /* of Markdown: counts the lines that had no room, which are not said then; may be NULL */
    const char *templates_dir; /* of pages: overrides built-in templates; NULL: none */
    size_t max_bytes;          /* of pages: the ceiling; 0: TP_MAX_PAGE_BYTES */
    bool has_no_head;          /* of CSV: the names of the columns stand above already */
    struct tp_buf *css, *js;   /* of pages: get style and script as files of their own; NULL: they are inline */
};

typedef int tp_print(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                     struct tp_error *err);

/* For a terminal of 80 columns: tables keep to them as long as their texts have room; what is not shown is counted. */
tp_print tp_print_text;
/* For pull requests, summaries of jobs and agents: texts are escaped, so that none can format, link or mention. With
 * options->end, lines for which there is no room before it are left out whole, and counted. */
tp_print tp_print_markdown;
/* The document's record, complete and with the keys that scripts rely on, and a line feed. */
tp_print tp_print_json;
/* The rows of the document (TP_BLOCK_ROWS) with all columns, below a line of their names; absent values are empty
 * cells. A text that a spreadsheet would take for a formula begins with an apostrophe. */
tp_print tp_print_csv;
/* A page, or several in one file, that needs no network: html.h. */
tp_print tp_print_html;
/* A test case per finding of the document's one list: bad ones are failures, unsure ones are skipped, warnings pass
 * with a note. */
tp_print tp_print_junit;
/* SARIF 2.1.0: a run per list of findings, in it a result per finding that is not good and place in the code. */
tp_print tp_print_sarif;
/* An SVG picture "performance | passing" of the first verdict. */
tp_print tp_print_badge;

/* Several documents in one Markdown text of at most TP_MAX_MARKDOWN_BYTES, for pull requests and agents: each gets an
 * equal share of the room that is left. */
struct tp_digest {
    struct tp_buf out;
    size_t expected, count; /* documents */
    size_t left_out;        /* lines */
};

void tp_digest_init(struct tp_digest *digest, size_t expected);
void tp_digest_add(struct tp_digest *digest, const struct tp_document *document);
/* The same for what says most: it stands before all that was added so far, whose last lines go where room is wanted. */
void tp_digest_put_first(struct tp_digest *digest, const struct tp_document *document);
/* Says what was left out and returns the text, which belongs to the digest. */
struct tp_str tp_digest_finish(struct tp_digest *digest);
/* Accepts a zeroed digest. */
void tp_digest_release(struct tp_digest *digest);

/* A record as a value inside of another text. */
void tp_json_record(struct tp_json *json, const struct tp_object *record);

#endif
