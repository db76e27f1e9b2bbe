/* The report page: profiles are added one at a time, each leaves a rendered fragment, the end makes the document.
 *
 * So memory holds one profile and the finished HTML, however many files a run has. With several profiles an index of
 * all stands first. The page fits the byte ceiling by level of detail: the share of each profile decides how many table
 * rows, names and timeline slices it shows, and the page says what was left out.
 *
 *     tp_page_begin(&page, &options, count, &err);
 *     for each profile: tp_page_add_profile / tp_page_add_failed;   for each span: tp_page_add_distributed;
 *     tp_page_finish(&page, &files, &err);  write files.html[] (and css, js when separate);  tp_page_release(&page);
 *
 * One thread. A page owns its memory; a profile's data is only read during the call. */
#ifndef TP_WEBREPORT_PRINT_REPORT_PAGE_H
#define TP_WEBREPORT_PRINT_REPORT_PAGE_H

#include <stdbool.h>

#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/result/profile.h"
#include "webreport/print/template.h"
#include "writer/base/error.h"

struct tp_history_run;

struct tp_page_options {
    bool redact;            /* hide path prefixes and host names */
    bool separate_assets;   /* report.css and report.js as files beside report.html */
    bool no_timeline;       /* leave the timeline out */
    const char *source_url; /* turns path(line) into a link: "https://host/repo/blob/REV/{path}#L{line}"; NULL: none */
    const char *templates_dir; /* overrides built-in templates; NULL: none */
    size_t max_bytes;          /* ceiling of report.html; 0: TP_MAX_PAGE_BYTES */
};

enum { TP_PAGE_PIECES = 6 };

/* What finish yields; the texts belong to the page. The document is its pieces one behind the other: to join what is
 * some hundred kilobytes long would touch as much memory once more. css and js are empty when they stand inside html.
 */
struct tp_page_files {
    struct tp_str html[TP_PAGE_PIECES]; /* some may be empty */
    size_t html_bytes;                  /* of all pieces */
    struct tp_str css, js;
};

struct tp_page; /* opaque */

/* Makes a page for `profile_count` profiles (failed ones included). Returns 0; TP_EUSAGE for a source address that is
 * no link; TP_ENOMEM; a template's TP_EFORMAT. *page is NULL on failure. */
int tp_page_begin(struct tp_page **page, const struct tp_page_options *options, size_t profile_count,
                  struct tp_error *err);

/* Builds ahead what needs only the profile's model: call it while the rest of the profile is still computed on another
 * thread, then tp_page_add_profile for the same profile. May be left out; the page is the same. Never fails: what did
 * not work is done, and told, later. */
void tp_page_start_profile(struct tp_page *page, const struct tp_profile *profile);

/* Renders the profile's sections. Returns 0, TP_ENOMEM, TP_ELIMIT, or TP_EFORMAT of a template. */
int tp_page_add_profile(struct tp_page *page, const struct tp_profile *profile, struct tp_error *err);

/* Names an input that could not be used, and why. */
int tp_page_add_failed(struct tp_page *page, struct tp_str run, struct tp_str worker, struct tp_str file,
                       const char *why, struct tp_error *err);

/* Adds the comparison of one span's ranks; nothing when it is not present. */
int tp_page_add_distributed(struct tp_page *page, struct tp_str run, const struct tp_distributed *view,
                            struct tp_error *err);

enum { TP_PAGE_SECTIONS = 4 };

/* Adds a document as a section of its own at the page's end, at most TP_PAGE_SECTIONS, which the navigation finds at
 * `target`, the id of its title: data of tp_html_part, of which nothing is kept. Before the first profile, so that the
 * profiles' share of the page's ceiling knows of it, or announced by tp_page_reserve. Nothing for data of kind NONE. */
int tp_page_add_section(struct tp_page *page, const char *target, const char *label, struct tp_data data,
                        struct tp_error *err);

/* Adds the section of stored runs, which are in order. */
int tp_page_add_history(struct tp_page *page, const struct tp_history_run *runs, size_t count, struct tp_error *err);

/* Keeps room for a section that is added after the profiles: an eighth of the page's ceiling. Returns it in bytes. */
size_t tp_page_reserve(struct tp_page *page);

/* Composes the document. Returns 0, TP_ELIMIT when even the shortest form exceeds the ceiling, or the codes above. */
int tp_page_finish(struct tp_page *page, struct tp_page_files *files, struct tp_error *err);

/* Accepts NULL. */
void tp_page_release(struct tp_page *page);

#endif
