/* The style and the scripts of the page, and the policy that allows only these.
 *
 * The style is report.css, followed by all other *.css files of templates/ sorted by name. The script is report.js,
 * followed by all other *.js files. Each file can be replaced, as templates can. Inline, both are in the page and
 * the policy has their SHA-256 hashes. Otherwise they are files in the folder of report.html. */
#ifndef TP_WEBREPORT_PRINT_PAGE_SHELL_H
#define TP_WEBREPORT_PRINT_PAGE_SHELL_H

#include "webreport/document/data.h"
#include "writer/text/assets.h"

#define TP_HTML_CSS_FILE "report.css"
#define TP_HTML_JS_FILE "report.js"

/* Place of the style and scripts of a page. Separate files are complete, because they serve all pages of a folder.
 * An inline page has only the files that its contents need: timeline.js, or program.css and program.js. */
enum tp_html_assets {
    TP_HTML_INLINE,          /* page with timelines, without programs recorded from outside */
    TP_HTML_INLINE_PROGRAM,  /* page with timelines and programs recorded from outside */
    TP_HTML_INLINE_DOCUMENT, /* page without timelines and programs recorded from outside */
    TP_HTML_SEPARATE
};

struct tp_html {
    struct tp_str css, js;
    struct tp_str csp; /* Content-Security-Policy, for the content attribute of the meta element */
    bool is_separate, has_programs;
};

/* Collects style and scripts in assets->arena. Returns 0, an error of tp_assets_get, or TP_EFORMAT. TP_EFORMAT means
 * that a file contains a text that would end or change its element ("</style", "</script", "<!--", NUL). */
int tp_html_build(struct tp_html *html, const struct tp_assets *assets, enum tp_html_assets where,
                  struct tp_error *err);

/* Adds the style and script for programs recorded from outside; a second call has no effect. Does nothing if style
 * and scripts are separate files. Returns the same codes as tp_html_build. */
int tp_html_build_with_programs(struct tp_html *html, const struct tp_assets *assets, struct tp_error *err);

/* Members for the shell template: csp, is_separate, css_file, js_file, and (inline only) css and js, which it prints
 * raw: <meta http-equiv="Content-Security-Policy" content="{{csp}}">
 *   {{#is_separate}}<link rel="stylesheet"
 * href="{{css_file}}">{{/is_separate}}{{^is_separate}}<style>{{{css}}}</style>{{/is_separate}} and likewise <script
 * src="{{js_file}}"></script> or <script>{{{js}}}</script> at the end of the body. */
void tp_html_put_shell(const struct tp_html *html, struct tp_object *page);

#endif
