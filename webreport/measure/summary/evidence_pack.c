/* Converts evidence to columns of a `.tps` file and back: see evidence_pack.h. Both directions use the same two
 * tables. */
#include "webreport/measure/summary/evidence_pack.h"

#include <stddef.h>

#include "writer/base/saturate.h"
#include "writer/proto/summary.pb-c.h"
#include "writer/text/format.h"

#define LOST "lost."

static const char *crc_text(int value)
{
    return tp_crc_text((enum tp_crc)value);
}

static const char *eof_text(int value)
{
    return tp_eof_text((enum tp_eof)value);
}

static const char *recorder_text(int value)
{
    return tp_recorder_text((enum tp_recorder)value);
}

static const char *clock_text(int value)
{
    return tp_clock_text((enum tp_clock)value);
}

/* Members whose value is one of a few words; 0 is "unknown". */
enum { CRC, END, RECORDER, CLOCK, WORDS };
static const struct {
    const char *name;
    const char *(*text)(int value);
    int count;
} words[WORDS] = {
    [CRC] = {"crc", crc_text, TP_CRC_COUNT},
    [END] = {"eof", eof_text, TP_EOF_COUNT},
    [RECORDER] = {"recorder", recorder_text, TP_RECORDER_COUNT},
    [CLOCK] = {"clock", clock_text, TP_CLOCK_COUNT},
};

/* Members that are numbers from 0 on; the losses follow them. */
enum { BYTES, EVENTS, REPAIRED, PRESENT, ASKED, ABSENT, NUMBERS };
static const char *const numbers[NUMBERS] = {"bytes", "events", "repaired", "present", "asked", "absent"};

/* A record in the form of the tables. */
struct flat {
    int words[WORDS];
    int64_t numbers[NUMBERS];
};

static struct flat flatten(const struct tp_input_evidence *e)
{
    return (struct flat){{(int)e->crc, (int)e->eof, (int)e->recorder, (int)e->clock},
                         {e->file_bytes, e->event_count, e->repaired, e->present, e->requested, e->absent}};
}

static void unflatten(struct tp_input_evidence *e, const struct flat *flat)
{
    e->crc = (enum tp_crc)flat->words[CRC];
    e->eof = (enum tp_eof)flat->words[END];
    e->recorder = (enum tp_recorder)flat->words[RECORDER];
    e->clock = (enum tp_clock)flat->words[CLOCK];
    e->file_bytes = flat->numbers[BYTES];
    e->event_count = flat->numbers[EVENTS];
    e->repaired = flat->numbers[REPAIRED];
    e->present = (unsigned)flat->numbers[PRESENT] & TP_NEED_CATEGORIES;
    e->requested = (unsigned)flat->numbers[ASKED] & TP_NEED_CATEGORIES;
    e->absent = (unsigned)flat->numbers[ABSENT] & TP_NEED_CATEGORIES;
}

/* ---- packing ---- */

struct columns {
    Tp__SummaryProcess *to;
    struct tp_strings *texts;
};

static uint32_t text(const struct columns *c, const char *value)
{
    return tp_strings_add(c->texts, tp_str_of(value)) + 1;
}

static void add(const struct columns *c, const char *name, const char *word, int64_t number)
{
    size_t at = c->to->n_evidence_name++;
    c->to->evidence_name[at] = text(c, name);
    c->to->evidence_word[at] = word ? text(c, word) : 0;
    c->to->evidence_number[at] = number;
}

void tp_evidence_pack(Tp__SummaryProcess *to, const struct tp_input_evidence *e, struct tp_strings *texts,
                      struct tp_arena *arena)
{
    enum { MOST = WORDS + NUMBERS + TP_LOST_COUNT };
    struct columns c = {to, texts};
    struct flat flat = flatten(e);
    if (!e->is_known)
        return;
    to->evidence_name = tp_arena_array(arena, MOST, sizeof *to->evidence_name);
    to->evidence_word = tp_arena_array(arena, MOST, sizeof *to->evidence_word);
    to->evidence_number = tp_arena_array(arena, MOST, sizeof *to->evidence_number);
    for (int i = 0; i < WORDS; i++)
        add(&c, words[i].name, words[i].text(flat.words[i]), 0);
    for (int i = 0; i < NUMBERS; i++)
        add(&c, numbers[i], NULL, flat.numbers[i]);
    for (int i = 0; i < TP_LOST_COUNT; i++)
        if (e->lost[i])
            add(&c, tp_text_printf(arena, LOST "%s", tp_lost_text((enum tp_lost)i)), NULL, e->lost[i]);
    to->n_evidence_word = to->n_evidence_number = to->n_evidence_name;
}

/* ---- unpacking ---- */

static void take_word(struct flat *flat, struct tp_str name, struct tp_str word)
{
    for (int i = 0; i < WORDS; i++)
        for (int value = 0; tp_str_equal(name, tp_str_of(words[i].name)) && value < words[i].count; value++)
            if (tp_str_equal(word, tp_str_of(words[i].text(value))))
                flat->words[i] = value;
}

static void take_loss(struct tp_input_evidence *e, struct tp_str name, int64_t number)
{
    enum tp_lost lost = TP_LOST_UNKNOWN;
    for (int i = 0; i < TP_LOST_COUNT; i++)
        if (tp_str_equal(name, tp_str_of(tp_lost_text((enum tp_lost)i))))
            lost = (enum tp_lost)i;
    e->lost[lost] = tp_sat_add(e->lost[lost], number);
}

void tp_evidence_unpack(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_input_evidence *e = &u->to->evidence;
    struct flat flat = {{0}, {0}};
    e->is_known = from->n_evidence_name > 0;
    for (size_t i = 0; i < from->n_evidence_name; i++) {
        struct tp_str name = tp_unpack_text(u, from->evidence_name[i]);
        struct tp_str word = tp_unpack_text(u, from->evidence_word[i]);
        int64_t number = from->evidence_number[i];
        u->is_bad |= number < 0;
        if (word.len)
            take_word(&flat, name, word);
        else if (tp_str_starts(name, LOST))
            take_loss(e, (struct tp_str){name.ptr + sizeof LOST - 1, name.len - (sizeof LOST - 1)}, number);
        for (int k = 0; k < NUMBERS && !word.len; k++)
            if (tp_str_equal(name, tp_str_of(numbers[k])))
                flat.numbers[k] = number;
    }
    unflatten(e, &flat);
}
