/* Stores data that was read about a process while it existed, until the tree processes the record of the process. Only
 * one thread may use this module. All memory is in the arena, whose guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_RECORD_NOTES_H
#define TP_COLLECTOR_OUTSIDE_TREE_RECORD_NOTES_H

#include "collector/outside/tree/outside_tree.h"
#include "collector/outside/tree/pending.h"
#include "writer/base/buf.h"

struct tp_record_notes {
    struct tp_vec notes; /* elements: struct tp_outside_note */
    struct tp_vec late;  /* notes of programs whose arguments are not available yet; elements: struct late */
};

void tp_record_notes_init(struct tp_record_notes *notes, struct tp_arena *arena);

/* Adds an empty note to a record. The pointer is valid until the next note is added. */
struct tp_outside_note *tp_record_note_add(struct tp_record_notes *notes, struct tp_pending_record *record);

/* Returns the note of a record, or NULL. */
const struct tp_outside_note *tp_record_note_find(const struct tp_record_notes *notes,
                                                  const struct tp_pending_record *record);

/* Reads the arguments of a process into a note. Returns false if they are not available. */
bool tp_record_notes_read_arguments(struct tp_record_notes *notes, struct tp_outside_note *note, uint32_t pid,
                                    struct tp_buf *text);

/* Reads the arguments of a program that starts. The kernel reports the name of the program before it stores the
 * arguments. Arguments that are not available yet are read again until `until_ns`. text: scratch buffer. */
void tp_record_notes_request_arguments(struct tp_record_notes *notes, struct tp_pending_record *record, uint32_t pid,
                                       int64_t until_ns, struct tp_buf *text);

/* Tries again to read arguments that were not available. */
void tp_record_notes_retry_arguments(struct tp_record_notes *notes, int64_t now_ns, struct tp_buf *text);

/* Removes all notes. Call it when all records were processed. */
void tp_record_notes_clear(struct tp_record_notes *notes);

#endif
