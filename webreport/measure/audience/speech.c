/* Implements speech.h. */
#include "webreport/measure/audience/speech.h"

#include <string.h>

#include "writer/base/buf.h"
#include "writer/base/str.h"

struct tp_speech tp_speech_for_two_traces(struct tp_speech first, struct tp_speech second)
{
    bool has_gpu = !first.mentions_no_device && !first.has_only_registered_devices;
    has_gpu |= !second.mentions_no_device && !second.has_only_registered_devices;
    const char *x = first.devices ? first.devices : "GPU", *y = second.devices ? second.devices : "GPU";
    const char *word = first.mentions_no_device ? y : second.mentions_no_device || strcmp(x, y) == 0 ? x : "Device";
    return (struct tp_speech){first.producer,
                              !has_gpu && (first.has_only_registered_devices || second.has_only_registered_devices),
                              first.mentions_no_device && second.mentions_no_device, word};
}

/* words that texts write in braces, and the words for a program that does not use PyTorch */
static const struct spoken_word {
    const char *torch, *others;
} spoken_words[] = {
    {"operator", "call"},
    {"operators", "calls"},
    {"Operator", "Call"},
    {"Operators", "Calls"},
    {"an operator", "a call"},
    {"An operator", "A call"},
    {"Operators called", "Calls made"},
    {"Calls of operators", "Calls"},
    {"calls of the operator", "calls of that name"},
    {"operator calls", "calls"},
    {"operator time", "the time in calls"},
    {"annotation", "range"},
    {"annotations", "ranges"},
    {"an annotation", "a range"},
    {"An annotation", "A range"},
};

/* Returns the word for the devices. Inside of a text, "Device" is in lower case. */
static const char *device_word(struct tp_speech speech, bool is_first)
{
    const char *word = speech.devices ? speech.devices : "GPU";
    return !is_first && strcmp(word, "Device") == 0 ? "device" : word;
}

/* Returns the word for a key in braces, or NULL if the key is unknown. */
static const char *spoken_word(struct tp_speech speech, struct tp_str key, bool is_first)
{
    if (tp_str_equal(key, TP_STR("GPU")))
        return device_word(speech, is_first);
    for (size_t i = 0; i < sizeof spoken_words / sizeof *spoken_words; i++)
        if (tp_str_equal(key, tp_str_of(spoken_words[i].torch)))
            return tp_uses_torch_words(speech.producer) ? spoken_words[i].torch : spoken_words[i].others;
    return NULL;
}

const char *tp_speech_text(struct tp_speech speech, const char *text, struct tp_arena *arena)
{
    const char *brace = text ? strchr(text, '{') : NULL;
    struct tp_buf out;
    if (!brace)
        return text;
    tp_buf_init(&out, 0);
    for (const char *at = text; *at;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        const char *word =
            end ? spoken_word(speech, (struct tp_str){at + 1, (size_t)(end - at - 1)}, at == text) : NULL;
        if (word)
            tp_buf_puts(&out, word);
        else
            tp_buf_putc(&out, *at);
        at = word ? end + 1 : at + 1;
    }
    return tp_buf_move(&out, arena);
}
