/* Packs signatures into files. See signature_pack.h. The file has a table of the different operators (key, depth,
 * place) and one number for each operator of the step. The number is 0 if the operator also followed the previous
 * operator at that operator's last occurrence, else 1 + the operator's index in the table. Repeated layers therefore
 * become sequences of zeros. */
#include "webreport/measure/summary/signature_pack.h"

#include "webreport/measure/summary/summary_columns.h"
#include "writer/base/keys.h"

enum { TUPLE = 3, NONE = 0 };

/* ---- packing ---- */

static void pack_keys(struct tp_column_writer *writer, const struct tp_signature *s)
{
    uint32_t *varies = tp_arena_array(writer->arena, s->key_count, sizeof *varies), count = 0;
    for (uint32_t i = 0; i < s->key_count; i++)
        if (!s->keys[i].is_exact)
            varies[count++] = i;
    tp_columns_write(&tp_list_work, writer, s->keys, s->key_count);
    tp_columns_write(&tp_list_work_varies, writer, varies, count);
}

static void pack_calls(struct tp_column_writer *writer, const struct tp_signature *s)
{
    struct tp_keys tuples;
    uint32_t last = 0;
    tp_keys_init(&tuples, writer->arena, TUPLE);
    uint32_t *calls = tp_arena_array(writer->arena, s->call_count, sizeof *calls);
    uint32_t *follow = tp_arena_array(writer->arena, (size_t)s->call_count + 1, sizeof *follow);
    for (uint32_t i = 0; i < s->call_count; i++) {
        const struct tp_count_call *call = &s->calls[i];
        uint32_t number = 1 + tp_keys_add(&tuples, (uint32_t[TUPLE]){call->key, call->depth, call->place});
        calls[i] = follow[last] == number ? NONE : number;
        last = follow[last] = number;
    }
    uint32_t count = tp_keys_count(&tuples);
    struct tp_count_call *keys = tp_arena_array(writer->arena, count, sizeof *keys);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *tuple = tp_keys_get(&tuples, i);
        keys[i] = (struct tp_count_call){.key = tuple[0], .depth = tuple[1], .place = tuple[2]};
    }
    tp_columns_write(&tp_list_calls, writer, calls, s->call_count);
    tp_columns_write(&tp_list_call_keys, writer, keys, count);
}

static void pack_lanes(struct tp_column_writer *writer, const struct tp_signature *s)
{
    uint32_t *lengths = tp_arena_array(writer->arena, s->lane_count, sizeof *lengths);
    for (uint32_t i = 0; i < s->lane_count; i++)
        lengths[i] = s->lanes[i + 1] - s->lanes[i];
    tp_columns_write(&tp_list_lanes, writer, lengths, s->lane_count);
}

void tp_signature_pack(struct tp_column_writer *writer, const struct tp_signature *s)
{
    struct tp_signature head = *s;
    head.are_unfreed_blocks_known = s->hash && s->are_unfreed_blocks_known;
    tp_columns_write(&tp_record_signature, writer, &head, 1);
    if (!s->hash)
        return;
    pack_keys(writer, s);
    pack_calls(writer, s);
    tp_columns_write(&tp_list_kept, writer, s->kept, s->kept_count);
    tp_columns_write(&tp_list_functions, writer, s->functions, s->function_count);
    if (s->place_count) /* place 0 is always "" and is not stored */
        tp_columns_write(&tp_list_places, writer, s->places + 1, s->place_count - 1);
    pack_lanes(writer, s);
}

/* ---- unpacking ---- */

static void unpack_keys(struct tp_column_reader *reader, struct tp_signature *s)
{
    uint32_t count;
    s->keys = tp_columns_read(&tp_list_work, reader, &s->key_count);
    for (uint32_t i = 0; i < s->key_count; i++)
        s->keys[i].is_exact = true;
    const uint32_t *varies = tp_columns_read_scratch(&tp_list_work_varies, reader, &count);
    for (uint32_t i = 0; i < count && !reader->is_bad; i++) {
        reader->is_bad |= varies[i] >= s->key_count;
        if (!reader->is_bad)
            s->keys[varies[i]].is_exact = false;
    }
}

static void unpack_places(struct tp_column_reader *reader, struct tp_signature *s)
{
    uint32_t count;
    const struct tp_str *places = tp_columns_read_scratch(&tp_list_places, reader, &count);
    s->place_count = count + 1;
    s->places = tp_arena_array(reader->arena, s->place_count, sizeof *s->places);
    s->places[0] = TP_STR("");
    for (uint32_t i = 0; i < count; i++)
        s->places[i + 1] = places[i];
}

static void unpack_calls(struct tp_column_reader *reader, struct tp_signature *s)
{
    uint32_t key_count, last = 0;
    const struct tp_count_call *keys = tp_columns_read_scratch(&tp_list_call_keys, reader, &key_count);
    const uint32_t *calls = tp_columns_read_scratch(&tp_list_calls, reader, &s->call_count);
    uint32_t *follow = tp_arena_array(reader->scratch, (size_t)key_count + 1, sizeof *follow);
    for (uint32_t i = 0; i < key_count; i++)
        reader->is_bad |= keys[i].key >= s->key_count || keys[i].place >= s->place_count;
    s->calls = tp_arena_array(reader->arena, s->call_count, sizeof *s->calls);
    for (uint32_t i = 0; i < s->call_count && !reader->is_bad; i++) {
        uint32_t number = calls[i] ? calls[i] : follow[last];
        reader->is_bad |= number == 0 || number > key_count;
        if (reader->is_bad)
            return;
        last = follow[last] = number;
        s->calls[i] = keys[number - 1];
    }
}

static void unpack_lanes(struct tp_column_reader *reader, struct tp_signature *s)
{
    const uint32_t *lengths = tp_columns_read_scratch(&tp_list_lanes, reader, &s->lane_count);
    s->lanes = tp_arena_array(reader->arena, (size_t)s->lane_count + 1, sizeof *s->lanes);
    for (uint32_t i = 0; i < s->lane_count; i++) {
        reader->is_bad |= lengths[i] > s->call_count - s->lanes[i];
        if (reader->is_bad)
            return;
        s->lanes[i + 1] = s->lanes[i] + lengths[i];
    }
    reader->is_bad |= s->lanes[s->lane_count] != s->call_count;
}

void tp_signature_unpack(struct tp_column_reader *reader, struct tp_signature *s)
{
    *s = (struct tp_signature){.hash = 0};
    tp_columns_fill(&tp_record_signature, reader, s, 1);
    unpack_keys(reader, s);
    unpack_places(reader, s);
    s->kept = tp_columns_read(&tp_list_kept, reader, &s->kept_count);
    s->functions = tp_columns_read(&tp_list_functions, reader, &s->function_count);
    unpack_calls(reader, s);
    if (!reader->is_bad)
        unpack_lanes(reader, s);
}
