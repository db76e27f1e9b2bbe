/* The style and the scripts of the page, and the policy that allows only these.
 *
 * The style is report.css, then every other *.css file of templates/ in order of names. The script is report.js, then
 * every other *.js file. Each file can be replaced, as templates can. Inline, both are in the page and the policy has
 * their SHA-256 hashes. Otherwise they are files next to report.html. */
#ifndef TP_WEBREPORT_PRINT_PAGE_SHELL_H
#define TP_WEBREPORT_PRINT_PAGE_SHELL_H

#include "webreport/document/data.h"
#include "writer/text/assets.h"

#define TP_HTML_CSS_FILE "report.css"
#define TP_HTML_JS_FILE "report.js"

/* Place of the style and script of a page. Separate files serve all pages of a folder, so they are complete. An inline
 * page has only the files that its contents need: timeline.js, or program.css and program.js. */
enum tp_html_assets {
    TP_HTML_INLINE,          /* page with timelines, without programs recorded from outside */
    TP_HTML_INLINE_PROGRAM,  /* page with timelines and programs recorded from outside */
    TP_HTML_INLINE_DOCUMENT, /* page without timelines and programs recorded from outside */
    TP_HTML_SEPARATE
};

struct tp_html {
    struct tp_str css, js;
    struct tp_str csp; /* content of the Content-Security-Policy meta element */
    bool is_separate, has_programs;
};

/* Collects style and script, in assets->arena. Returns 0, or TP_EFORMAT if a file contains a text that would end or
 * change its element ("</style", "</script", "<!--", NUL), or an error of tp_assets_get. */
int tp_html_build(struct tp_html *html, const struct tp_assets *assets, enum tp_html_assets where,
                  struct tp_error *err);

/* Adds the style and script for programs recorded from outside, at most once. Does nothing if style and script are
 * separate files. Returns the same codes as tp_html_build. */
int tp_html_with_programs(struct tp_html *html, const struct tp_assets *assets, struct tp_error *err);

/* Members for the shell template: csp, is_separate, css_file, js_file, and (inline only) css and js, which it prints
 * raw: <meta http-equiv="Content-Security-Policy" content="{{csp}}">
 *   {{#is_separate}}<link rel="stylesheet"
 * href="{{css_file}}">{{/is_separate}}{{^is_separate}}<style>{{{css}}}</style>{{/is_separate}} and likewise <script
 * src="{{js_file}}"></script> or <script>{{{js}}}</script> at the end of the body. */
void tp_html_put(const struct tp_html *html, struct tp_object *page);

#endif
