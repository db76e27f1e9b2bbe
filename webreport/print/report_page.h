/* The report page. Profiles are added one at a time; each is rendered to a fragment, and the last call makes the
 * document.
 * So memory contains one profile and the finished HTML, for any number of files. With several profiles, the page begins
 * with an index. The page keeps its size limit by level of detail: the share of each profile decides how many table
 * rows, names and timeline slices it shows, and the page states what was omitted.
 *
 *     tp_page_open(&page, &options, count, &err);
 *
 *     for each profile: tp_page_add_profile / tp_page_add_failed;   for each span: tp_page_add_distributed;
 *
 *     tp_page_finish(&page, &files, &err);  write files.html[] (and css, js when separate);  tp_page_release(&page);
 *
 * Single-threaded. A page owns its memory; data of a profile is only read during the call. */
#ifndef TP_WEBREPORT_PRINT_REPORT_PAGE_H
#define TP_WEBREPORT_PRINT_REPORT_PAGE_H

#include <stdbool.h>

#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/result/profile.h"
#include "webreport/print/template.h"
#include "writer/base/error.h"

struct tp_history_run;

struct tp_page_options {
    bool redact;                 /* true: hide path prefixes and host names */
    bool writes_separate_assets; /* true: write report.css and report.js as files in the folder of report.html */
    bool omits_timeline;         /* true: omit the timeline */
    const char *source_url;    /* pattern of links for path(line), such as "https://host/repo/blob/REV/{path}#L{line}";
                                  NULL: no links */
    const char *templates_dir; /* folder with files that replace built-in templates; NULL: none */
    size_t max_bytes;          /* size limit of report.html, bytes; 0: TP_MAX_PAGE_BYTES */
};

enum { TP_PAGE_PARTS = 6 };

/* The files of a finished page. The page owns their texts. The document consists of several parts, so that several
 * hundred kilobytes need not be copied. css and js are empty if they are inside the document. */
struct tp_page_files {
    struct tp_str html[TP_PAGE_PARTS]; /* parts of the document in their order; some may be empty */
    size_t html_bytes;                 /* total size of the parts, bytes */
    struct tp_str css, js;
};

struct tp_page; /* the report page, whose members are private */

/* Makes a page for `profile_count` profiles, including failed ones. Returns 0, TP_EUSAGE for an invalid source
 * pattern, TP_ENOMEM, or TP_EFORMAT for an invalid template. *page is NULL on failure. */
int tp_page_open(struct tp_page **page, const struct tp_page_options *options, size_t profile_count,
                 struct tp_error *err);

/* Builds the parts that need only the profile's model, while another thread computes the rest of the profile. The
 * same profile must then be given to tp_page_add_profile. The call is optional and does not change the page. It
 * never fails, because tp_page_add_profile repeats failed work and reports the error. */
void tp_page_start_profile(struct tp_page *page, const struct tp_profile *profile);

/* Renders the sections of a profile. Returns 0, TP_ENOMEM, TP_ELIMIT, or TP_EFORMAT for an invalid template. */
int tp_page_add_profile(struct tp_page *page, const struct tp_profile *profile, struct tp_error *err);

/* Adds a failed input with the reason of the failure. */
int tp_page_add_failed(struct tp_page *page, struct tp_str run, struct tp_str worker, struct tp_str file,
                       const char *why, struct tp_error *err);

/* Adds the comparison of the ranks of one span. Does nothing if the view has is_present false. */
int tp_page_add_distributed(struct tp_page *page, struct tp_str run, const struct tp_distributed *view,
                            struct tp_error *err);

enum { TP_PAGE_SECTIONS = 4 };

/* Adds a document as a section at the end of the page; at most TP_PAGE_SECTIONS. So that profiles leave space for
 * it, call this function before the first profile, or tp_page_reserve. target: id of the document's title, for the
 * navigation. data: from tp_html_part; may be freed after the call; kind NONE adds nothing. */
int tp_page_add_section(struct tp_page *page, const char *target, const char *label, struct tp_data data,
                        struct tp_error *err);

/* Adds the section of stored runs. The runs must be in order. */
int tp_page_add_history(struct tp_page *page, const struct tp_history_run *runs, size_t count, struct tp_error *err);

/* Reserves an eighth of the page's size limit for a section that is added after the profiles. Returns the number of
 * reserved bytes. */
size_t tp_page_reserve(struct tp_page *page);

/* Makes the document. Returns 0, TP_ELIMIT if even the shortest form exceeds the limit, or an error as the functions
 * above do. */
int tp_page_finish(struct tp_page *page, struct tp_page_files *files, struct tp_error *err);

/* Frees the page, which may be NULL. */
void tp_page_release(struct tp_page *page);

#endif
