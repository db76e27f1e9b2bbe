/* Walks the stack of a sample from its registers and the copied part of the stack. The walk uses call frame
 * information, which compilers write for exceptions, so it needs no frame pointers. Only one thread may use this
 * module. */
#ifndef TP_COLLECTOR_OUTSIDE_STACKS_COMPLETE_STACKS_H
#define TP_COLLECTOR_OUTSIDE_STACKS_COMPLETE_STACKS_H

#include "collector/outside/code/code_maps.h"
#include "writer/spool/libdw.h"

struct tp_complete_walk;

struct tp_complete_stacks {
    struct tp_complete_walk *walk; /* state of the current walk */
    Dwfl *session;                 /* session of libdw; NULL: not started, or libdw is not available */
    uint32_t file_count;           /* count of files in `places` that were reported to the session */
    bool was_tried;
    uint64_t cut_count; /* count of stacks that are longer than the copy */
};

/* Closes the files, also after the arena was released. Accepts a zeroed struct. */
void tp_complete_stacks_release(struct tp_complete_stacks *stacks);

/* Returns the stack node of the program's frames in a sample with a copy of the stack. Returns 0 if the sample has no
 * copy, or if the walk finds fewer frames than the sample's call chain. Sets *is_cut if the stack is longer than the
 * copy. The nodes are in the arena of `places`, whose guard the caller sets. */
uint32_t tp_complete_stack_of_sample(struct tp_complete_stacks *stacks, const struct tp_code_maps *maps,
                                     struct tp_code_places *places, const struct tp_perf_record *sample, bool *is_cut);

#endif
