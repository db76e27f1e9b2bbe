/* Writes the three outputs of a report (HTML, JSON, Markdown). Outputs are filled profile by profile and committed
 * together, so that an error leaves older files unchanged. An output that was not requested is not made. */
#ifndef TP_WEBREPORT_PRINT_REPORT_OUTPUTS_H
#define TP_WEBREPORT_PRINT_REPORT_OUTPUTS_H

#include "webreport/document/block.h"
#include "webreport/measure/result/report_receiver.h"
#include "webreport/print/print.h"
#include "webreport/print/report_page.h"

struct tp_outfile;

struct tp_outputs_options {
    const char *html, *json, *markdown; /* paths of the outputs; "-": standard output; NULL: not requested */
    struct tp_page_options page;
};

struct tp_outputs {
    const struct tp_outputs_options *options; /* options; must outlive the outputs */
    struct tp_outfile *html_file, *css_file, *js_file, *json_file, *markdown_file;
    struct tp_page *page;
    struct tp_digest digest;
    struct tp_buf json_text;     /* JSON text that is not yet written to json_file */
    struct tp_buf run_findings;  /* findings about the ranks of this run as a JSON list; empty if there are none */
    double run_findings_percent; /* cost of run_findings, percent of a step */
    struct tp_buf run_jobs;      /* the ranks of this run as jobs, an incomplete JSON list; empty without a replay */
    struct tp_json json;
    bool has_markdown;
    size_t reserved_bytes; /* part of the page's size limit that is reserved for the comparison, bytes */
    struct tp_document comparison;
    bool has_comparison;
};

/* The functions that fill the outputs. Their context is a struct tp_outputs, zeroed except for `options`;
 * tp_outputs_close releases it. */
extern const struct tp_report_receiver tp_outputs_receiver;

/* Releases all memory, and removes outputs that were not committed. `outputs` may be zeroed. */
void tp_outputs_close(struct tp_outputs *outputs);

#endif
