/* Writes the notes of a spool into separate chunks: names, clock values, facts about the run (tracepress_metadata), and
 * loaded modules.
 *
 * All functions need the session's lock. Names, facts and modules are stored and repeated in each new spool. */
#ifndef TP_COLLECTOR_NOTES_H
#define TP_COLLECTOR_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/spool.h"

/* Starts the notes of a spool with all names, facts and modules known so far. The spool must stay open until
 * tp_notes_end_recording or tp_notes_release_chunk. */
void tp_notes_begin_recording(struct tp_spool *spool, const struct tp_spool_clock *now);

/* Writes the last notes of a spool that is closed in the regular way. dropped: number of records that were lost
 * because they had no room. */
void tp_notes_end_recording(uint64_t dropped);

/* Releases the chunk in a child of fork, because the spool belongs to the parent. */
void tp_notes_release_chunk(void);

/* Returns the number of a name, and writes the name to the spool if it is new. */
uint32_t tp_notes_write_name(const char *name);

/* Writes the current value of all clocks. */
void tp_notes_write_clock(void);

/* Writes the modules (see tp_modules_update) that this spool does not contain yet. */
void tp_notes_write_modules(void);

/* Adds a fact about the run. kind: TP_SPOOL_META_TEXT or TP_SPOOL_META_JSON. At most 64 facts are kept for later
 * spools. */
void tp_notes_add_fact(const char *key, const char *value, uint8_t kind);

/* Reports that the recording stops because the spool cannot grow. Reports it only once per process. */
void tp_notes_report_spool_failure(const struct tp_spool *spool);

#endif
