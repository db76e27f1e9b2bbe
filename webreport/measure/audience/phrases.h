/* Chooses the phrases of page, digest and terminal by the producer of the trace. Users of other programs never read the
 * words of PyTorch. All phrases are static. rule_words.h does the same for the texts of rules. */
#ifndef TP_WEBREPORT_MEASURE_AUDIENCE_PHRASES_H
#define TP_WEBREPORT_MEASURE_AUDIENCE_PHRASES_H

#include "webreport/measure/audience/speech.h"
#include "webreport/measure/audience/wording.h"

/* identifies a phrase of the page, the digest or the terminal */
enum tp_phrase {
    TP_PHRASE_STEP_MARKER,    /* name of the marker of steps; NULL: use PyTorch's name */
    TP_PHRASE_MARK_STEPS,     /* advice: how the user marks steps */
    TP_PHRASE_RECORD_DEVICE,  /* advice: how the user records the device's work; NULL: no advice is needed */
    TP_PHRASE_RECORD_MEMORY,  /* advice: how the user records memory */
    TP_PHRASE_NO_MEMORY,      /* reason why the memory view is missing */
    TP_PHRASE_RECORD_MODULES, /* advice: how the user records modules */
    TP_PHRASE_INPUT,          /* title of the time in which the program waits for input */
    TP_PHRASE_INPUT_SHARE,    /* tooltip: the share of input in the steps */
    TP_PHRASE_INPUT_MEAN,     /* tooltip: mean input time per step */
    TP_PHRASE_LOADING,        /* start of a headline about input, such as "Loading input data" */
    TP_PHRASE_CALLS,          /* title of the time in runtime calls and waits */
    TP_PHRASE_HOST_WORK,      /* title of the host's work in a trace without a device */
    TP_PHRASE_HOST_SHARE,     /* title of the figure with the host's share */
    TP_PHRASE_FRAME,          /* word for a frame of a stack, such as "Python frame" */
    TP_PHRASE_CALLER,         /* word for the callers of operators in the call tree */
    TP_PHRASE_STACKS,         /* title of the list of an operator's stacks */
    TP_PHRASE_FRAMES_LEFT_OUT,
    /* sentence: categories in their order; at each time of a step, the first active category gets the time */
    TP_PHRASE_CATEGORIES,
    TP_PHRASE_LATE_HOST,  /* advice for ranks with a slow host */
    TP_PHRASE_SLOW_INPUT, /* advice for ranks with slow input */
    TP_PHRASE_IN_INPUT,   /* tooltip: time that a rank spends in input */
    TP_PHRASE_IN_INPUT_MEDIAN,
    TP_PHRASE_COUNT
};

/* Returns a phrase of the producer. Returns NULL only for the phrases whose comment above allows NULL. */
const char *tp_phrase(enum tp_phrase phrase, enum tp_producer producer);

/* Returns the words that texts use for operators and devices of a trace. */
struct tp_speech tp_speech_of_model(const struct tp_model *model);

/* Returns a text with the words for a trace (tp_speech_text). */
const char *tp_words_for_trace(const struct tp_model *model, const char *text, struct tp_arena *arena);

/* Returns the number of different operators as text in `arena`, such as "3 operators". For other producers than
 * PyTorch, the text has the form "3 names". */
const char *tp_operator_count_text(enum tp_producer producer, size_t count, struct tp_arena *arena);

/* Returns whether texts can mention GPUs and launches: true if the trace is from PyTorch, or has a device that the
 * program did not register itself. */
bool tp_mentions_launches(const struct tp_model *model);

#endif
