/* Renders Mustache templates over struct tp_data values.
 *
 * A set of templates knows where texts come from (a loader), compiles each once and renders without recursion: an
 * explicit stack of at most TP_MAX_TEMPLATE_FRAMES sections and partials. {{x}} always escapes (escape.h). A name that
 * is found nowhere, and a partial that the loader does not have, print nothing. */
#ifndef TP_WEBREPORT_PRINT_TEMPLATE_H
#define TP_WEBREPORT_PRINT_TEMPLATE_H

#include "webreport/document/data.h"
#include "writer/base/error.h"

enum { TP_MAX_TEMPLATE_FRAMES = 256 };

/* Finds the text of a template by the name that stands in {{> name}}. Returns 0 with *text (lives as long as the set),
 * TP_ENOTFOUND (prints nothing), or another negative code with *err, which ends the rendering. */
typedef int (*tp_template_load)(void *context, struct tp_str name, struct tp_str *text, struct tp_error *err);

struct tp_templates {
    struct tp_arena *arena;
    tp_template_load load;
    void *context;
    struct tp_vec compiled;       /* struct tp_mustache *, in order of first use */
    struct tp_renderer *renderer; /* stack of the rendering in progress */
    uint64_t max_steps;           /* tokens per rendering; a template that calls itself ends here */
};

/* arena: for compiled templates; its guard must be set also while rendering. */
void tp_templates_init(struct tp_templates *templates, struct tp_arena *arena, tp_template_load load, void *context);

/* Appends template `name` filled with `data` to `out`. Returns 0; TP_ENOTFOUND when there is no such template;
 * TP_EFORMAT, TP_ELIMIT with "template NAME:LINE: what"; the sticky code of `out`. */
int tp_template_render(struct tp_templates *templates, const char *name, struct tp_data data, struct tp_buf *out,
                       struct tp_error *err);

#endif
