/* Names of a trace as the page shows them: cut to a bearable length, stripped of private parts on request, linked to
 * source.
 *
 * Results live in the arena given or borrow the text itself. Nothing here escapes: templates do. */
#ifndef TP_WEBREPORT_DOCUMENT_NAME_TEXT_H
#define TP_WEBREPORT_DOCUMENT_NAME_TEXT_H

#include <stdbool.h>

#include "webreport/measure/ranks/worker_host.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"
#include "writer/text/kernel_text.h"

struct tp_shown_kernels;

struct tp_naming {
    struct tp_arena *arena;
    struct tp_shown_kernels *kernels; /* of tp_shown_kernels_new, in `arena`; NULL: names are made anew each time */
    bool redact;                      /* hide path prefixes and the host's name */
    const char *source_url;           /* "https://host/repo/blob/REV/{path}#L{line}"; NULL: no links */
    struct tp_str host;               /* the name to hide; empty: none */
};

/* Whether a pattern may become a link: a known scheme, and {path} in it. 0 or TP_EUSAGE. pattern may be NULL. */
int tp_source_url_check(const char *pattern, struct tp_error *err);

/* The text without private parts (when asked for), cut at TP_MAX_SHOWN_NAME_BYTES with an ellipsis: a place
 * in the source at its begin. */
struct tp_str tp_shown_text(const struct tp_naming *naming, struct tp_str text);

/* Cuts `text` to at most `max_bytes` at a character's border, with an ellipsis. */
struct tp_str tp_text_cut(struct tp_arena *arena, struct tp_str text, size_t max_bytes);

/* "path(line): function" without its folders: "train.py(42): step"; other texts as they are. Borrows the text. */
struct tp_str tp_path_file(struct tp_str text);

/* Address of the source line named by "path(line)" or "path(line): function"; NULL when there is none or no pattern. */
const char *tp_source_link(const struct tp_naming *naming, struct tp_str text);

/* "[[32, 3, 224, 224], [], [64]]" -> "32x3x224x224, (), 64" with the multiplication sign; other texts stay. */
struct tp_str tp_shapes_text(struct tp_arena *arena, struct tp_str shapes);

/* The same for the viewer of slices. context: struct tp_naming. */
struct tp_str tp_viewer_shapes(const void *context, struct tp_str shapes);

/* The short name of a kernel, at most TP_KERNEL_TEXT_BYTES. A Python call keeps the end of its path. The arena's, or
 * `name`. */
struct tp_str tp_kernel_short_name(struct tp_arena *arena, struct tp_str name);

/* The short name of a kernel as tp_shown_text shows it. */
struct tp_str tp_shown_kernel(const struct tp_naming *naming, struct tp_str name);

/* Keeps what tp_shown_kernel says: tables, tree, timeline and findings show the same kernels, whose names are
 * kilobytes. For one naming and one thread; in `arena` (guard set by the caller). */
struct tp_shown_kernels *tp_shown_kernels_new(struct tp_arena *arena);

/* A name as the viewers of the timeline and the call tree show it: kernels by their short names, nothing private.
 * context: struct tp_naming. */
struct tp_str tp_viewer_name(const void *context, struct tp_str name);

/* tp_shown_text, for lists of texts that name no kernels. */
struct tp_str tp_viewer_text(const void *context, struct tp_str text);

/* tp_shown_kernel, of an event that is known to be a kernel. */
struct tp_str tp_viewer_kernel(const void *context, struct tp_str name);

/* Lines as the viewer of the timeline shows them, each as tp_shown_text makes it. context: struct tp_naming. */
struct tp_str tp_viewer_lines(const void *context, struct tp_str lines);

/* "aten::" of "aten::add"; empty when there is no simple prefix. */
struct tp_str tp_name_prefix(struct tp_str name);

#endif
