/* Converts evidence to columns of a `.tps` file and back: see evidence_pack.h. Both directions use the same two
 * tables. */
#include "webreport/measure/summary/evidence_pack.h"

#include <stddef.h>
#include <string.h>

#include "webreport/measure/summary/summary_columns.h"
#include "webreport/trace/input_facts.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

#define LOST "lost."

static const char *crc_text(unsigned value)
{
    return tp_crc_text((enum tp_crc)value);
}

static const char *eof_text(unsigned value)
{
    return tp_eof_text((enum tp_eof)value);
}

static const char *recorder_text(unsigned value)
{
    return tp_recorder_text((enum tp_recorder)value);
}

static const char *clock_text(unsigned value)
{
    return tp_clock_text((enum tp_clock)value);
}

#define AT(type, member)                                                                                               \
    _Generic(&((struct tp_input_evidence *)0)->member, type * : offsetof(struct tp_input_evidence, member))

/* Members of the evidence that have a fixed set of values. Value 0 is "unknown". A file stores each value as a word. */
static const struct {
    const char *name;
    size_t offset;
    const char *(*text)(unsigned value);
    unsigned count; /* number of items in `words` */
} words[] = {
    {"crc", AT(unsigned, crc), crc_text, TP_CRC_COUNT},
    {"eof", AT(unsigned, eof), eof_text, TP_EOF_COUNT},
    {"recorder", AT(unsigned, recorder), recorder_text, TP_RECORDER_COUNT},
    {"clock", AT(unsigned, clock), clock_text, TP_CLOCK_COUNT},
};

/* Members of the evidence that are numbers of at least 0. A file stores them before the losses. */
static const struct {
    const char *name;
    size_t offset;
    bool is_needs; /* true: the member is an unsigned set of needs; false: an int64_t */
} numbers[] = {
    {"bytes", AT(int64_t, file_bytes), false},  {"events", AT(int64_t, event_count), false},
    {"repaired", AT(int64_t, repaired), false}, {"present", AT(unsigned, present), true},
    {"asked", AT(unsigned, requested), true},   {"absent", AT(unsigned, absent), true},
};

enum { WORDS = sizeof words / sizeof *words, NUMBERS = sizeof numbers / sizeof *numbers };

/* Items that only inputs of other profilers have: the producer, and the kinds of data that the input cannot show. */
static const char producer_name[] = "producer", unknown_name[] = "unknown";
enum { OF_INPUT = 2 };

/* ---- packing ---- */

static struct tp_stored_evidence make_word_item(const struct tp_input_evidence *e, int i)
{
    unsigned value;
    memcpy(&value, (const char *)e + words[i].offset, sizeof value);
    return (struct tp_stored_evidence){.name = tp_str_of(words[i].name), .word = tp_str_of(words[i].text(value))};
}

static struct tp_stored_evidence make_number_item(const struct tp_input_evidence *e, int i)
{
    struct tp_stored_evidence item = {.name = tp_str_of(numbers[i].name)};
    const char *member = (const char *)e + numbers[i].offset;
    unsigned needs;
    if (numbers[i].is_needs) {
        memcpy(&needs, member, sizeof needs);
        item.number = needs;
    } else {
        memcpy(&item.number, member, sizeof item.number);
    }
    return item;
}

void tp_evidence_pack(struct tp_column_writer *writer, const struct tp_input_evidence *e)
{
    struct tp_stored_evidence items[WORDS + NUMBERS + OF_INPUT + TP_LOST_COUNT];
    size_t count = 0;
    if (!e->is_known)
        return;
    for (int i = 0; i < WORDS; i++)
        items[count++] = make_word_item(e, i);
    for (int i = 0; i < NUMBERS; i++)
        items[count++] = make_number_item(e, i);
    if (e->producer.len)
        items[count++] = (struct tp_stored_evidence){.name = tp_str_of(producer_name), .word = e->producer};
    if (e->unknown)
        items[count++] = (struct tp_stored_evidence){.name = tp_str_of(unknown_name), .number = e->unknown};
    for (int i = 0; i < TP_LOST_COUNT; i++) {
        if (!e->lost[i])
            continue;
        const char *name = tp_text_printf(writer->arena, LOST "%s", tp_lost_text((enum tp_lost)i));
        items[count++] = (struct tp_stored_evidence){.name = tp_str_of(name), .number = e->lost[i]};
    }
    tp_columns_write(&tp_list_evidence, writer, items, count);
}

/* ---- unpacking ---- */

static void set_evidence_word(struct tp_input_evidence *e, const struct tp_stored_evidence *item)
{
    if (tp_str_equal(item->name, tp_str_of(producer_name)))
        e->producer = item->word;
    for (int i = 0; i < WORDS; i++)
        for (unsigned value = 0; tp_str_equal(item->name, tp_str_of(words[i].name)) && value < words[i].count; value++)
            if (tp_str_equal(item->word, tp_str_of(words[i].text(value))))
                memcpy((char *)e + words[i].offset, &value, sizeof value);
}

static void set_evidence_number(struct tp_input_evidence *e, const struct tp_stored_evidence *item)
{
    if (tp_str_equal(item->name, tp_str_of(unknown_name)))
        e->unknown = (unsigned)item->number & TP_UNKNOWN_ALL;
    for (int i = 0; i < NUMBERS; i++) {
        char *member = (char *)e + numbers[i].offset;
        unsigned needs = (unsigned)item->number & TP_NEED_CATEGORIES;
        if (!tp_str_equal(item->name, tp_str_of(numbers[i].name)))
            continue;
        if (numbers[i].is_needs)
            memcpy(member, &needs, sizeof needs);
        else
            memcpy(member, &item->number, sizeof item->number);
    }
}

static void add_loss(struct tp_input_evidence *e, struct tp_str name, int64_t number)
{
    enum tp_lost lost = TP_LOST_UNKNOWN;
    for (int i = 0; i < TP_LOST_COUNT; i++)
        if (tp_str_equal(name, tp_str_of(tp_lost_text((enum tp_lost)i))))
            lost = (enum tp_lost)i;
    e->lost[lost] = tp_sat_add(e->lost[lost], number);
}

void tp_evidence_unpack(struct tp_column_reader *reader, struct tp_input_evidence *e)
{
    uint32_t count;
    const struct tp_stored_evidence *items = tp_columns_read_scratch(&tp_list_evidence, reader, &count);
    *e = (struct tp_input_evidence){.is_known = count > 0};
    for (uint32_t i = 0; i < count; i++) {
        struct tp_str name = items[i].name;
        reader->is_bad |= items[i].number < 0;
        if (items[i].word.len)
            set_evidence_word(e, &items[i]);
        else if (tp_str_starts(name, LOST))
            add_loss(e, (struct tp_str){name.ptr + sizeof LOST - 1, name.len - (sizeof LOST - 1)}, items[i].number);
        else
            set_evidence_number(e, &items[i]);
    }
}
