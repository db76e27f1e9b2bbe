/* Builds the report page. Profiles are added one at a time. Each profile is rendered to an HTML fragment, and the last
 * call makes the document around the fragments. So memory contains one profile and the finished HTML, for any number of
 * files. With several profiles, the page begins with an index. To keep the size limit of the page, a profile with a
 * small share shows fewer table rows, names and timeline slices; the page states what was omitted.
 *
 *     tp_page_open(&page, &options, count, &err);
 *
 *     for each profile: tp_page_add_profile / tp_page_add_failed;   for each recording: tp_page_add_distributed;
 *
 *     tp_page_finish(&page, &files, &err);  write files.html[] (and css, js when separate);  tp_page_release(&page);
 *
 * Single-threaded. A page owns its memory; the data of a profile is read only during the call. */
#ifndef TP_WEBREPORT_PRINT_REPORT_PAGE_H
#define TP_WEBREPORT_PRINT_REPORT_PAGE_H

#include <stdbool.h>

#include "webreport/document/page_limits.h"
#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/result/profile.h"
#include "webreport/print/template.h"
#include "writer/base/error.h"

struct tp_history_run;

struct tp_page_options {
    bool redact;                 /* true: hide path prefixes and host names */
    bool writes_separate_assets; /* true: write report.css and report.js as files in the folder of report.html */
    enum tp_timeline_detail timeline;
    const char *source_url;    /* pattern of links to source lines, such as "https://host/repo/blob/REV/{path}#L{line}";
                                  NULL: no links */
    const char *templates_dir; /* folder with files that replace built-in templates; NULL: none */
    size_t max_bytes;          /* size limit of report.html, bytes; 0: TP_MAX_PAGE_BYTES */
};

enum { TP_PAGE_PARTS = 7 };

/* The files of a finished page, whose texts belong to the page. The HTML document has several parts, so that several
 * hundred kilobytes need not be copied. css and js are empty if they are inside the document. */
struct tp_page_files {
    struct tp_str html[TP_PAGE_PARTS]; /* parts of the HTML document in their order; some may be empty */
    size_t html_bytes;                 /* total size of the parts, bytes */
    struct tp_str css, js;
};

struct tp_page; /* the report page, whose members are private */

/* Creates a page for `profile_count` profiles, including failed ones. Returns 0, TP_EUSAGE for an invalid source
 * pattern, TP_ENOMEM, or TP_EFORMAT for an invalid template. *page is NULL on failure. */
int tp_page_open(struct tp_page **page, const struct tp_page_options *options, size_t profile_count,
                 struct tp_error *err);

/* Optional call that builds the large sections of a profile, which need only its model, while another thread computes
 * the rest of the profile. The next call must be tp_page_add_profile with the same profile. Never fails, because
 * tp_page_add_profile repeats failed work and reports the error. */
void tp_page_start_profile(struct tp_page *page, const struct tp_profile *profile);

/* Renders the sections of a profile and adds them to the page. Returns 0, TP_ENOMEM, TP_ELIMIT, or TP_EFORMAT for an
 * invalid template. */
int tp_page_add_profile(struct tp_page *page, const struct tp_profile *profile, struct tp_error *err);

/* Adds an input that could not be analyzed to the index. why: reason. */
int tp_page_add_failed(struct tp_page *page, struct tp_str run, struct tp_str worker, struct tp_str file,
                       const char *why, struct tp_error *err);

/* Adds the comparison of the ranks of one recording. Does nothing if view->is_present is false. */
int tp_page_add_distributed(struct tp_page *page, struct tp_str run, const struct tp_distributed *view,
                            struct tp_error *err);

enum { TP_PAGE_SECTIONS = 4 };

/* Adds a document as a section at the end of the page, at most TP_PAGE_SECTIONS. Profiles leave space for the section
 * if it is added before the first profile; otherwise call tp_page_reserve_section_bytes first. target: id of the
 * document's title, for the navigation. data: from tp_html_part; may be freed after the call; kind NONE adds nothing.
 */
int tp_page_add_section(struct tp_page *page, const char *target, const char *label, struct tp_data data,
                        struct tp_error *err);

/* Adds the section about stored runs of `check`. The runs must be sorted by time. */
int tp_page_add_history(struct tp_page *page, const struct tp_history_run *runs, size_t count, struct tp_error *err);

/* Reserves an eighth of the page's size limit for a section that will be added after the profiles. Returns the number
 * of reserved bytes. */
size_t tp_page_reserve_section_bytes(struct tp_page *page);

/* Completes the page. Returns 0, TP_ELIMIT if the page exceeds the limit even at the lowest level of detail, or an
 * error as the functions above. */
int tp_page_finish(struct tp_page *page, struct tp_page_files *files, struct tp_error *err);

/* Frees the page, which may be NULL. */
void tp_page_release(struct tp_page *page);

#endif
