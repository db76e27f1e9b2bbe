/* Reads and writes notes: the decision of `check` about a stored run, as text. A note is a file LABEL.note next to
 * LABEL.tps, with lines KEY: VALUE.
 *
 * LABEL.tps has the decision as well. The note is for people, and for runs whose LABEL.tps was written by an older
 * version and has no decision.
 *
 *     tracepress-run-note 1
 *     verdict: fail
 *     accepted: 2026-11-25 04:00:00 UTC
 *     by: anna
 *     reason: the larger vocabulary is worth it
 *     committed: 1767225600
 *
 * Each run has its own file, so that branches and machines that store runs simultaneously never write the same file. */
#ifndef TP_WEBREPORT_SESSION_RUN_NOTES_H
#define TP_WEBREPORT_SESSION_RUN_NOTES_H

#include "webreport/compare/gate/history.h"
#include "writer/base/error.h"

/* Fills the decision about the run in the file `tps`; texts are in the arena. stored: the decision in the file itself.
 * If `stored` and the note differ, the worse decision is used, so that a lost or wrong note does not turn a failed run
 * into a good one.
 *
 * A note that is incomplete, empty, unreadable or of a later version counts as a broken limit. A run of an older
 * version without a note counts as within its limits. */
void tp_run_note_read(struct tp_run_decision *decision, const struct tp_run_decision *stored, const char *tps,
                      struct tp_arena *arena);

/* Writes the note for the run in the file `tps`, or removes the note if the decision needs none. Returns 0, TP_EIO or
 * TP_ENOMEM. */
int tp_run_note_write(const char *tps, const struct tp_run_decision *decision, struct tp_arena *arena,
                      struct tp_error *err);

/* Returns the seconds since 1970 in a text such as "1767225600"; 0 for other texts. */
int64_t tp_run_note_parse_seconds(struct tp_str text);

/* Returns a copy of the text as one line of at most 400 bytes. Control characters become spaces. */
struct tp_str tp_run_note_single_line(struct tp_str text, struct tp_arena *arena);

/* Sets the author and the time of the decision; texts are in the arena. The author is the account of the CI system or
 * of the process. The time is SOURCE_DATE_EPOCH if set, otherwise the current time. */
void tp_run_note_set_author(struct tp_run_decision *decision, struct tp_arena *arena);

#endif
