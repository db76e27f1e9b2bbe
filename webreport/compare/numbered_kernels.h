/* Pairs kernels that a compiler numbers, such as Inductor's triton_poi_fused_add_6 and cpp_fused_relu_2, and Triton's
 * kernel_0d1d2d (docs/definitions.md, section 22).
 *
 * The number is the position of the kernel in a list. The number changes when an earlier kernel is added or removed.
 * Two runs are therefore compared by names without numbers. Of the kernels with the same name, those with equal hashes
 * of their code are paired first, then those with equal shapes, then the others; each in the order of first calls. */
#ifndef TP_WEBREPORT_COMPARE_NUMBERED_KERNELS_H
#define TP_WEBREPORT_COMPARE_NUMBERED_KERNELS_H

#include "webreport/compare/sides.h"

/* Returns the length of a name without the compiler's number; name.len if there is no number. *number: the number,
 * or 0. */
size_t tp_numbered_stem_length(struct tp_str name, uint32_t *number);

/* Names that the numbered kernels of a run get. */
struct tp_numbered_names {
    struct tp_strings from;
    struct tp_str *to; /* for each id in `from`: name in the newest run of NEW */
};

/* The new names of all runs. */
struct tp_numbered_runs {
    /* for each side and run: the names; NULL if the run keeps its names. NULL if all runs of the side keep them */
    const struct tp_numbered_names **runs[TP_SIDES];
};

/* Returns the name that a kernel of a run gets. names: names of the run, or NULL. */
struct tp_str tp_numbered_new_name(const struct tp_numbered_names *names, struct tp_str name);

/* Copies the sides to `out`, with the names that numbered kernels have in the newest run of NEW, in rows and
 * signatures. A kernel that this run lacks gets the suffix " (before)" if the run uses its name for another kernel.
 * Runs without numbered names are not copied; `out` refers to them. renamed: receives the new names; may be NULL.
 * Allocates from `arena`, whose guard the caller sets. */
void tp_numbered_make_names_equal(struct tp_side_input out[TP_SIDES], const struct tp_side_input in[TP_SIDES],
                                  struct tp_numbered_runs *renamed, struct tp_arena *arena);

/* Source lines of the generated kernels of a run. */
struct tp_numbered_lines {
    struct tp_strings names;
    struct tp_str *lines; /* for each id in `names`: line of the kernel; "" if unknown */
};

/* Collects the lines of the newest run of a side. */
void tp_numbered_lines_build(struct tp_numbered_lines *lines, const struct tp_side_input *side, struct tp_arena *arena);

/* Returns the source line of a generated kernel; "" if it is unknown. */
struct tp_str tp_numbered_line(const struct tp_numbered_lines *lines, struct tp_str name);

#endif
