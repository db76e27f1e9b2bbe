/* Renders Mustache templates over struct tp_data values.
 * A set of templates gets texts from a loader, compiles each once and renders without recursion, with a stack of at
 * most TP_MAX_TEMPLATE_FRAMES sections and partials. {{x}} always escapes (escape.h). Unknown names and unknown
 * partials print nothing. */
#ifndef TP_WEBREPORT_PRINT_TEMPLATE_H
#define TP_WEBREPORT_PRINT_TEMPLATE_H

#include "webreport/document/data.h"
#include "writer/base/error.h"

enum { TP_MAX_TEMPLATE_FRAMES = 256 };

/* Finds the text of a template by the name in {{> name}}. Returns 0 with *text (valid as long as the set), TP_ENOTFOUND
 * (prints nothing), or another negative code with *err, which ends rendering. */
typedef int (*tp_template_load)(void *context, struct tp_str name, struct tp_str *text, struct tp_error *err);

struct tp_templates {
    struct tp_arena *arena;
    tp_template_load load;
    void *context;
    struct tp_vec compiled;       /* struct tp_mustache *, in order of first use */
    struct tp_renderer *renderer; /* stack of the current rendering */
    uint64_t max_steps;           /* most tokens per rendering, which stops a template that includes itself */
};

/* Initialises the set. arena: for compiled templates; its guard must be set while rendering as well. */
void tp_templates_init(struct tp_templates *templates, struct tp_arena *arena, tp_template_load load, void *context);

/* Appends template `name`, rendered with `data`, to `out`. Returns 0; TP_ENOTFOUND for an unknown template; TP_EFORMAT
 * or TP_ELIMIT with "template NAME:LINE: what"; or the failure of `out`. */
int tp_template_render(struct tp_templates *templates, const char *name, struct tp_data data, struct tp_buf *out,
                       struct tp_error *err);

#endif
