/* Words the answer from dumps of the Flight Recorder: the headline, and why a file was not read. The same sentences are
 * in the page, the JSON, the Markdown and the terminal. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_FLIGHT_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_FLIGHT_WORDS_H

#include "webreport/measure/flight/flight_result.h"

/* Returns why a dump was not read, in a few words. version: version in the dump, for TP_FLIGHT_VERSION. The text is
 * static or in `arena`. */
struct tp_str tp_flight_refusal_text(enum tp_flight_refusal refusal, struct tp_str version, struct tp_arena *arena);

/* Sets the headline and the advice of a result, in the arena of its job, whose guard the caller sets. */
void tp_fill_flight_texts(struct tp_flight_result *result);

/* A sentence that is being made of texts of dumps, which may have any bytes. */
struct tp_flight_sentence {
    struct tp_vec text; /* elements: char */
    size_t first_size;  /* size of the first sentence without its full stop; 0: all of the text but its last byte */
};

/* Appends formatted text. format: printf style; the result has at most 255 bytes. */
void tp_flight_say(struct tp_flight_sentence *sentence, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a text of a dump. */
void tp_flight_say_text(struct tp_flight_sentence *sentence, struct tp_str text);
/* Appends "rank 3", "ranks 0, 1, 3" or "ranks 0, 1, 2, 3 and 9 more". is_start: the first letter is upper case. */
void tp_flight_say_ranks(struct tp_flight_sentence *sentence, struct tp_flight_ranks ranks, bool is_start);
/* Appends the name of a group, such as "dp (4)". */
void tp_flight_say_group(struct tp_flight_sentence *sentence, struct tp_str group, struct tp_str description);
/* Appends a call, such as "all_reduce #6 of dp (4)". */
void tp_flight_say_call(struct tp_flight_sentence *sentence, const struct tp_flight_open *open);

static inline struct tp_str tp_flight_said(const struct tp_flight_sentence *sentence)
{
    return (struct tp_str){sentence->text.count ? sentence->text.data : "", sentence->text.count};
}

#endif
