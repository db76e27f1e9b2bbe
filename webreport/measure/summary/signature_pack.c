/* Signatures in files: see signature_pack.h. The sequence is written as a table of the different operators (key, depth,
 * place) and, for each operator of the step, 0 when it is the one that followed the operator before it the last time,
 * else 1 + its number in the table: layers that repeat are runs of 0. */
#include "webreport/measure/summary/signature_pack.h"
#include "webreport/measure/summary/summary_columns.h"

#include "writer/base/keys.h"
#include "writer/proto/summary.pb-c.h"

enum { TUPLE = 3, NONE = 0 };

#define COLUMN(field, count) TP_COLUMN_OF(to, arena, field, count)

static void pack_keys(Tp__SummaryProcess *to, const struct tp_signature *s, struct tp_strings *texts,
                      struct tp_arena *arena)
{
    uint32_t last = 0;
    COLUMN(work_kind, s->key_count);
    COLUMN(work_name, s->key_count);
    COLUMN(work_dims, s->key_count);
    COLUMN(work_detail, s->key_count);
    COLUMN(work_count, s->key_count);
    COLUMN(work_varies, s->key_count);
    to->n_work_varies = 0;
    for (uint32_t i = 0; i < s->key_count; i++) {
        const struct tp_count_key *key = &s->keys[i];
        to->work_kind[i] = key->kind;
        to->work_name[i] = tp_column_text(texts, key->name);
        to->work_dims[i] = tp_column_text(texts, key->dims);
        to->work_detail[i] = tp_column_text(texts, key->detail);
        to->work_count[i] = (uint64_t)key->count;
        if (key->is_exact)
            continue;
        to->work_varies[to->n_work_varies++] = i - last;
        last = i;
    }
}

static void pack_calls(Tp__SummaryProcess *to, const struct tp_signature *s, struct tp_arena *arena)
{
    struct tp_keys tuples;
    uint32_t last = 0;
    tp_keys_init(&tuples, arena, TUPLE);
    COLUMN(work_call, s->call_count);
    uint32_t *follow = tp_arena_array(arena, (size_t)s->call_count + 1, sizeof *follow);
    for (uint32_t i = 0; i < s->call_count; i++) {
        const struct tp_count_call *call = &s->calls[i];
        uint32_t number = 1 + tp_keys_add(&tuples, (uint32_t[TUPLE]){call->key, call->depth, call->place});
        to->work_call[i] = follow[last] == number ? NONE : number;
        last = follow[last] = number;
    }
    uint32_t count = tp_keys_count(&tuples);
    COLUMN(work_call_key, count);
    COLUMN(work_call_depth, count);
    COLUMN(work_call_place, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *tuple = tp_keys_get(&tuples, i);
        to->work_call_key[i] = tuple[0];
        to->work_call_depth[i] = tuple[1];
        to->work_call_place[i] = tuple[2];
    }
}

static void pack_kept(Tp__SummaryProcess *to, const struct tp_signature *s, struct tp_strings *texts,
                      struct tp_arena *arena)
{
    to->knows_kept = s->knows_kept;
    COLUMN(kept_operator, s->kept_count);
    COLUMN(kept_place, s->kept_count);
    COLUMN(kept_blocks, s->kept_count);
    COLUMN(kept_bytes, s->kept_count);
    COLUMN(kept_is_exact, s->kept_count);
    for (uint32_t i = 0; i < s->kept_count; i++) {
        to->kept_operator[i] = tp_column_text(texts, s->kept[i].operator);
        to->kept_place[i] = tp_column_text(texts, s->kept[i].place);
        to->kept_blocks[i] = (uint64_t)s->kept[i].blocks;
        to->kept_bytes[i] = (uint64_t)s->kept[i].bytes;
        to->kept_is_exact[i] = s->kept[i].is_exact;
    }
}

static void pack_functions(Tp__SummaryProcess *to, const struct tp_signature *s, struct tp_strings *texts,
                           struct tp_arena *arena)
{
    COLUMN(loader_place, s->function_count);
    COLUMN(loader_calls, s->function_count);
    COLUMN(loader_low_ns, s->function_count);
    COLUMN(loader_seen, s->function_count);
    COLUMN(loader_is_exact, s->function_count);
    for (uint32_t i = 0; i < s->function_count; i++) {
        to->loader_place[i] = tp_column_text(texts, s->functions[i].place);
        to->loader_calls[i] = (uint64_t)s->functions[i].calls;
        to->loader_low_ns[i] = (uint64_t)s->functions[i].low_ns;
        to->loader_seen[i] = s->functions[i].seen;
        to->loader_is_exact[i] = s->functions[i].is_exact;
    }
}

void tp_signature_pack(Tp__SummaryProcess *to, const struct tp_signature *s, struct tp_strings *texts,
                       struct tp_arena *arena)
{
    to->work_hash = s->hash;
    to->work_steps = s->steady_count;
    to->work_is_cut = s->is_cut;
    if (!s->hash)
        return;
    pack_keys(to, s, texts, arena);
    pack_calls(to, s, arena);
    pack_kept(to, s, texts, arena);
    pack_functions(to, s, texts, arena);
    COLUMN(work_place, s->place_count ? s->place_count - 1 : 0);
    for (size_t i = 0; i < to->n_work_place; i++)
        to->work_place[i] = tp_column_text(texts, s->places[i + 1]);
    COLUMN(work_lane, s->lane_count);
    for (uint32_t i = 0; i < s->lane_count; i++)
        to->work_lane[i] = s->lanes[i + 1] - s->lanes[i];
}

/* ---- unpacked ---- */

static void unpack_keys(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_signature *s = &u->to->signature;
    uint64_t varies = 0;
    s->key_count = (uint32_t)from->n_work_kind;
    s->keys = tp_arena_array(u->arena, s->key_count, sizeof *s->keys);
    for (uint32_t i = 0; i < s->key_count; i++) {
        u->is_bad |= from->work_kind[i] >= TP_COUNT_KINDS;
        s->keys[i] = (struct tp_count_key){.name = tp_unpack_text(u, from->work_name[i]),
                                           .dims = tp_unpack_text(u, from->work_dims[i]),
                                           .detail = tp_unpack_text(u, from->work_detail[i]),
                                           .count = tp_unpack_count(u, from->work_count[i]),
                                           .kind = (uint8_t)(from->work_kind[i] % TP_COUNT_KINDS),
                                           .is_exact = true};
    }
    for (size_t i = 0; i < from->n_work_varies && !u->is_bad; i++) {
        varies += from->work_varies[i];
        u->is_bad |= varies >= s->key_count;
        if (!u->is_bad)
            s->keys[varies].is_exact = false;
    }
}

static void unpack_calls(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_signature *s = &u->to->signature;
    size_t tuples = from->n_work_call_key;
    uint32_t *follow = tp_arena_array(u->arena, tuples + 1, sizeof *follow), last = 0;
    for (size_t i = 0; i < tuples; i++)
        u->is_bad |= from->work_call_key[i] >= s->key_count || from->work_call_place[i] >= s->place_count;
    s->call_count = (uint32_t)from->n_work_call;
    s->calls = tp_arena_array(u->arena, s->call_count, sizeof *s->calls);
    for (uint32_t i = 0; i < s->call_count && !u->is_bad; i++) {
        uint32_t number = from->work_call[i] ? from->work_call[i] : follow[last];
        u->is_bad |= number == 0 || number > tuples;
        if (u->is_bad)
            return;
        last = follow[last] = number;
        s->calls[i] = (struct tp_count_call){from->work_call_key[number - 1], from->work_call_depth[number - 1],
                                             from->work_call_place[number - 1]};
    }
}

static void unpack_lanes(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_signature *s = &u->to->signature;
    s->lane_count = (uint32_t)from->n_work_lane;
    s->lanes = tp_arena_array(u->arena, (size_t)s->lane_count + 1, sizeof *s->lanes);
    for (uint32_t i = 0; i < s->lane_count; i++) {
        u->is_bad |= from->work_lane[i] > s->call_count - s->lanes[i];
        if (u->is_bad)
            return;
        s->lanes[i + 1] = s->lanes[i] + from->work_lane[i];
    }
    u->is_bad |= s->lanes[s->lane_count] != s->call_count;
}

static void unpack_kept(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_signature *s = &u->to->signature;
    s->knows_kept = from->knows_kept;
    s->kept_count = (uint32_t)from->n_kept_operator;
    s->kept = tp_arena_array(u->arena, s->kept_count, sizeof *s->kept);
    for (uint32_t i = 0; i < s->kept_count; i++)
        s->kept[i] = (struct tp_count_kept){.operator = tp_unpack_text(u, from->kept_operator[i]),
                                            .place = tp_unpack_text(u, from->kept_place[i]),
                                            .blocks = tp_unpack_count(u, from->kept_blocks[i]),
                                            .bytes = tp_unpack_count(u, from->kept_bytes[i]),
                                            .is_exact = from->kept_is_exact[i]};
}

static void unpack_functions(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_signature *s = &u->to->signature;
    s->function_count = (uint32_t)from->n_loader_place;
    s->functions = tp_arena_array(u->arena, s->function_count, sizeof *s->functions);
    for (uint32_t i = 0; i < s->function_count; i++)
        s->functions[i] = (struct tp_count_function){.place = tp_unpack_text(u, from->loader_place[i]),
                                                     .calls = tp_unpack_count(u, from->loader_calls[i]),
                                                     .low_ns = tp_unpack_count(u, from->loader_low_ns[i]),
                                                     .seen = from->loader_seen[i],
                                                     .is_exact = from->loader_is_exact[i]};
}

void tp_signature_unpack(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_signature *s = &u->to->signature;
    *s = (struct tp_signature){.hash = from->work_hash, .steady_count = from->work_steps, .is_cut = from->work_is_cut};
    unpack_keys(u);
    s->place_count = (uint32_t)from->n_work_place + 1;
    s->places = tp_arena_array(u->arena, s->place_count, sizeof *s->places);
    s->places[0] = TP_STR("");
    for (uint32_t i = 1; i < s->place_count; i++)
        s->places[i] = tp_unpack_text(u, from->work_place[i - 1]);
    unpack_kept(u);
    unpack_functions(u);
    unpack_calls(u);
    if (!u->is_bad)
        unpack_lanes(u);
}
