/* Finds events and their values in a piece of the text of a trace in JSON, without the reader of traces. The piece may
 * begin and end anywhere. Used to examine files cheaply; the reader decides what the events mean. */
#ifndef TP_WEBREPORT_TRACE_EVENT_SEARCH_H
#define TP_WEBREPORT_TRACE_EVENT_SEARCH_H

#include <string.h>

#include "writer/base/str.h"

static inline const char *tp_search_skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

/* Returns the start of the next event after `at`: the "{" after "},". Returns `end` if none follows. */
static inline const char *tp_search_next_event(const char *at, const char *end)
{
    while ((at = memchr(at, '}', (size_t)(end - at)))) {
        const char *comma = tp_search_skip_space(++at, end);
        const char *brace = comma < end && *comma == ',' ? tp_search_skip_space(comma + 1, end) : end;
        if (brace < end && *brace == '{')
            return brace;
    }
    return end;
}

/* Returns true if the text [at, end) contains `text`. */
static inline bool tp_search_has(const char *at, const char *end, const char *text)
{
    return memmem(at, (size_t)(end - at), text, strlen(text)) != NULL;
}

/* Returns the first 24 bytes of the value of the first key `key` (with its quotes) in [at, end), up to a comma, a brace
 * or white space; empty without the key. */
static inline struct tp_str tp_search_value(const char *at, const char *end, const char *key)
{
    enum { LONGEST = 24 };
    const char *found = memmem(at, (size_t)(end - at), key, strlen(key));
    if (!found)
        return TP_STR("");
    found = tp_search_skip_space(found + strlen(key), end);
    found = tp_search_skip_space(found < end && *found == ':' ? found + 1 : found, end);
    size_t size = 0;
    while (size < LONGEST && found + size < end && !memchr(",}\n\r ", found[size], 5))
        size++;
    return (struct tp_str){found, size};
}

#endif
