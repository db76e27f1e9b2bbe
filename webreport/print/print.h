/* Printers of documents: a file for each format, all with one signature.
 * Each function appends the document to `out`, which keeps the first failure, and returns 0; only pages can return a
 * negative tp_status with *err. Texts of traces are escaped for the format. Equal documents give equal bytes. Documents
 * and working memory are in document->arena, whose guard the caller sets. */
#ifndef TP_WEBREPORT_PRINT_PRINT_H
#define TP_WEBREPORT_PRINT_PRINT_H

#include "webreport/document/block.h"
#include "writer/base/error.h"
#include "writer/base/json_out.h"

/* Options of printers; each uses those of its format. */
struct tp_print_options {
    const int64_t *row_limit;  /* most rows of each table in text; NULL or negative for no limit */
    bool has_details;          /* text has the blocks of TP_IN_DETAILED_TEXT */
    bool has_color;            /* text has colours */
    const char *source_root;   /* prefix to remove from paths in SARIF, or NULL */
    size_t end;                /* Markdown: largest size of `out`, or 0 */
    size_t *left_out;          /* Markdown: counts omitted lines instead of printing their number; may be NULL */
    const char *templates_dir; /* pages: folder that overrides built-in templates, or NULL */
    size_t max_bytes;          /* pages: size limit; 0 for TP_MAX_PAGE_BYTES */
    bool has_no_head;          /* CSV: omit the line of column names */
    struct tp_buf *css, *js;   /* pages: filled with style and script as separate files; NULL for inline */
};

typedef int tp_print(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                     struct tp_error *err);

/* Prints for a terminal of 80 columns: tables keep this width if their texts fit; omitted rows are counted. */
tp_print tp_print_text;
/* Prints for pull requests, job summaries and agents: texts are escaped, so that none can format, link or mention. With
 * options->end, lines that do not fit are omitted and counted. */
tp_print tp_print_markdown;
/* Prints the complete record with the keys that scripts use, and a line feed. */
tp_print tp_print_json;
/* Prints the rows of the document (TP_BLOCK_ROWS) with all columns below a line of their names; absent values are empty
 * cells. A text that a spreadsheet would take for a formula begins with an apostrophe. */
tp_print tp_print_csv;
/* Prints one or several pages in one file that needs no network: html.h. */
tp_print tp_print_html;
/* Prints a test case per finding of the document's single list: bad ones are failures, unsure ones are skipped,
 * warnings pass with a note. */
tp_print tp_print_junit;
/* Prints SARIF 2.1.0: a run per list of findings, with a result for each place of each finding that is not good. */
tp_print tp_print_sarif;
/* Prints the first verdict as an SVG picture: "performance | passing". */
tp_print tp_print_badge;

/* Several documents in one Markdown text of at most TP_MAX_MARKDOWN_BYTES, for pull requests and agents. Each document
 * gets an equal share of the remaining space. */
struct tp_digest {
    struct tp_buf out;
    size_t expected, count; /* documents */
    size_t left_out;        /* lines */
};

void tp_digest_init(struct tp_digest *digest, size_t expected);
void tp_digest_add(struct tp_digest *digest, const struct tp_document *document);
/* Adds the most important document before all others; if there is not enough space, the last lines of the others are
 * removed. */
void tp_digest_put_first(struct tp_digest *digest, const struct tp_document *document);
/* Adds the number of omitted lines and returns the text, which belongs to the digest. */
struct tp_str tp_digest_finish(struct tp_digest *digest);
/* Accepts a zeroed digest. */
void tp_digest_release(struct tp_digest *digest);

/* Writes a record as a value within another text. */
void tp_json_record(struct tp_json *json, const struct tp_object *record);

#endif
