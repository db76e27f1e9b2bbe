/* The numbers of a digest. Every number has an id, a unit, a window and a definition, or the reason why the recording
 * does not have it. */
#ifndef TP_WEBREPORT_ASK_DIGEST_NUMBERS_H
#define TP_WEBREPORT_ASK_DIGEST_NUMBERS_H

#include "webreport/ask/ask_input.h"

/* A number of a digest. */
struct tp_ask_number {
    const char *id;
    double value; /* NaN: unknown */
    const char *unit, *window, *definition;
    const char *reason; /* why it is unknown; NULL if it is known */
    unsigned needs;     /* evidence that the number needs, bits of enum tp_need */
    bool is_least;      /* true: lost events can only make the number smaller */
};

/* Writes a number as an object. If damage touches the number, writes "at_least" if lost events can only make it
 * smaller, and no value otherwise. */
void tp_number_write(struct tp_ask_call *call, const struct tp_ask_number *number);

/* Writes the metric of a summary with this index as a number; nothing if it is unknown or
 * damaged. */
void tp_number_write_metric(struct tp_ask_call *call, const struct tp_summary *summary, unsigned metric);

/* Names of the metrics that a digest shows; the last one is NULL. */
extern const char *const tp_digest_metrics[];

#endif
