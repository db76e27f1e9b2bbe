/* Whole stacks of a sample's registers and the part of its stack that the kernel copied, by the call frame information
 * that compilers leave for exceptions, so no frame pointers are needed. One thread. */
#ifndef TP_COLLECTOR_OUTSIDE_STACKS_WHOLE_STACKS_H
#define TP_COLLECTOR_OUTSIDE_STACKS_WHOLE_STACKS_H

#include "collector/outside/code/code_maps.h"
#include "writer/spool/libdw.h"

struct tp_whole_walk;

struct tp_whole_stacks {
    struct tp_whole_walk *walk; /* the one of the moment */
    Dwfl *session;       /* NULL: not begun, or not possible */
    uint32_t file_count; /* files of places that the session has been told of */
    bool was_tried;
    uint64_t cut_count; /* stacks that go on behind what was copied */
};

/* Closes the files; also after the arena's guard was taken. Accepts a zeroed struct. */
void tp_whole_stacks_release(struct tp_whole_stacks *stacks);

/* The node of the program's part of a sample with a dump; 0: it has none, or it cannot be followed as far as its chain
 * goes. *is_cut: the stack goes on. The nodes are the arena's of places, whose guard the caller sets. */
uint32_t tp_whole_stack(struct tp_whole_stacks *stacks, const struct tp_code_maps *maps,
                        struct tp_code_places *places, const struct tp_perf_record *sample, bool *is_cut);

#endif
