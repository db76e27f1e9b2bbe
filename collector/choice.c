/* Decides which ranks record, and at which times: see choice.h. */
#include "collector/choice.h"

#include <stddef.h>
#include <string.h>

/* Reads a number below 2^32 at *text and moves *text behind its digits. Returns false if there is no digit or the
 * number is too large. */
static bool read_number(const char **text, uint64_t *value)
{
    const char *at = *text;
    for (*value = 0; *at >= '0' && *at <= '9'; at++) {
        *value = *value * 10 + (uint64_t)(*at - '0');
        if (*value > UINT32_MAX)
            return false;
    }
    bool has_any = at > *text;
    *text = at;
    return has_any;
}

/* Reads one item of a list, moves *text behind the item, and returns whether the item includes the rank. */
static enum tp_choice read_rank_list_item(const char **text, uint32_t rank)
{
    uint64_t first, last;
    bool is_every = **text == '%';
    *text += is_every;
    if (!read_number(text, &first) || (is_every && first == 0))
        return TP_CHOICE_UNCLEAR;
    if (is_every)
        return rank % first == 0 ? TP_CHOICE_YES : TP_CHOICE_NO;
    last = first;
    if (**text == '-') {
        ++*text;
        if (!read_number(text, &last) || last < first)
            return TP_CHOICE_UNCLEAR;
    }
    return rank >= first && rank <= last ? TP_CHOICE_YES : TP_CHOICE_NO;
}

enum tp_choice tp_choice_of_rank(const char *list, uint32_t rank)
{
    enum tp_choice all = TP_CHOICE_NO;
    if (!list || !*list)
        return TP_CHOICE_YES;
    for (;; list++) {
        enum tp_choice one = read_rank_list_item(&list, rank);
        if (one == TP_CHOICE_UNCLEAR || (*list && *list != ','))
            return TP_CHOICE_UNCLEAR;
        all = one == TP_CHOICE_YES ? one : all;
        if (!*list)
            return all;
    }
}

static bool read_duration(const char **text, char stop, uint64_t *ns)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {{"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}, {"", 1000000000}};
    uint64_t value;
    if (!read_number(text, &value) || value == 0)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t size = strlen(units[i].unit);
        if (strncmp(*text, units[i].unit, size) != 0 || (*text)[size] != stop)
            continue;
        *text += size + (stop != '\0');
        return !__builtin_mul_overflow(value, units[i].ns, ns);
    }
    return false;
}

bool tp_choice_window_read(struct tp_choice_window *window, const char *text)
{
    struct tp_choice_window read;
    *window = (struct tp_choice_window){0, 0};
    if (!text || !*text)
        return true;
    if (!read_duration(&text, ':', &read.period_ns) || !read_duration(&text, '\0', &read.length_ns) ||
        read.length_ns > read.period_ns)
        return false;
    *window = read;
    return true;
}

bool tp_choice_is_window_open(const struct tp_choice_window *window, uint64_t realtime_ns)
{
    return window->period_ns == 0 || realtime_ns % window->period_ns < window->length_ns;
}

uint64_t tp_choice_next_edge_ns(const struct tp_choice_window *window, uint64_t realtime_ns)
{
    uint64_t at = realtime_ns % window->period_ns;
    return realtime_ns - at + (at < window->length_ns ? window->length_ns : window->period_ns);
}
