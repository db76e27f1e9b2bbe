/* Decides which ranks of a job record, and at which times, from the texts of two environment variables. The functions
 * have no side effects, so all ranks make the same decision without communication. */
#ifndef TP_COLLECTOR_CHOICE_H
#define TP_COLLECTOR_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

enum tp_choice { TP_CHOICE_NO, TP_CHOICE_YES, TP_CHOICE_UNCLEAR };

/* Returns whether a rank is in a list such as "0,7,%64,16-23": single numbers, every n-th rank from 0, and ranges. NULL
 * and "" contain every rank. Returns TP_CHOICE_UNCLEAR if the text is not such a list. */
enum tp_choice tp_choice_of_rank(const char *list, uint32_t rank);

/* Periodic windows of recording. Each window lasts length_ns and starts at a multiple of period_ns. Both members are in
 * ns. If both are 0, recording is always on. */
struct tp_choice_window {
    uint64_t period_ns, length_ns;
};

/* Reads "60s:5s": period and length, in s, ms or m (default s). NULL and "" mean that recording is always on. Returns
 * false, and switches recording always on, if the text has another form. */
bool tp_choice_window_read(struct tp_choice_window *window, const char *text);

/* Returns whether recording is on at a time. realtime_ns: the time on CLOCK_REALTIME, ns since the epoch. */
bool tp_choice_is_window_open(const struct tp_choice_window *window, uint64_t realtime_ns);

/* Returns the next start or end of a window after realtime_ns, in ns since the epoch. `window` must have a period and a
 * length. */
uint64_t tp_choice_next_edge_ns(const struct tp_choice_window *window, uint64_t realtime_ns);

#endif
