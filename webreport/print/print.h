/* Printers of documents: one file for each format, and all with the same signature.
 *
 * Each function appends the document to `out`, which keeps the first failure, and returns 0. Only pages can return a
 * negative tp_status with *err. Texts of traces are escaped for the format. Equal documents give equal bytes.
 * Documents and working memory are in document->arena, whose guard the caller sets. */
#ifndef TP_WEBREPORT_PRINT_PRINT_H
#define TP_WEBREPORT_PRINT_PRINT_H

#include "webreport/document/block.h"
#include "writer/base/error.h"
#include "writer/base/json_out.h"

/* Options of all printers. Each printer uses only the options for its format. */
struct tp_print_options {
    const int64_t *row_limit; /* text: largest number of rows in each table; NULL or negative: no limit */
    bool has_details;         /* text: true includes the blocks of TP_IN_DETAILED_TEXT */
    bool has_color;           /* text: true prints colors */
    const char *source_root;  /* SARIF: prefix to remove from paths; NULL: paths are unchanged */
    size_t end;               /* Markdown: largest size of `out`, bytes; 0: no limit */
    size_t *left_out; /* Markdown: receives the number of omitted lines, which is then not printed; NULL: print it */
    const char *templates_dir; /* pages: folder with files that replace built-in templates; NULL: none */
    size_t max_bytes;          /* pages: size limit, bytes; 0: TP_MAX_PAGE_BYTES */
    bool omits_column_names;   /* CSV: true omits the line with the names of columns */
    struct tp_buf *css, *js; /* pages: buffers for style and script as separate files; NULL: both are inside the page */
};

typedef int tp_print(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                     struct tp_error *err);

/* Prints text for a terminal of 80 columns. Long texts in a table are cut to fit this width, where possible. The last
 * line states how many rows were omitted. */
tp_print tp_print_text;
/* Prints Markdown for pull requests, job summaries and agents. Escaped texts cannot format, link or mention anything.
 * With options->end, prints how many lines were omitted because they did not fit. */
tp_print tp_print_markdown;
/* Prints the complete record as JSON for scripts, and a line feed. */
tp_print tp_print_json;
/* Prints the rows for scripts (TP_BLOCK_ROWS) with all columns, below a line with the column names. Absent values are
 * empty cells. A text that a spreadsheet would treat as a formula gets an apostrophe as its first character. */
tp_print tp_print_csv;
/* Prints one or several HTML pages into one file that needs no network. See html.h. */
tp_print tp_print_html;
/* Prints JUnit XML: a test case for each finding in the document's only list of findings. Bad findings are failures,
 * unsure findings are skipped, and warnings pass with a note. */
tp_print tp_print_junit;
/* Prints SARIF 2.1.0: one run for each list of findings. Every finding that is not good has a result for each of its
 * locations. */
tp_print tp_print_sarif;
/* Prints the first verdict as an SVG picture, such as "performance | passing". */
tp_print tp_print_badge;

/* Joins several documents to one Markdown text of at most TP_MAX_MARKDOWN_BYTES bytes, for pull requests and agents.
 * Each document gets an equal share of the remaining space. */
struct tp_digest {
    struct tp_buf out;
    size_t expected, count; /* number of documents: in total, and added so far */
    size_t left_out;        /* number of lines omitted so far */
};

void tp_digest_init(struct tp_digest *digest, size_t expected);
void tp_digest_add(struct tp_digest *digest, const struct tp_document *document);
/* Adds the most important document before all other documents. If there is not enough space, removes lines at the end
 * of the other documents. */
void tp_digest_insert_first(struct tp_digest *digest, const struct tp_document *document);
/* Appends the number of omitted lines and returns the text, which belongs to the digest. */
struct tp_str tp_digest_finish(struct tp_digest *digest);
/* Releases the memory of a digest, which may be zeroed. */
void tp_digest_release(struct tp_digest *digest);

/* Writes a record as a value inside a larger JSON text. */
void tp_json_write_object(struct tp_json *json, const struct tp_object *record);

#endif
