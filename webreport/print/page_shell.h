/* The style and the scripts of the page, and the security policy that forbids all other styles and scripts.
 *
 * The style is report.css, followed by all other *.css files of templates/ sorted by name. The script is report.js,
 * followed by all other *.js files. Users can replace each file, as they can replace templates. In an inline page, both
 * are in the page and the policy has their SHA-256 hashes. Otherwise they are files in the folder of report.html. */
#ifndef TP_WEBREPORT_PRINT_PAGE_SHELL_H
#define TP_WEBREPORT_PRINT_PAGE_SHELL_H

#include "webreport/document/data.h"
#include "writer/text/assets.h"

#define TP_HTML_CSS_FILE "report.css"
#define TP_HTML_JS_FILE "report.js"

/* Types of pages by the place and the parts of their style and script. Separate files are complete, because all pages
 * of a folder share them. An inline page omits timeline.js, program.css or program.js if nothing in the page needs
 * them. */
enum tp_html_assets {
    TP_HTML_INLINE,              /* inline; for timelines, but not for programs recorded from outside */
    TP_HTML_INLINE_PROGRAM,      /* inline; for timelines and programs recorded from outside */
    TP_HTML_INLINE_ONLY_PROGRAM, /* inline; for a program recorded from outside, but not for timelines */
    TP_HTML_INLINE_DOCUMENT,     /* inline; for neither timelines nor programs recorded from outside */
    TP_HTML_SEPARATE
};

struct tp_html {
    struct tp_str css, js;
    struct tp_str csp; /* Content-Security-Policy: value of the attribute `content` in the meta element */
    bool is_separate, has_programs;
};

/* Collects style and scripts in assets->arena. Returns 0, an error of tp_assets_get, or TP_EFORMAT. TP_EFORMAT means
 * that a file contains a text that would end or change its element ("</style", "</script", "<!--", NUL). */
int tp_html_build(struct tp_html *html, const struct tp_assets *assets, enum tp_html_assets where,
                  struct tp_error *err);

/* Adds the style and script for programs recorded from outside, if they are missing. Does nothing if style and scripts
 * are separate files. is_only: the page shows only one program, so that it needs no timeline. Returns the same codes as
 * tp_html_build. */
int tp_html_build_with_programs(struct tp_html *html, const struct tp_assets *assets, bool is_only,
                                struct tp_error *err);

/* Adds members for the template of the page around the contents: csp, is_separate, css_file and js_file; inline pages
 * also get css and js. The template prints css and js without escapes, inside <style> and <script>. */
void tp_html_put_shell(const struct tp_html *html, struct tp_object *page);

#endif
