/* Builds a profile of pprof: samples of stacks, each with the same values in the same order, and labels.
 *
 *     struct tp_pprof *pprof = tp_pprof_new(arena, TP_STR("sort"));
 *     tp_pprof_type(pprof, "cpu", "nanoseconds");
 *     uint64_t frame = tp_pprof_location(pprof, TP_STR("main"), TP_STR("sort.c"), 12);
 *     tp_pprof_sample(pprof, &(struct tp_pprof_sample){&frame, 1, (int64_t[]){5}, NULL, 0});
 *     struct tp_str file = tp_pprof_finish(pprof, &(struct tp_pprof_times){.begin_ns = 0});
 *
 * Everything lives in the arena given, whose guard the caller has set. Texts are valid UTF-8, and are borrowed until
 * tp_pprof_finish. One thread. */
#ifndef TP_WRITER_PPROF_H
#define TP_WRITER_PPROF_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

struct tp_pprof;

struct tp_pprof_label {
    const char *key;    /* "pid": borrowed */
    struct tp_str text; /* ptr NULL: it is a number */
    int64_t number;
};

struct tp_pprof_sample {
    const uint64_t *locations; /* innermost first */
    size_t depth;
    const int64_t *values; /* one for each type */
    const struct tp_pprof_label *labels;
    size_t label_count;
};

struct tp_pprof_times {
    int64_t begin_ns, length_ns; /* begin: Unix time; 0: not known */
    int64_t period_ns;           /* of the first type that is in nanoseconds */
};

/* program: what all locations are said to be of. */
struct tp_pprof *tp_pprof_new(struct tp_arena *arena, struct tp_str program);

/* Adds a type of value; before the first sample. The last one that is_default is shown first. */
void tp_pprof_type(struct tp_pprof *pprof, const char *type, const char *unit, bool is_default);

/* The number of a place in code, the same for equal ones. line: 0: not known. */
uint64_t tp_pprof_location(struct tp_pprof *pprof, struct tp_str function, struct tp_str file, int64_t line);

void tp_pprof_sample(struct tp_pprof *pprof, const struct tp_pprof_sample *sample);

/* The bytes of the file, one gzip member, in the arena. */
struct tp_str tp_pprof_finish(struct tp_pprof *pprof, const struct tp_pprof_times *times);

#endif
