/* The three outputs of a report (HTML, JSON, Markdown). They are filled profile by profile and committed together, so
 * that an error leaves older files unchanged. Outputs that were not requested cost nothing. */
#ifndef TP_WEBREPORT_PRINT_REPORT_OUTPUTS_H
#define TP_WEBREPORT_PRINT_REPORT_OUTPUTS_H

#include "webreport/document/block.h"
#include "webreport/measure/result/report_receiver.h"
#include "webreport/print/print.h"
#include "webreport/print/report_page.h"

struct tp_outfile;

struct tp_outputs_options {
    const char *html, *json, *markdown; /* paths, "-" for standard output, or NULL */
    struct tp_page_options page;
};

struct tp_outputs {
    const struct tp_outputs_options *options; /* must outlive the outputs */
    struct tp_outfile *html_file, *css_file, *js_file, *json_file, *markdown_file;
    struct tp_page *page;
    struct tp_digest digest;
    struct tp_buf json_text;     /* text to be written to json_file */
    struct tp_buf run_findings;  /* JSON list of the findings over the ranks of this run; may be empty */
    double run_findings_percent; /* their cost, percent */
    struct tp_buf run_jobs;      /* JSON list, not closed, of the ranks of this run as jobs; empty without a replay */
    struct tp_json json;
    bool has_markdown;
    size_t reserved_bytes; /* bytes of the page that are reserved for the comparison */
    struct tp_document comparison;
    bool has_comparison;
};

/* Functions that fill the outputs. Their context is a zeroed struct tp_outputs with `options` set; release it by
 * tp_outputs_close. */
extern const struct tp_report_receiver tp_outputs_receiver;

/* Releases everything and removes outputs that were not committed. Accepts a zeroed struct. */
void tp_outputs_close(struct tp_outputs *outputs);

#endif
