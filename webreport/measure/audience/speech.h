/* Puts the words of a producer into texts: the words for operators, ranges and devices. */
#ifndef TP_WEBREPORT_MEASURE_AUDIENCE_SPEECH_H
#define TP_WEBREPORT_MEASURE_AUDIENCE_SPEECH_H

#include <stdbool.h>

#include "webreport/model/producer_kind.h"
#include "writer/base/arena.h"

/* Words that texts use for operators and devices. A zeroed struct means PyTorch's words and "GPU". */
struct tp_speech {
    enum tp_producer producer;
    bool
        has_only_registered_devices; /* true if the program itself registered all devices, so that no device is a GPU */
    bool mentions_no_device; /* true if the trace has no device and is not from PyTorch; texts then mention no device */
    const char *devices;     /* word for the devices (tp_devices_word), static; NULL means "GPU" */
};

/* Returns the words for texts about two traces. The words for operators are from the first trace; the words for devices
 * describe the devices of both traces. */
struct tp_speech tp_speech_for_two_traces(struct tp_speech first, struct tp_speech second);

/* Returns a text with the words of `speech`. The text has words in braces: "{operator}" becomes operator or call,
 * "{annotation}" becomes annotation or range, and "{GPU}" becomes the word for the devices. speech.c has the list of
 * words. Other braces stay. Returns `text` itself, a copy in `arena`, or NULL if `text` is NULL. */
const char *tp_speech_text(struct tp_speech speech, const char *text, struct tp_arena *arena);

#endif
