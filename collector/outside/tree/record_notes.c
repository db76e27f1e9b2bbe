/* Stores notes of records: see record_notes.h. */
#include "collector/outside/tree/record_notes.h"

#include "collector/outside/processes/proc_files.h"

struct late {
    uint32_t note, pid;
    int64_t until_ns;
};

void tp_record_notes_init(struct tp_record_notes *notes, struct tp_arena *arena)
{
    notes->notes = TP_VEC(arena, struct tp_outside_note);
    notes->late = TP_VEC(arena, struct late);
}

struct tp_outside_note *tp_record_note_add(struct tp_record_notes *notes, struct tp_pending_record *record)
{
    struct tp_outside_note *note = tp_vec_push(&notes->notes);
    *note = (struct tp_outside_note){0};
    record->note = (uint32_t)notes->notes.count - 1;
    return note;
}

const struct tp_outside_note *tp_record_note_find(const struct tp_record_notes *notes,
                                                  const struct tp_pending_record *record)
{
    return record->note == TP_NO_ID ? NULL : TP_AT(&notes->notes, struct tp_outside_note, record->note);
}

bool tp_record_notes_read_arguments(struct tp_record_notes *notes, struct tp_outside_note *note, uint32_t pid,
                                    struct tp_buf *text)
{
    if (!tp_proc_read_arguments(text, pid))
        return false;
    note->words = (struct tp_str){tp_arena_copy(notes->notes.arena, text->data, text->size), text->size};
    return true;
}

void tp_record_notes_request_arguments(struct tp_record_notes *notes, struct tp_pending_record *record, uint32_t pid,
                                       int64_t until_ns, struct tp_buf *text)
{
    struct tp_outside_note *note = tp_record_note_add(notes, record);
    if (!tp_record_notes_read_arguments(notes, note, pid, text))
        *(struct late *)tp_vec_push(&notes->late) = (struct late){record->note, pid, until_ns};
}

void tp_record_notes_retry_arguments(struct tp_record_notes *notes, int64_t now_ns, struct tp_buf *text)
{
    size_t kept = 0;
    struct late *late = notes->late.data;
    for (size_t i = 0; i < notes->late.count; i++) {
        bool is_done = tp_record_notes_read_arguments(notes, TP_AT(&notes->notes, struct tp_outside_note, late[i].note),
                                                      late[i].pid, text);
        if (!is_done && now_ns < late[i].until_ns && tp_proc_life(late[i].pid, text) == TP_PROC_ALIVE)
            late[kept++] = late[i];
    }
    notes->late.count = kept;
}

void tp_record_notes_clear(struct tp_record_notes *notes)
{
    notes->notes.count = notes->late.count = 0;
}
