/* Phrases of page, digest and terminal by the program's producer: nobody reads advice in the words of a framework that
 * the program does not use. All texts are static. The texts of rules are in rule_words.h. */
#ifndef TP_WEBREPORT_MEASURE_AUDIENCE_WORDING_H
#define TP_WEBREPORT_MEASURE_AUDIENCE_WORDING_H

#include "webreport/model/facts.h"

/* Phrases of page, digest and terminal. */
enum tp_phrase {
    TP_PHRASE_STEP_MARKER,    /* what marks them, where that is not what the trace has; NULL: the same */
    TP_PHRASE_MARK_STEPS,     /* how a program says where its steps are */
    TP_PHRASE_RECORD_DEVICE,  /* how the device's work is recorded; NULL: that there is none is no news */
    TP_PHRASE_RECORD_MEMORY,  /* how memory is recorded */
    TP_PHRASE_NO_MEMORY,      /* why there is no picture of it */
    TP_PHRASE_RECORD_MODULES, /* how modules are recorded */
    TP_PHRASE_INPUT,          /* title of time in which the program waits for input */
    TP_PHRASE_INPUT_SHARE,    /* what its share of the steps means */
    TP_PHRASE_INPUT_MEAN,     /* what its mean over the steps is */
    TP_PHRASE_LOADING,        /* "Loading input data" takes so much: a headline's beginning */
    TP_PHRASE_CALLS,          /* title of time in calls of the runtime and in waits */
    TP_PHRASE_HOST_WORK,      /* title of the host's work where there is no device */
    TP_PHRASE_HOST_SHARE,     /* of the figure with its share */
    TP_PHRASE_FRAME,          /* what a frame of a stack is called */
    TP_PHRASE_CALLER,         /* what stands around operators in a call tree */
    TP_PHRASE_STACKS,         /* title of the stacks of an operator */
    TP_PHRASE_FRAMES_LEFT_OUT,
    TP_PHRASE_CATEGORIES, /* the order in which a step's time is given away */
    TP_PHRASE_LATE_HOST,  /* advice on a host that is late */
    TP_PHRASE_SLOW_INPUT, /* advice on slow input of one rank */
    TP_PHRASE_IN_INPUT,   /* what the time in input is */
    TP_PHRASE_IN_INPUT_MEDIAN,
    TP_PHRASE_COUNT
};

/* NULL only where that is said above. */
const char *tp_phrase(enum tp_phrase phrase, enum tp_producer producer);

/* "torch", "tracepress", "mpi", "other": for machines. Static. */
const char *tp_producer_text(enum tp_producer producer);

/* Does the program use PyTorch, so that its words may be used? */
static inline bool tp_speaks_torch(enum tp_producer producer)
{
    return producer == TP_PRODUCER_TORCH;
}

/* Is it one that the program made known itself? */
bool tp_is_own_device(const struct tp_model *model, int64_t id);

/* Are all of them of that kind? False without a device. */
bool tp_has_only_own_devices(const struct tp_model *model);

/* Title of a device: its name if it has one, else its word and number ("NPU 0"). In `arena` or the trace. */
struct tp_str tp_device_title(const struct tp_model *model, int64_t id, struct tp_arena *arena);

/* The text with the word of tp_devices_word instead of "GPU". In `arena`, or the text itself. */
const char *tp_text_of_devices(const struct tp_model *model, const char *text, struct tp_arena *arena);

/* In whose words a text is: of a zeroed one in PyTorch's, about GPUs. */
struct tp_speech {
    enum tp_producer producer;
    bool has_only_own;   /* devices of the program's own, no GPU */
    bool has_none;       /* no device at all, and it is not PyTorch's: nothing is said of any */
    const char *devices; /* word for the devices (tp_devices_word), static; NULL: "GPU" */
};

struct tp_speech tp_speech_of(const struct tp_model *model);
/* Of two traces: in the words of the first, about the devices of both. */
struct tp_speech tp_speech_joined(struct tp_speech first, struct tp_speech second);

/* A text of ours (no name of the trace in it) as written for PyTorch, in the words of others: what PyTorch calls
 * operators are calls, its annotations are ranges, and devices as in tp_text_of_devices. In `arena`, or the text
 * itself; NULL: NULL. */
const char *tp_spoken(struct tp_speech speech, const char *text, struct tp_arena *arena);

/* How many different operators: "3 operators"; to others "3 names". In `arena`. */
const char *tp_text_of_operators(enum tp_producer producer, size_t count, struct tp_arena *arena);

/* Is something to be said of GPUs: has the trace one that work is launched on, or is it PyTorch's? */
bool tp_speaks_of_launches(const struct tp_model *model);

/* Word for the devices of the trace: "GPU", "NPU" ..; "Device" for devices of the program's own, and where the words
 * differ. Static. */
const char *tp_devices_word(const struct tp_model *model);

#endif
