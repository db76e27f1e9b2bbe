/* Notes of a spool: names, clocks, facts about the run, and what is loaded where; in chunks of their own.
 *
 * All of it under the session's lock. Names, facts and modules are kept and told to each new spool. */
#ifndef TP_COLLECTOR_NOTES_H
#define TP_COLLECTOR_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/spool.h"

/* Begins the notes of a spool, which must stay open until tp_notes_end or tp_notes_leave, with all that is known. */
void tp_notes_begin(struct tp_spool *spool, const struct tp_spool_clock *now);

/* The last notes of a spool that ends in order. dropped: records that had no room. */
void tp_notes_end(uint64_t dropped);

/* Lets go of the chunk: in a child, whose spool is its parent's. */
void tp_notes_leave(void);

/* The name's number, told to the spool when it is new. */
uint32_t tp_notes_name(const char *name);

/* This moment on all clocks. */
void tp_notes_clock(void);

/* Modules that are known (tp_modules_update) and were not told yet. */
void tp_notes_modules(void);

/* A fact about the run; kind: TP_SPOOL_META_TEXT or TP_SPOOL_META_JSON. Kept for the spools to come, at most 64. */
void tp_notes_fact(const char *key, const char *value, uint8_t kind);

/* Says, once, that the recording stops because the spool took no more. */
void tp_notes_say_failure(const struct tp_spool *spool);

#endif
