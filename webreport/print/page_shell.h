/* What the page's shell needs around its content: style, scripts and the policy that allows only these.
 *
 * Style is report.css, then every other *.css of templates/ by name; script is report.js, then every other *.js by
 * name, each replaceable like any template. Inline both stand in the page and the policy carries their SHA-256; with
 * separate assets they are files beside report.html. */
#ifndef TP_WEBREPORT_PRINT_PAGE_SHELL_H
#define TP_WEBREPORT_PRINT_PAGE_SHELL_H

#include "webreport/document/data.h"
#include "writer/text/assets.h"

#define TP_HTML_CSS_FILE "report.css"
#define TP_HTML_JS_FILE "report.js"

/* Where style and script of a page are. Files beside it serve all pages of their folder, so they are whole; a page has
 * those of what it shows: timeline.js, and program.css and program.js. */
enum tp_html_assets {
    TP_HTML_INLINE,          /* of a page with timelines, without programs recorded from outside */
    TP_HTML_INLINE_PROGRAM,  /* of one with both */
    TP_HTML_INLINE_DOCUMENT, /* of one that has neither */
    TP_HTML_SEPARATE
};

struct tp_html {
    struct tp_str css, js;
    struct tp_str csp; /* content of the Content-Security-Policy meta element */
    bool is_separate, has_programs;
};

/* Collects style and script; texts live in assets->arena. Returns 0; TP_EFORMAT when one contains what would end or
 * change its element ("</style", "</script", "<!--", NUL); the codes of tp_assets_get. */
int tp_html_build(struct tp_html *html, const struct tp_assets *assets, enum tp_html_assets where,
                  struct tp_error *err);

/* Adds the style and script of programs recorded from outside, once, where they are not in files beside the page.
 * Returns as tp_html_build. */
int tp_html_with_programs(struct tp_html *html, const struct tp_assets *assets, struct tp_error *err);

/* Members for the shell template: csp, is_separate, css_file, js_file, and (inline only) css and js, which it prints
 * raw: <meta http-equiv="Content-Security-Policy" content="{{csp}}">
 *   {{#is_separate}}<link rel="stylesheet"
 * href="{{css_file}}">{{/is_separate}}{{^is_separate}}<style>{{{css}}}</style>{{/is_separate}} and likewise <script
 * src="{{js_file}}"></script> or <script>{{{js}}}</script> at the end of the body. */
void tp_html_put(const struct tp_html *html, struct tp_object *page);

#endif
