/* Prepares names of a trace for display: shortens them, hides private parts on request, and links them to source code.
 *
 * Returned texts are in the given arena or borrow the argument. The functions do not escape texts; templates do. */
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
    struct tp_shown_kernels *kernels; /* cache made by tp_shown_kernels_new, in `arena`; NULL: no cache */
    bool redact;                      /* true: path prefixes and the host's name are hidden */
    const char *source_url; /* pattern such as "https://host/repo/blob/REV/{path}#L{line}"; NULL for no links */
    struct tp_str host;     /* host name to hide, or "" */
};

/* Checks that a pattern for source links has a known scheme and contains {path}. pattern may be NULL. Returns 0 or
 * TP_EUSAGE. */
int tp_source_url_check(const char *pattern, struct tp_error *err);

/* Returns the text, cut to TP_MAX_SHOWN_NAME_BYTES with an ellipsis, and without private parts if `redact` is set.
 * "path(line): function" loses leading folders, other texts lose their end. */
struct tp_str tp_shown_text(const struct tp_naming *naming, struct tp_str text);

/* Cuts `text` to at most `max_bytes` between two characters, and adds an ellipsis. */
struct tp_str tp_text_shorten(struct tp_arena *arena, struct tp_str text, size_t max_bytes);

/* Returns the names of the first and the last of some steps, such as "3–9", or one name if they are equal. Returns NULL
 * if the names are long. */
const char *tp_step_range_text(struct tp_arena *arena, struct tp_str first, struct tp_str last);

/* Removes the folders from "path(line): function", as in "train.py(42): step". Returns other texts unchanged. The
 * result borrows the text. */
struct tp_str tp_path_last_part(struct tp_str text);

/* Works like tp_path_last_part, but keeps the folders of a library's line, because they show whose line it is. */
struct tp_str tp_line_last_part(struct tp_str text);

/* Returns the URL of the source line in "path(line)" or "path(line): function"; NULL if the text has no line or
 * `naming` has no pattern. */
const char *tp_source_link(const struct tp_naming *naming, struct tp_str text);

/* Returns "[[32, 3, 224, 224], [], [64]]" as "32x3x224x224, (), 64", with multiplication signs. Returns other texts
 * unchanged. */
struct tp_str tp_shapes_text(struct tp_arena *arena, struct tp_str shapes);

/* tp_shapes_text as a callback of the viewer of slices. context: struct tp_naming. */
struct tp_str tp_shown_shapes_for_viewer(const void *context, struct tp_str shapes);

/* Returns the short name of a kernel, at most TP_KERNEL_TEXT_BYTES bytes. A Python call loses the start of its path
 * instead. The text is in the arena or part of `name`. */
struct tp_str tp_kernel_short_name(struct tp_arena *arena, struct tp_str name);

/* Returns the short name of a kernel without private parts, cut to the length that tp_shown_text allows. */
struct tp_str tp_shown_kernel_name(const struct tp_naming *naming, struct tp_str name);

/* Returns the demangled name of a kernel, with its private parts; the name of a Python call stays. */
struct tp_str tp_plain_kernel_name(const struct tp_naming *naming, struct tp_str name);

/* Returns a cache for results of tp_shown_kernel_name, in `arena`, whose guard the caller has set. The cache is for one
 * struct tp_naming and one thread. It saves time because tables, tree, timeline and findings show the same kernels,
 * whose full names can have kilobytes. */
struct tp_shown_kernels *tp_shown_kernels_new(struct tp_arena *arena);

/* Replaces the displayed name of a kernel that tp_shown_kernel_name has shown before. */
void tp_shown_kernels_set(struct tp_shown_kernels *kernels, struct tp_str name, struct tp_str shown);

/* tp_shown_text as a callback, for texts that are no names of kernels. context: struct tp_naming. */
struct tp_str tp_shown_text_for_viewer(const void *context, struct tp_str text);

/* tp_shown_kernel_name as a callback. context: struct tp_naming. */
struct tp_str tp_shown_kernel_for_viewer(const void *context, struct tp_str name);

/* Callback of the viewer of the timeline. Applies tp_shown_text to each line of `lines`. context: struct tp_naming. */
struct tp_str tp_shown_lines_for_viewer(const void *context, struct tp_str lines);

/* Returns the namespace of an operator's name, such as "aten::" of "aten::add"; "" without a simple namespace. */
struct tp_str tp_name_kind_prefix(struct tp_str name);

#endif
