/* Prepares names of a trace for display: cuts them, hides private parts on request, links them to source.
 *
 * Results are in the arena given or borrow the text. Nothing is escaped here; templates do that. */
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
    struct tp_shown_kernels *kernels; /* cache from tp_shown_kernels_new, in `arena`, or NULL */
    bool redact;                      /* hide path prefixes and the host's name */
    const char *source_url;           /* "https://host/repo/blob/REV/{path}#L{line}", or NULL for no links */
    struct tp_str host;               /* host name to hide, or "" */
};

/* Checks that a pattern has a known scheme and contains {path}. Returns 0 or TP_EUSAGE. pattern may be NULL. */
int tp_source_url_check(const char *pattern, struct tp_error *err);

/* Returns the text without private parts (if redact) and cut to TP_MAX_SHOWN_NAME_BYTES with an ellipsis; places in the
 * source are cut at their begin. */
struct tp_str tp_shown_text(const struct tp_naming *naming, struct tp_str text);

/* Cuts `text` to at most `max_bytes` at the border of a character, with an ellipsis. */
struct tp_str tp_text_cut(struct tp_arena *arena, struct tp_str text, size_t max_bytes);

/* Returns "path(line): function" without folders ("train.py(42): step"), other texts unchanged. Borrows the text. */
struct tp_str tp_path_file(struct tp_str text);

/* Returns the address of the source line of "path(line)" or "path(line): function"; NULL without line or pattern. */
const char *tp_source_link(const struct tp_naming *naming, struct tp_str text);

/* Returns "[[32, 3, 224, 224], [], [64]]" as "32x3x224x224, (), 64" with multiplication signs, other texts
 * unchanged. */
struct tp_str tp_shapes_text(struct tp_arena *arena, struct tp_str shapes);

/* Returns the same for the viewer of slices. context: struct tp_naming. */
struct tp_str tp_viewer_shapes(const void *context, struct tp_str shapes);

/* Returns the short name of a kernel, at most TP_KERNEL_TEXT_BYTES, in the arena or within `name`. A Python call keeps
 * the end of its path. */
struct tp_str tp_kernel_short_name(struct tp_arena *arena, struct tp_str name);

/* Returns the short name of a kernel, treated as by tp_shown_text. */
struct tp_str tp_shown_kernel(const struct tp_naming *naming, struct tp_str name);

/* Returns a cache of tp_shown_kernel results, in `arena` (guard set by the caller). Tables, tree, timeline and findings
 * show the same kernels, whose names have kilobytes. For one naming and one thread. */
struct tp_shown_kernels *tp_shown_kernels_new(struct tp_arena *arena);

/* Returns a name for the viewers of timeline and call tree: kernels by their short names, without private parts.
 * context: struct tp_naming. */
struct tp_str tp_viewer_name(const void *context, struct tp_str name);

/* Returns tp_shown_text, for lists of texts without kernels. */
struct tp_str tp_viewer_text(const void *context, struct tp_str text);

/* Returns tp_shown_kernel, for the name of a kernel. */
struct tp_str tp_viewer_kernel(const void *context, struct tp_str name);

/* Returns lines for the viewer of the timeline, each treated as by tp_shown_text. context: struct tp_naming. */
struct tp_str tp_viewer_lines(const void *context, struct tp_str lines);

/* Returns the "aten::" of "aten::add", or "" without a simple prefix. */
struct tp_str tp_name_prefix(struct tp_str name);

#endif
