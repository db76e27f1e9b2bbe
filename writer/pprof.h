/* Builds a profile for pprof: samples of stacks, each with the same values in the same order, and labels.
 *
 *     struct tp_pprof *pprof = tp_pprof_new(arena, TP_STR("sort"));
 *     tp_pprof_add_type(pprof, "cpu", "nanoseconds");
 *     uint64_t frame = tp_pprof_add_location(pprof, TP_STR("main"), TP_STR("sort.c"), 12);
 *     tp_pprof_sample(pprof, &(struct tp_pprof_sample){&frame, 1, (int64_t[]){5}, NULL, 0});
 *     struct tp_str file = tp_pprof_finish(pprof, &(struct tp_pprof_times){.begin_ns = 0});
 *
 * All memory is in the given arena, whose guard the caller has set. Texts are valid UTF-8 and borrowed until
 * tp_pprof_finish. Only one thread may use a profile. */
#ifndef TP_WRITER_PPROF_H
#define TP_WRITER_PPROF_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

struct tp_pprof;

struct tp_pprof_label {
    const char *key;    /* name of the label, such as "pid"; borrowed */
    struct tp_str text; /* value of the label; ptr NULL: `number` is the value */
    int64_t number;
};

struct tp_pprof_sample {
    const uint64_t *locations; /* code positions from tp_pprof_add_location, innermost first */
    size_t depth;
    const int64_t *values; /* one value for each type, in the order of the types */
    const struct tp_pprof_label *labels;
    size_t label_count;
};

struct tp_pprof_times {
    /* begin_ns: start of the profile, ns since the epoch, 0: unknown; length_ns: its length, ns */
    int64_t begin_ns, length_ns;
    int64_t period_ns; /* period of the samples, in the unit of the first type (ns) */
};

/* Creates a profile. program: file name of the program, to which all code positions belong. */
struct tp_pprof *tp_pprof_new(struct tp_arena *arena, struct tp_str program);

/* Adds a type of value. Call this function before the first sample. pprof shows the last type with is_default first. */
void tp_pprof_add_type(struct tp_pprof *pprof, const char *type, const char *unit, bool is_default);

/* Returns the number of a code position. Equal positions have the same number. line: 0 if unknown. */
uint64_t tp_pprof_add_location(struct tp_pprof *pprof, struct tp_str function, struct tp_str file, int64_t line);

void tp_pprof_sample(struct tp_pprof *pprof, const struct tp_pprof_sample *sample);

/* Returns the complete file as bytes: one gzip member in the arena. */
struct tp_str tp_pprof_finish(struct tp_pprof *pprof, const struct tp_pprof_times *times);

#endif
