/* Chooses the phrases of page, digest and terminal by the program's producer, so that advice never uses the words of a
 * framework that the program does not use. All texts are static. The texts of rules are in rule_words.h. */
#ifndef TP_WEBREPORT_MEASURE_AUDIENCE_PHRASES_H
#define TP_WEBREPORT_MEASURE_AUDIENCE_PHRASES_H

#include "webreport/measure/audience/wording.h"

/* Phrases of page, digest and terminal. */
enum tp_phrase {
    TP_PHRASE_STEP_MARKER,    /* what marks the steps, if it is not what the trace has; NULL: the same */
    TP_PHRASE_MARK_STEPS,     /* how a program marks its steps */
    TP_PHRASE_RECORD_DEVICE,  /* how to record the device's work; NULL: a missing device needs no hint */
    TP_PHRASE_RECORD_MEMORY,  /* how to record memory */
    TP_PHRASE_NO_MEMORY,      /* why there is no memory view */
    TP_PHRASE_RECORD_MODULES, /* how to record modules */
    TP_PHRASE_INPUT,          /* title of the time in which the program waits for input */
    TP_PHRASE_INPUT_SHARE,    /* meaning of the share of input in the steps */
    TP_PHRASE_INPUT_MEAN,     /* meaning of the mean of input over the steps */
    TP_PHRASE_LOADING,        /* start of a headline: "Loading input data" takes so much */
    TP_PHRASE_CALLS,          /* title of the time in calls of the runtime and in waits */
    TP_PHRASE_HOST_WORK,      /* title of the host's work without a device */
    TP_PHRASE_HOST_SHARE,     /* title of the figure with the host's share */
    TP_PHRASE_FRAME,          /* name of a frame of a stack */
    TP_PHRASE_CALLER,         /* name of the callers of operators in a call tree */
    TP_PHRASE_STACKS,         /* title of the stacks of an operator */
    TP_PHRASE_FRAMES_LEFT_OUT,
    TP_PHRASE_CATEGORIES, /* the priority of categories that share a step's time */
    TP_PHRASE_LATE_HOST,  /* advice on a late host */
    TP_PHRASE_SLOW_INPUT, /* advice on slow input of one rank */
    TP_PHRASE_IN_INPUT,   /* meaning of the time in input */
    TP_PHRASE_IN_INPUT_MEDIAN,
    TP_PHRASE_COUNT
};

/* Returns a phrase; NULL only for the phrases above that allow it. */
const char *tp_phrase(enum tp_phrase phrase, enum tp_producer producer);

/* Returns the text with the word of tp_devices_word instead of "GPU". In `arena`, or the text itself. */
const char *tp_text_of_devices(const struct tp_model *model, const char *text, struct tp_arena *arena);

/* The words that texts use. A zeroed struct: PyTorch's words, about GPUs. */
struct tp_speech {
    enum tp_producer producer;
    bool has_only_own;   /* all devices are the program's own, no GPU */
    bool has_none;       /* no device, and not PyTorch: texts mention no device */
    const char *devices; /* word for the devices (tp_devices_word), static; NULL: "GPU" */
};

struct tp_speech tp_speech_of(const struct tp_model *model);
/* Returns the words for texts about two traces: the words of the first, and the devices of both. */
struct tp_speech tp_speech_joined(struct tp_speech first, struct tp_speech second);

/* Returns a text of tracepress (without names from the trace), written for PyTorch, in the words of `speech`: operators
 * become calls, annotations become ranges, and devices are named as in tp_text_of_devices. In `arena`, or the text
 * itself; NULL: NULL. */
const char *tp_spoken(struct tp_speech speech, const char *text, struct tp_arena *arena);

/* Returns the number of different operators as text: "3 operators"; without PyTorch "3 names". In `arena`. */
const char *tp_text_of_operators(enum tp_producer producer, size_t count, struct tp_arena *arena);

/* Returns whether texts should mention GPUs: the trace has a device that work is launched on, or is from PyTorch. */
bool tp_speaks_of_launches(const struct tp_model *model);

#endif
