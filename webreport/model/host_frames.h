/* What the advice shows of a host event: its frame name, and the project line of a Python frame (advice-definitions
 * D4).
 *
 * Both depend on the name only, so they are computed once per distinct name and numbered; equal texts have one id. */
#ifndef TP_WEBREPORT_MODEL_HOST_FRAMES_H
#define TP_WEBREPORT_MODEL_HOST_FRAMES_H

#include "webreport/trace/trace.h"

/* Kinds of frames, in the order of their texts. */
enum tp_frame_kind {
    TP_FRAME_OPERATOR,   /* cpu_op */
    TP_FRAME_NONE,       /* none: [no host event] */
    TP_FRAME_PYTHON,     /* python_function */
    TP_FRAME_RUNTIME,    /* runtime */
    TP_FRAME_ANNOTATION, /* user_annotation */
    TP_FRAME_KIND_COUNT
};

struct tp_host_frames {
    const struct tp_trace *trace;
    struct tp_strings frames, lines;
    uint32_t *frame_of_name, *line_of_name; /* by name id; computed when first asked for */
    uint32_t no_event;                      /* frame id of "[no host event]" */
};

void tp_host_frames_init(struct tp_host_frames *frames, const struct tp_trace *trace, struct tp_arena *arena);

/* Frame id of a name: `ProfilerStep#7` is `ProfilerStep*`, every `0x7f..` is `0x*`. */
uint32_t tp_host_frames_frame(struct tp_host_frames *frames, uint32_t name);

/* Line id of a Python frame's name ("model.py(12): forward"), TP_NO_ID for library frames and other names. */
uint32_t tp_host_frames_line(struct tp_host_frames *frames, uint32_t name);

/* Frame kind of a host role. */
enum tp_frame_kind tp_frame_kind_of(enum tp_kind role);

/* "cpu_op", "none", "python_function", "runtime", "user_annotation". Static. */
const char *tp_frame_kind_text(enum tp_frame_kind kind);

#endif
