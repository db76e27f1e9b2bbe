/* Prepares names of a trace for display: cuts them, hides private parts on request, and links them to source code.
 *
 * Results are in the given arena or borrow the text. Nothing is escaped here; templates do that. */
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
    struct tp_shown_kernels *kernels; /* cache from tp_shown_kernels_new, in `arena`; NULL: no cache */
    bool redact;                      /* hide path prefixes and the host's name */
    const char *source_url;           /* such as "https://host/repo/blob/REV/{path}#L{line}"; NULL for no links */
    struct tp_str host;               /* host name to hide, or "" */
};

/* Checks that a pattern has a known scheme and contains {path}. Returns 0 or TP_EUSAGE. pattern may be NULL. */
int tp_source_url_check(const char *pattern, struct tp_error *err);

/* Returns the text without private parts (if redact), cut to TP_MAX_SHOWN_NAME_BYTES with an ellipsis. A place in the
 * source is cut at its start. */
struct tp_str tp_shown_text(const struct tp_naming *naming, struct tp_str text);

/* Cuts `text` to at most `max_bytes` at the border of a character, with an ellipsis. */
struct tp_str tp_text_cut(struct tp_arena *arena, struct tp_str text, size_t max_bytes);

/* Returns "path(line): function" without folders, such as "train.py(42): step"; other texts are unchanged. Borrows the
 * text. */
struct tp_str tp_path_file(struct tp_str text);

/* Returns the address of the source line of "path(line)" or "path(line): function"; NULL if there is no line or no
 * pattern. */
const char *tp_source_link(const struct tp_naming *naming, struct tp_str text);

/* Returns "[[32, 3, 224, 224], [], [64]]" as "32x3x224x224, (), 64" with multiplication signs; other texts are
 * unchanged. */
struct tp_str tp_shapes_text(struct tp_arena *arena, struct tp_str shapes);

/* Returns tp_shapes_text for the viewer of slices. context: struct tp_naming. */
struct tp_str tp_viewer_shapes(const void *context, struct tp_str shapes);

/* Returns the short name of a kernel, at most TP_KERNEL_TEXT_BYTES, in the arena or within `name`. A Python call keeps
 * the end of its path. */
struct tp_str tp_kernel_short_name(struct tp_arena *arena, struct tp_str name);

/* Returns the short name of a kernel, without private parts and cut as by tp_shown_text. */
struct tp_str tp_shown_kernel(const struct tp_naming *naming, struct tp_str name);

/* Returns a cache of results of tp_shown_kernel, in `arena` (guard set by the caller), for one naming and one thread.
 * It is useful because tables, tree, timeline and findings show the same kernels, whose full names have kilobytes. */
struct tp_shown_kernels *tp_shown_kernels_new(struct tp_arena *arena);

/* Returns a name for the viewers of timeline and call tree, without private parts. Kernels have their short names.
 * context: struct tp_naming. */
struct tp_str tp_viewer_name(const void *context, struct tp_str name);

/* Returns tp_shown_text for lists of texts without kernels. context: struct tp_naming. */
struct tp_str tp_viewer_text(const void *context, struct tp_str text);

/* Returns tp_shown_kernel for the name of a kernel. context: struct tp_naming. */
struct tp_str tp_viewer_kernel(const void *context, struct tp_str name);

/* Returns lines for the viewer of the timeline, each changed as by tp_shown_text. context: struct tp_naming. */
struct tp_str tp_viewer_lines(const void *context, struct tp_str lines);

/* Returns the prefix of an operator, such as the "aten::" of "aten::add"; "" without a simple prefix. */
struct tp_str tp_name_prefix(struct tp_str name);

#endif
