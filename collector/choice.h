/* Which ranks of a job record, and when: read from texts, decided without asking anybody else. Pure functions. */
#ifndef TP_COLLECTOR_CHOICE_H
#define TP_COLLECTOR_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

enum tp_choice { TP_CHOICE_NO, TP_CHOICE_YES, TP_CHOICE_UNCLEAR };

/* Whether a rank is in a list such as "0,7,%64,16-23": numbers, every n-th from 0, from-to. UNCLEAR: the text is no
 * such list. NULL and "" name every rank. */
enum tp_choice tp_choice_rank(const char *list, uint32_t rank);

/* Time is recorded in windows of `length` that begin at the multiples of `period`; both in ns, 0: always. */
struct tp_choice_window {
    uint64_t period_ns, length_ns;
};

/* Reads "60s:5s": period and length in s, ms or m (none: s). False, and always, when the text is no such thing; true
 * for NULL and "". */
bool tp_choice_window_read(struct tp_choice_window *window, const char *text);

/* Whether a moment of CLOCK_REALTIME is in one of the windows. */
bool tp_choice_is_open(const struct tp_choice_window *window, uint64_t realtime_ns);

/* The next moment after this one at which a window begins or ends; there must be windows. */
uint64_t tp_choice_edge(const struct tp_choice_window *window, uint64_t realtime_ns);

#endif
