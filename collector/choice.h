/* Decides which ranks of a job record, and at which times, from the texts of two environment variables. Pure functions,
 * so that all ranks decide alike without communication. */
#ifndef TP_COLLECTOR_CHOICE_H
#define TP_COLLECTOR_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

enum tp_choice { TP_CHOICE_NO, TP_CHOICE_YES, TP_CHOICE_UNCLEAR };

/* Returns whether a rank is in a list such as "0,7,%64,16-23": single numbers, every n-th rank from 0, and ranges. NULL
 * and "" contain every rank. Returns TP_CHOICE_UNCLEAR if the text is not such a list. */
enum tp_choice tp_choice_rank(const char *list, uint32_t rank);

/* Windows of recording: each lasts length_ns and starts at a multiple of period_ns. Both in ns; 0: always recorded. */
struct tp_choice_window {
    uint64_t period_ns, length_ns;
};

/* Reads "60s:5s": period and length in s, ms or m (default s). NULL and "" mean always. Returns false, and sets always,
 * if the text has another form. */
bool tp_choice_window_read(struct tp_choice_window *window, const char *text);

/* Returns whether a moment of CLOCK_REALTIME, in ns since the epoch, is inside a window. */
bool tp_choice_is_open(const struct tp_choice_window *window, uint64_t realtime_ns);

/* Returns the next start or end of a window after this moment, in ns since the epoch. `window` must not mean always. */
uint64_t tp_choice_edge(const struct tp_choice_window *window, uint64_t realtime_ns);

#endif
