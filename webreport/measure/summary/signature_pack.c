/* Packs signatures into files: see signature_pack.h. The sequence is a table of the different operators (key, depth,
 * place) and one number for each operator of the step: 0 if it is the one that followed the previous operator the last
 * time, else 1 + its index in the table. So repeated layers are runs of 0. */
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
    tp_columns_pack(TP_LIST_WORK, to, s->keys, s->key_count, texts, arena);
    COLUMN(work_varies, s->key_count);
    to->n_work_varies = 0;
    for (uint32_t i = 0; i < s->key_count; i++) {
        if (s->keys[i].is_exact)
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
    tp_columns_make(TP_LIST_CALL_KEYS, to, count, arena);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *tuple = tp_keys_get(&tuples, i);
        to->work_call_key[i] = tuple[0];
        to->work_call_depth[i] = tuple[1];
        to->work_call_place[i] = tuple[2];
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
    to->knows_kept = s->knows_kept;
    tp_columns_pack(TP_LIST_KEPT, to, s->kept, s->kept_count, texts, arena);
    tp_columns_pack(TP_LIST_FUNCTIONS, to, s->functions, s->function_count, texts, arena);
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
    s->keys = tp_columns_unpack(TP_LIST_WORK, u, &s->key_count);
    for (uint32_t i = 0; i < s->key_count; i++)
        s->keys[i].is_exact = true;
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
    s->knows_kept = from->knows_kept;
    s->kept = tp_columns_unpack(TP_LIST_KEPT, u, &s->kept_count);
    s->functions = tp_columns_unpack(TP_LIST_FUNCTIONS, u, &s->function_count);
    unpack_calls(u);
    if (!u->is_bad)
        unpack_lanes(u);
}
