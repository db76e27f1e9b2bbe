/* Renders Mustache templates with struct tp_data values.
 *
 * A set of templates gets texts from a loader and compiles each text once. Rendering uses a stack of at most
 * TP_MAX_TEMPLATE_FRAMES sections and partials instead of recursion. {{x}} always escapes (escape.h). Unknown names and
 * unknown partials print nothing. */
#ifndef TP_WEBREPORT_PRINT_TEMPLATE_H
#define TP_WEBREPORT_PRINT_TEMPLATE_H

#include "webreport/document/data.h"
#include "writer/base/error.h"

enum { TP_MAX_TEMPLATE_FRAMES = 256 };

/* Finds the text of a template. name: the name in {{> name}}. Returns 0 and sets *text, which must stay valid as long
 * as the set of templates. Returns TP_ENOTFOUND to print nothing. Any other negative code, with *err, stops the
 * rendering. */
typedef int (*tp_template_load)(void *context, struct tp_str name, struct tp_str *text, struct tp_error *err);

struct tp_templates {
    struct tp_arena *arena;
    tp_template_load load;
    void *context;
    struct tp_vec compiled;       /* elements: struct tp_mustache *, in order of first use */
    struct tp_renderer *renderer; /* stacks of the current rendering */
    uint64_t max_steps; /* largest number of tokens that one call renders; this limit stops a template that includes
                           itself */
};

/* Initializes the set. arena: memory for compiled templates; its guard must also be set during rendering. load,
 * context: function that finds template texts, and its first argument. */
void tp_templates_init(struct tp_templates *templates, struct tp_arena *arena, tp_template_load load, void *context);

/* Renders the template `name` with `data`, and appends the result to `out`. Returns 0 or an error: TP_ENOTFOUND for
 * an unknown template, TP_EFORMAT or TP_ELIMIT with a message "template NAME:LINE: what", or the failure of `out`. */
int tp_template_render(struct tp_templates *templates, const char *name, struct tp_data data, struct tp_buf *out,
                       struct tp_error *err);

#endif
