/* Writes the notes of a spool: see notes.h. */
#include "collector/notes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/clock.h"
#include "collector/loaded_modules.h"
#include "collector/name_table.h"
#include "collector/session.h"

enum { CHUNK_BYTES = 16 << 10, MAX_FACTS = 64 };

/* One metadata entry of the run, from tracepress_metadata. */
struct fact {
    char *text; /* key, a newline and the value */
    uint8_t kind;
};

static struct {
    struct tp_spool *spool; /* spool into which the notes are written; NULL: no spool is open */
    struct tp_spool_chunk *chunk;
    struct tp_spool_record *at;
    const char *end;          /* end of the current chunk */
    uint32_t written_modules; /* number of modules already written to the spool, in the order of tp_modules_get */
    struct fact facts[MAX_FACTS];
    unsigned fact_count;
} notes;

void tp_notes_report_spool_failure(const struct tp_spool *spool)
{
    char detail[4300];
    int code = atomic_load(&spool->failed);
    snprintf(detail, sizeof detail, "%s: %s", spool->path,
             code == EIO ? "the file was truncated, or its disk failed" : strerror(code));
    if (code != EIO)
        strcat(detail, "; free some space or set another directory");
    tp_session_print_message(TP_SEVERITY_RECORDING, "recording stops here; the program continues", detail);
}

static void release_notes_chunk(void)
{
    tp_spool_unmap(notes.chunk);
    notes.chunk = NULL;
    notes.at = NULL;
    notes.end = NULL;
}

void tp_notes_release_chunk(void)
{
    release_notes_chunk();
    notes.spool = NULL;
}

/* Returns memory for a note with `slots` slots after its head, or NULL. */
static struct tp_spool_record *reserve_note_slots(size_t slots)
{
    if (notes.chunk && (size_t)(notes.end - (const char *)notes.at) >= (slots + 1) * TP_SPOOL_SLOT)
        return notes.at;
    release_notes_chunk();
    notes.chunk = notes.spool ? tp_spool_get_notes_chunk(notes.spool, CHUNK_BYTES) : NULL;
    if (notes.chunk) {
        notes.at = (struct tp_spool_record *)(void *)(notes.chunk + 1);
        notes.end = (const char *)notes.chunk + CHUNK_BYTES;
    } else if (notes.spool)
        tp_notes_report_spool_failure(notes.spool);
    return notes.at;
}

/* Adds a note with `size` bytes of payload. */
static void append_note(uint8_t kind, uint32_t name, const void *payload, size_t size, bool is_text)
{
    size_t slots = (size + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT;
    if (slots >= TP_SPOOL_MAX_SLOTS) {
        slots = TP_SPOOL_MAX_SLOTS - 1;
        size = slots * TP_SPOOL_SLOT;
    }
    struct tp_spool_record *record = reserve_note_slots(slots);
    if (!record)
        return;
    memcpy(record + 1, payload, size);
    record->name = name;
    record->kind = kind;
    record->slots = (uint8_t)slots;
    record->text = is_text ? (uint16_t)size : 0;
    __atomic_store_n(&record->time, 1, __ATOMIC_RELEASE);
    notes.at = record + 1 + slots;
}

static void add_text_note(uint8_t kind, uint32_t name, const char *text)
{
    append_note(kind, name, text, strlen(text), true);
}

/* ---- kinds of notes ---- */

void tp_notes_write_clock(void)
{
    struct tp_spool_clock moment = tp_clock_read_all();
    append_note(TP_SPOOL_CLOCK, 0, &moment, sizeof moment, false);
}

void tp_notes_write_modules(void)
{
    for (; notes.spool && notes.written_modules < tp_modules_count(); notes.written_modules++) {
        const struct tp_module *module = tp_modules_get(notes.written_modules);
        const struct tp_spool_loaded loaded = {module->start, module->end, module->bias, tp_clock_now()};
        char note[sizeof loaded + PATH_MAX];
        size_t n = strnlen(module->path, TP_NAME_BYTES);
        memcpy(note, &loaded, sizeof loaded);
        memcpy(note + sizeof loaded, module->path, n);
        append_note(TP_SPOOL_LOADED, (uint32_t)n, note, sizeof loaded + n, true);
    }
}

uint32_t tp_notes_write_name(const char *name)
{
    int is_new;
    uint32_t number = tp_names_add(name, &is_new);
    if (is_new && notes.spool)
        add_text_note(TP_SPOOL_NAME, number, tp_names_text(number));
    return number;
}

void tp_notes_add_fact(const char *key, const char *value, uint8_t kind)
{
    char *text = NULL;
    if (notes.fact_count == MAX_FACTS || asprintf(&text, "%s\n%s", key, value) < 0)
        return;
    notes.facts[notes.fact_count++] = (struct fact){text, kind};
    if (notes.spool)
        add_text_note(kind, 0, text);
}

/* ---- start and end ---- */

void tp_notes_begin_recording(struct tp_spool *spool, const struct tp_spool_clock *now)
{
    notes.spool = spool;
    notes.written_modules = 0;
    append_note(TP_SPOOL_CLOCK, 0, now, sizeof *now, false);
    for (uint32_t n = 1; n <= tp_names_count(); n++)
        add_text_note(TP_SPOOL_NAME, n, tp_names_text(n));
    for (unsigned i = 0; i < notes.fact_count; i++)
        add_text_note(notes.facts[i].kind, 0, notes.facts[i].text);
}

void tp_notes_end_recording(uint64_t dropped)
{
    char fact[64];
    tp_notes_write_clock();
    if (dropped) {
        snprintf(fact, sizeof fact, "tracepress_dropped\n%llu", (unsigned long long)dropped);
        add_text_note(TP_SPOOL_META_JSON, 0, fact);
    }
    append_note(TP_SPOOL_STOP, 0, "", 0, false);
    tp_notes_release_chunk();
}
