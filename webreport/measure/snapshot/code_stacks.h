/* Names the code of each call stack of a memory snapshot: the line of the user, the call site, the module, and the
 * phase of training in which the stack ran (docs/definitions.md, section 32). A stack is described when it is first
 * needed. */
#ifndef TP_WEBREPORT_MEASURE_SNAPSHOT_CODE_STACKS_H
#define TP_WEBREPORT_MEASURE_SNAPSHOT_CODE_STACKS_H

#include "webreport/measure/snapshot/code_frames.h"

/* Phases of training, as far as the frames of a stack show them. */
enum tp_code_phase {
    TP_PHASE_NONE, /* the stack is empty */
    TP_PHASE_COMMUNICATION,
    TP_PHASE_OPTIMIZER,
    TP_PHASE_RECOMPUTE,
    TP_PHASE_BACKWARD,
    TP_PHASE_INPUTS,
    TP_PHASE_WEIGHTS,
    TP_PHASE_FORWARD,
    TP_PHASE_OTHER,
    TP_PHASE_NO_PYTHON
};

/* The code of a stack. Texts are ids in tp_code_frames.names; the id of "" if unknown. */
struct tp_code_stack {
    bool is_known;
    uint8_t phase;        /* enum tp_code_phase */
    bool has_empty_cache; /* the stack is inside of torch.cuda.empty_cache */
    bool has_loss;        /* a Python frame computes logits or the loss */
    uint32_t line;        /* innermost line of the user */
    uint32_t site;        /* innermost line of the user or of a package other than torch */
    uint32_t module;      /* forward functions of the user, outermost first */
    uint32_t layer;       /* second part of the module, or the first one, or the line */
    uint32_t node;        /* node of torch.fx */
    uint32_t place;       /* "folder/file: function" of the line; equals across versions of a file */
    uint32_t path;        /* number of the path of shown frames, for tp_code_stacks_path */
};

/* Scratch memory for the description of one stack. */
struct tp_code_view {
    struct tp_vec python, cpp; /* numbers of frames, innermost first; elements: uint32_t */
    struct tp_vec text;        /* elements: char */
};

struct tp_code_stacks {
    struct tp_arena *arena;
    struct tp_code_view view;
    struct tp_code_frames frames;
    struct tp_code_stack *items; /* by stack id */
    struct tp_keys paths;        /* pairs (parent path, shown frame); path number = 1 + number of the pair; 0: empty */
    struct tp_str *path_texts;   /* texts of paths that were requested; ptr NULL for others */
    uint32_t path_text_count;
};

void tp_code_stacks_build(struct tp_code_stacks *stacks, const struct tp_snapshot *snapshot, struct tp_arena *arena);

/* Returns the code of a stack. */
const struct tp_code_stack *tp_code_stack(struct tp_code_stacks *stacks, uint32_t stack);

/* Returns the line of the user, or the call site if the stack has no such line. id in names */
uint32_t tp_code_line_or_site(struct tp_code_stacks *stacks, uint32_t stack);

/* Compares the texts of two paths, without making these texts. Returns a negative number, 0 or a positive number. */
int tp_code_stacks_compare_paths(struct tp_code_stacks *stacks, uint32_t a, uint32_t b);

/* Returns the frames of a path, outermost first, separated by ";". A very long text is cut. */
struct tp_str tp_code_stacks_path(struct tp_code_stacks *stacks, uint32_t path);

static inline struct tp_str tp_code_name(const struct tp_code_stacks *stacks, uint32_t name)
{
    return tp_strings_get(&stacks->frames.names, name);
}

#endif
