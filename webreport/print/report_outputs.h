/* Writes the three outputs of a report (HTML, JSON, Markdown). All outputs receive profile after profile and get their
 * names together at the end, so that an error leaves older files unchanged. Outputs that were not requested are
 * skipped. */
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
    const struct tp_outputs_options *options; /* options, which must live longer than this struct */
    struct tp_outfile *html_file, *css_file, *js_file, *json_file, *markdown_file;
    struct tp_page *page;
    struct tp_digest digest;
    struct tp_buf json_text;     /* JSON text that is not yet written to json_file */
    struct tp_buf run_findings;  /* JSON list of the findings between ranks, from the costliest recording of the current
                                    run; empty if none exist */
    double run_findings_percent; /* cost of run_findings, percent of a step */
    struct tp_buf run_jobs;      /* incomplete JSON list: the ranks of each recording of the current run as a job; empty
                                    without a replay */
    struct tp_json json;
    bool has_markdown;
    size_t
        reserved_bytes; /* part of the page's size limit that is reserved for the comparison with a baseline, bytes */
    struct tp_document comparison;
    bool has_comparison;
    const struct tp_joined_snapshot *snapshot; /* memory snapshot of the same run; NULL without one */
    struct tp_document snapshot_document;      /* document of its first device */
};

/* Functions that receive the results of a report. Their context is a struct tp_outputs that is zeroed except for
 * `options`; tp_outputs_close releases it. */
extern const struct tp_report_receiver tp_outputs_receiver;

/* Releases all memory, and removes outputs that are not complete. `outputs` may be zeroed. */
void tp_outputs_close(struct tp_outputs *outputs);

#endif
