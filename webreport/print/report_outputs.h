/* The three outputs of a report (HTML, JSON, Markdown), fed profile by profile and committed together: after an error
 * older files are as they were. What is not wanted costs nothing. */
#ifndef TP_WEBREPORT_PRINT_REPORT_OUTPUTS_H
#define TP_WEBREPORT_PRINT_REPORT_OUTPUTS_H

#include "webreport/document/block.h"
#include "webreport/measure/result/report_receiver.h"
#include "webreport/print/print.h"
#include "webreport/print/report_page.h"

struct tp_outfile;

struct tp_outputs_options {
    const char *html, *json, *markdown; /* paths, "-" for standard output; NULL: not wanted */
    struct tp_page_options page;
};

struct tp_outputs {
    const struct tp_outputs_options *options; /* must outlive the outputs */
    struct tp_outfile *html_file, *css_file, *js_file, *json_file, *markdown_file;
    struct tp_page *page;
    struct tp_digest digest;
    struct tp_buf json_text;     /* not yet written to json_file */
    struct tp_buf run_findings;  /* JSON of the findings over the ranks of this run, a list; empty: there are none */
    double run_findings_percent; /* what they cost */
    struct tp_buf run_jobs;      /* JSON of the ranks of this run as jobs, an open list; empty: none was replayed */
    struct tp_json json;
    bool has_markdown;
    size_t reserved_bytes; /* of the page, for the comparison */
    struct tp_document comparison;
    bool has_comparison;
};

/* The functions that fill the outputs, whose context is a struct tp_outputs with `options` set and else empty. What is
 * opened is to be closed by tp_outputs_close. */
extern const struct tp_report_receiver tp_outputs_receiver;

/* Releases everything; outputs that were not committed vanish. Accepts a zeroed struct. */
void tp_outputs_close(struct tp_outputs *outputs);

#endif
