/* Classifies the frames of a memory snapshot: Python or C++, user code, torch, and their purpose
 * (docs/definitions.md, section 32). Every distinct frame is classified once. */
#ifndef TP_WEBREPORT_MEASURE_SNAPSHOT_CODE_FRAMES_H
#define TP_WEBREPORT_MEASURE_SNAPSHOT_CODE_FRAMES_H

#include "webreport/trace/snapshot/snapshot.h"

enum tp_code_flag {
    TP_CODE_IGNORED = 1 << 0, /* frame of the interpreter or of the code that captures stacks */
    TP_CODE_PYTHON = 1 << 1,
    TP_CODE_PROJECT = 1 << 2, /* code of the user: Python outside of libraries */
    TP_CODE_TORCH = 1 << 3,
    TP_CODE_PACKAGE = 1 << 4, /* installed package other than torch */
    TP_CODE_FORWARD = 1 << 5, /* function named forward */
    TP_CODE_DISTRIBUTED = 1 << 6,
    TP_CODE_OPTIMIZER = 1 << 7,
    TP_CODE_RECOMPUTE = 1 << 8,    /* recomputation of activation checkpointing */
    TP_CODE_BACKWARD = 1 << 9,     /* Python function that runs the backward pass */
    TP_CODE_DATA = 1 << 10,        /* torch.utils.data */
    TP_CODE_INIT = 1 << 11,        /* torch.nn.init, safetensors */
    TP_CODE_WEIGHTS = 1 << 12,     /* function that makes, loads or moves a model */
    TP_CODE_COLLECTIVE = 1 << 13,  /* C++ frame of a collective */
    TP_CODE_ENGINE = 1 << 14,      /* C++ frame of the autograd engine */
    TP_CODE_EMPTY_CACHE = 1 << 15, /* torch.cuda.empty_cache */
    TP_CODE_LOSS = 1 << 16         /* computation of logits or of the loss */
};

struct tp_code_frame {
    unsigned flags; /* bits of enum tp_code_flag */
    uint32_t shown; /* "file(line): function" for Python, the function for C++; id in tp_code_frames.names */
    struct tp_str file, function;
    uint32_t node;     /* name of the node of torch.fx that the code was traced from, id in names */
    uint32_t original; /* frame of the code that torch.fx traced, a number of a frame; TP_NO_ID if none */
};

struct tp_code_frames {
    const struct tp_snapshot *snapshot;
    struct tp_strings names; /* texts of results */
    uint32_t no_name;        /* id of "" in names */
    struct tp_vec frames; /* elements: struct tp_code_frame; first the frames of the snapshot, then original frames */
};

/* Classifies all frames of a snapshot. */
void tp_code_frames_build(struct tp_code_frames *frames, const struct tp_snapshot *snapshot, struct tp_arena *arena);

static inline const struct tp_code_frame *tp_code_frame(const struct tp_code_frames *frames, uint32_t frame)
{
    return TP_AT(&frames->frames, struct tp_code_frame, frame);
}

#endif
