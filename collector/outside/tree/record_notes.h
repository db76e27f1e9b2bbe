/* What was asked of a process for a record of it, while it was there: notes that the tree takes with the record. One
 * thread; everything is the arena's, whose guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_RECORD_NOTES_H
#define TP_COLLECTOR_OUTSIDE_TREE_RECORD_NOTES_H

#include "collector/outside/tree/outside_tree.h"
#include "collector/outside/tree/pending.h"
#include "writer/base/buf.h"

struct tp_record_notes {
    struct tp_vec notes; /* struct tp_outside_note */
    struct tp_vec late;  /* programs whose words are not there yet */
};

void tp_record_notes_init(struct tp_record_notes *notes, struct tp_arena *arena);

/* A note for a record, empty so far; valid until the next is added. */
struct tp_outside_note *tp_record_note_add(struct tp_record_notes *notes, struct tp_pending_record *record);

/* The note of a record; NULL: it has none. */
const struct tp_outside_note *tp_record_note_of(const struct tp_record_notes *notes,
                                                const struct tp_pending_record *record);

/* The words of a process, into a note; false: they are not there. */
bool tp_record_notes_words(struct tp_record_notes *notes, struct tp_outside_note *note, uint32_t pid, struct tp_buf *text);

/* Asks for the words of a program that begins. The kernel tells its name before it lays them out: then they are late, and
 * asked for until `until_ns`. `text`: room for them. */
void tp_record_notes_ask(struct tp_record_notes *notes, struct tp_pending_record *record, uint32_t pid, int64_t until_ns,
                         struct tp_buf *text);

/* Asks those again that are late. */
void tp_record_notes_ask_late(struct tp_record_notes *notes, int64_t now_ns, struct tp_buf *text);

/* Forgets all: no record is left. */
void tp_record_notes_clear(struct tp_record_notes *notes);

#endif
