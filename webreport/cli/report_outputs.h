/* The three outputs of a report (HTML, JSON, Markdown), fed profile by profile and committed together.
 *
 * Every function returns 0 or a negative tp_status with the reason; after an error close without commit leaves older
 * files as they were. What is not wanted costs nothing. */
#ifndef TP_WEBREPORT_CLI_REPORT_OUTPUTS_H
#define TP_WEBREPORT_CLI_REPORT_OUTPUTS_H

#include "webreport/document/block.h"
#include "webreport/measure/distributed.h"
#include "webreport/print/print.h"
#include "webreport/print/report_page.h"
#include "webreport/session/inputs.h"
#include "writer/base/fs.h"

struct tp_compare;
struct tp_history_run;

struct tp_outputs_options {
    const char *html, *json, *markdown; /* paths, "-" for standard output; NULL: not wanted */
    struct tp_page_options page;
};

struct tp_outputs {
    const struct tp_outputs_options *options;
    struct tp_outfile *html_file, *css_file, *js_file, *json_file, *markdown_file;
    struct tp_page *page;
    struct tp_digest digest;
    struct tp_buf json_text; /* not yet written to json_file */
    struct tp_json json;
    bool has_markdown;
    size_t reserved_bytes; /* of the page, for the comparison */
    struct tp_document comparison;
    bool has_comparison;
};

/* Opens every output wanted. profile_count: of all runs, failed ones included. options must outlive the outputs. */
int tp_outputs_open(struct tp_outputs *outputs, const struct tp_outputs_options *options, size_t profile_count,
                    struct tp_error *err);

/* Stored runs in order, as a section of the page. */
int tp_outputs_history(struct tp_outputs *outputs, const struct tp_history_run *runs, size_t count,
                       struct tp_error *err);

/* One run: profiles between begin and end_profiles, comparisons of ranks between end_profiles and end. */
void tp_outputs_begin_run(struct tp_outputs *outputs, struct tp_str name);
/* May be called ahead of tp_outputs_profile, when the profile's model and views are ready and its advice and memory
 * view are not: see tp_page_start_profile. */
void tp_outputs_start_profile(struct tp_outputs *outputs, const struct tp_profile *profile);
int tp_outputs_profile(struct tp_outputs *outputs, const struct tp_run_file *file, const struct tp_profile *profile,
                       struct tp_error *err);
int tp_outputs_failed(struct tp_outputs *outputs, struct tp_str run, const struct tp_run_file *file, const char *why,
                      struct tp_error *err);
void tp_outputs_end_profiles(struct tp_outputs *outputs);
int tp_outputs_distributed(struct tp_outputs *outputs, struct tp_str run, const struct tp_distributed *view,
                           struct tp_error *err);
int tp_outputs_end_run(struct tp_outputs *outputs, struct tp_error *err);

/* The comparison of the runs with a baseline: a section of the page, a member of the JSON, an end of the digest.
 * `compare` must live until the outputs are committed. Announce it with tp_outputs_reserve before the first profile. */
void tp_outputs_reserve(struct tp_outputs *outputs);
int tp_outputs_comparison(struct tp_outputs *outputs, const struct tp_compare *compare, struct tp_error *err);

/* Finishes and renames every output into place. */
int tp_outputs_commit(struct tp_outputs *outputs, struct tp_error *err);

/* Releases everything; outputs that were not committed vanish. Accepts a zeroed struct. */
void tp_outputs_close(struct tp_outputs *outputs);

#endif
