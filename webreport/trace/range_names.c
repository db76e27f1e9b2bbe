/* Finds the range kind that a name implies: see range_names.h. */
#include "webreport/trace/range_names.h"

static const char *const compute_words[] = {"forward",   "fwd",   "backward", "bwd", "update",
                                            "optimizer", "optim", "zero",     "loss"};
static const char *const input_words[] = {"data", "load", "loading", "loader", "dataloader"};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Returns the next word of the name at or after *at, and moves *at to the position after the word. Returns an empty
 * text at the end of the name. "loadBatch" has two words. */
static struct tp_str next_word(struct tp_str name, size_t *at)
{
    while (*at < name.len && !is_letter(name.ptr[*at]))
        ++*at;
    size_t begin = *at;
    while (*at < name.len && is_letter(name.ptr[*at]) &&
           (*at == begin || !is_upper(name.ptr[*at]) || is_upper(name.ptr[*at - 1])))
        ++*at;
    return (struct tp_str){name.ptr + begin, *at - begin};
}

static bool is_in_word_list(struct tp_str word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < word.len && words[i][k] && (word.ptr[k] | 0x20) == words[i][k])
            k++;
        if (k == word.len && !words[i][k])
            return true;
    }
    return false;
}

enum tp_range_kind tp_range_kind_by_name(struct tp_str name)
{
    bool is_first = true;
    size_t at = 0;
    for (struct tp_str word; (word = next_word(name, &at)).len; is_first = false) {
        if (is_in_word_list(word, compute_words, sizeof compute_words / sizeof *compute_words))
            return TP_RANGE_COMPUTE;
        if (is_first && is_in_word_list(word, input_words, sizeof input_words / sizeof *input_words))
            return TP_RANGE_INPUT;
    }
    return TP_RANGE_NONE;
}

void tp_range_names_apply(struct tp_trace *trace)
{
    if (!tp_str_equal(tp_trace_header(trace, "tracepress_recorder"), TP_STR("\"native\"")))
        return;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        struct tp_event *event = &trace->events[i];
        if (event->kind != TP_KIND_ANNOTATION || tp_event_declared_kind(event))
            continue;
        enum tp_range_kind kind = tp_range_kind_by_name(tp_trace_event_name(trace, event));
        event->variant = kind & 15u;
        trace->reading.declared_kind_bits |= kind ? 1u << kind : 0;
    }
}
