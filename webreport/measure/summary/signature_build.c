/* Counts the work of each step and determines the counts of the usual step for a signature. See signature.h. */
#include <stdio.h>

#include "webreport/measure/summary/signature_parts.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

void tp_count_keys_init(struct tp_count_keys *keys, struct tp_arena *arena)
{
    *keys = (struct tp_count_keys){.follow = TP_VEC(arena, uint32_t)};
    tp_keys_init(&keys->keys, arena, TP_COUNT_IDS);
    /* adds a sentinel at index 0, so that index 0 is never a real key */
    tp_keys_add(&keys->keys, (uint32_t[TP_COUNT_IDS]){TP_NO_ID, TP_NO_ID, TP_NO_ID, TP_NO_ID});
    *(uint32_t *)tp_vec_push(&keys->follow) = TP_NO_ID;
}

/* The count of one key in one step on one thread. */
struct part {
    uint32_t key, step, count;
};

/* State while the steps are counted, one step after the other. */
struct counting {
    struct tp_summary_work *work;
    struct tp_count_keys keys;
    /* steady steps: first_step to end_step - 1; step: index of the current step, TP_NO_ID: no step */
    uint32_t first_step, end_step, step;
    struct tp_vec now;          /* for each key: count of the key in the current step; elements: uint32_t */
    struct tp_vec counted_keys; /* keys with a count in the current step; elements: uint32_t */
    struct tp_vec parts;        /* elements: struct part */
};

/* ---- steps ---- */

static int64_t step_length_ns(const struct tp_step *step)
{
    return step->host_end_ns - step->host_start_ns;
}

/* Finds the steady steps. Up to a third of the steps is warm-up: leading steps that take more than 1.5 times the
 * median of the later half. */
static void find_steady_steps(struct counting *c)
{
    const struct tp_model *model = c->work->source->model;
    uint32_t count = model->step_count, later = count - count / 2;
    while (count && model->steps[count - 1].left_out == TP_STEP_UNFINISHED)
        count--;
    c->first_step = 0;
    c->end_step = count;
    if (count < 3)
        return;
    later = count - count / 2;
    struct tp_keyed *sorted = tp_arena_array(c->work->scratch, later, sizeof *sorted);
    for (uint32_t i = 0; i < later; i++)
        sorted[i] = (struct tp_keyed){step_length_ns(&model->steps[count / 2 + i]), i, i};
    tp_sort_keyed(sorted, later, c->work->scratch);
    double median = later % 2 ? (double)sorted[later / 2].key
                              : 0.5 * ((double)sorted[later / 2 - 1].key + (double)sorted[later / 2].key);
    while (c->first_step < count / 3 && (double)step_length_ns(&model->steps[c->first_step]) > 1.5 * median)
        c->first_step++;
}

static void store_step_counts(struct counting *c)
{
    for (size_t i = 0; i < c->counted_keys.count; i++) {
        uint32_t key = *TP_AT(&c->counted_keys, uint32_t, i), *now = TP_AT(&c->now, uint32_t, key);
        *(struct part *)tp_vec_push(&c->parts) = (struct part){key, c->step, *now};
        *now = 0;
    }
    c->counted_keys.count = 0;
    c->step = TP_NO_ID;
}

/* Adds 1 to the count of the key in the step. */
static inline void count_key_in_step(struct counting *c, uint32_t step, uint32_t key)
{
    if (step != c->step)
        store_step_counts(c);
    c->step = step;
    while (c->now.count <= key)
        *(uint32_t *)tp_vec_push(&c->now) = 0;
    uint32_t *now = TP_AT(&c->now, uint32_t, key);
    if (!*now)
        *(uint32_t *)tp_vec_push(&c->counted_keys) = key;
    ++*now;
}

static bool is_steady_step(const struct counting *c, uint32_t step)
{
    return step != TP_NO_ID && step >= c->first_step && step < c->end_step;
}

/* ---- counting ---- */

static void count_operators(struct counting *c)
{
    const struct tp_model *model = c->work->source->model;
    const struct tp_trace *trace = model->trace;
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        uint32_t near = 0;
        size_t loading = 0;
        store_step_counts(c);
        for (uint32_t i = model->order->thread_first[t]; i < model->order->thread_first[t + 1]; i++) {
            const struct tp_event *e = &trace->events[model->order->host[i]];
            if (e->kind != TP_KIND_OPERATOR)
                continue;
            uint32_t step = tp_step_of_host_time_near(model, e->ts_ns, &near);
            if (!is_steady_step(c, step))
                continue;
            bool is_loading =
                tp_intervals_contain_near(model->category_times[TP_CATEGORY_DATALOADER], e->ts_ns, &loading);
            count_key_in_step(c, step, tp_count_operator_key(&c->keys, trace, e, is_loading));
        }
    }
    store_step_counts(c);
}

/* Returns the label of the outermost operator around a launch call. */
static uint32_t owner_of_call(const struct tp_model *model, uint32_t launch)
{
    uint32_t op = model->launches.op[launch];
    if (op == TP_NO_ID)
        return TP_NO_ID;
    while (model->operators.parent[op] != TP_NO_ID)
        op = model->operators.parent[op];
    return tp_frames_label(&model->trace->frames, tp_operator_event(model, op)->name);
}

static void count_calls(struct counting *c)
{
    const struct tp_model *model = c->work->source->model;
    const uint64_t waits = TP_MARK_SYNC | TP_MARK_BLOCKING_COPY;
    uint32_t near = 0;
    for (uint32_t i = 0; i < model->launches.count; i++) {
        const struct tp_event *e = tp_launch_event(model, i);
        bool is_wait = model->marks[e->name] & waits;
        bool is_launch = model->marks[e->name] & TP_MARK_DEVICE_CALL &&
                         tp_str_find(tp_trace_event_name(model->trace, e), "Launch") >= 0;
        uint32_t step = is_wait || is_launch ? tp_step_of_host_time_near(model, e->ts_ns, &near) : TP_NO_ID;
        if (!is_steady_step(c, step))
            continue;
        if (is_wait)
            count_key_in_step(c, step,
                              tp_count_keys_add(&c->keys, (uint32_t[TP_COUNT_IDS]){TP_COUNT_WAIT, e->name,
                                                                                   owner_of_call(model, i), TP_NO_ID}));
        if (is_launch)
            count_key_in_step(
                c, step,
                tp_count_keys_add(&c->keys, (uint32_t[TP_COUNT_IDS]){TP_COUNT_LAUNCH, TP_NO_ID, TP_NO_ID, TP_NO_ID}));
    }
    store_step_counts(c);
}

static void count_device_work(struct counting *c)
{
    const struct tp_model *model = c->work->source->model;
    const struct tp_trace *trace = model->trace;
    uint32_t near = 0;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        bool has_shapes;
        uint32_t step = tp_step_of_device_near(model, k, &near), op = tp_operator_of_device(model, k, &has_shapes);
        uint32_t ids[TP_COUNT_IDS] = {e->kind == TP_KIND_KERNEL ? TP_COUNT_KERNEL : TP_COUNT_COPY, TP_NO_ID, TP_NO_ID,
                                      tp_frames_label(&trace->frames, e->name)};
        if (!is_steady_step(c, step))
            continue;
        if (op != TP_NO_ID) {
            const struct tp_event *owner = tp_operator_event(model, op);
            ids[1] = tp_frames_label(&trace->frames, owner->name);
            ids[2] = has_shapes ? trace->hosts[owner->detail].dims : TP_NO_ID;
        }
        count_key_in_step(c, step, tp_count_keys_add(&c->keys, ids));
    }
    store_step_counts(c);
}

static void count_allocations(struct counting *c)
{
    const struct tp_model *model = c->work->source->model;
    const struct tp_trace *trace = model->trace;
    uint32_t near = 0;
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *record = &trace->memory[i];
        if (record->bytes == TP_NULL_INT || record->bytes <= 0 || (record->flags & TP_MEMORY_OUT_OF_MEMORY))
            continue;
        uint32_t step = tp_step_of_host_time_near(model, record->ts_ns, &near);
        uint32_t ids[TP_COUNT_IDS] = {TP_COUNT_ALLOCATION, record->device, TP_NO_ID, TP_NO_ID};
        if (is_steady_step(c, step))
            count_key_in_step(c, step, tp_count_keys_add(&c->keys, ids));
    }
    store_step_counts(c);
}

/* ---- the most common counts ---- */

/* Sorts the parts by key and step. In the returned array `first`, the parts of key k are first[k] to first[k + 1] -
 * 1. */
static size_t *sort_counts_by_key_and_step(struct counting *c)
{
    uint32_t keys = tp_keys_count(&c->keys.keys);
    size_t *first = tp_arena_array(c->work->scratch, (size_t)keys + 2, sizeof *first);
    struct part *sorted = tp_arena_array(c->work->scratch, c->parts.count, sizeof *sorted);
    const struct part *parts = c->parts.data;
    for (size_t i = 0; i < c->parts.count; i++)
        first[parts[i].key + 2]++;
    for (uint32_t k = 0; k < keys; k++)
        first[k + 2] += first[k + 1];
    for (size_t i = 0; i < c->parts.count; i++)
        sorted[first[parts[i].key + 1]++] = parts[i];
    c->parts.data = sorted;
    return first;
}

/* ---- texts ---- */

static struct tp_str label_text(struct tp_summary_work *work, uint32_t label)
{
    return label == TP_NO_ID ? TP_STR("")
                             : tp_count_intern_text(work, tp_frames_label_text(&work->source->trace->frames, label));
}

static struct tp_str shape_text(struct tp_summary_work *work, uint32_t value)
{
    if (value == TP_NO_ID)
        return TP_STR("");
    return tp_count_intern_text(work, tp_value_shape_text(work->scratch, work->source->trace->values.items[value]));
}

static struct tp_str type_text(struct tp_summary_work *work, uint32_t value)
{
    return value == TP_NO_ID
               ? TP_STR("")
               : tp_count_intern_text(work, tp_summary_dtype_text(work, work->source->trace->values.items[value]));
}

static void fill_key_texts(struct tp_summary_work *work, struct tp_count_key *key, const uint32_t ids[TP_COUNT_IDS])
{
    const struct tp_trace *trace = work->source->trace;
    char text[48];
    key->kind = (uint8_t)ids[0];
    key->name = key->dims = key->detail = TP_STR("");
    switch (key->kind) {
    case TP_COUNT_OPERATOR:
    case TP_COUNT_LOADER:
        key->name = label_text(work, ids[1]);
        key->dims = shape_text(work, ids[2]);
        key->detail = type_text(work, ids[3]);
        break;
    case TP_COUNT_KERNEL:
    case TP_COUNT_COPY:
        key->name = label_text(work, ids[1]);
        key->dims = shape_text(work, ids[2]);
        key->detail = label_text(work, ids[3]);
        break;
    case TP_COUNT_WAIT:
        key->name = tp_count_intern_text(work, tp_strings_get(&trace->names, ids[1]));
        key->dims = label_text(work, ids[2]);
        break;
    case TP_COUNT_ALLOCATION: {
        int64_t type = trace->memory_places[ids[1]].type;
        int size = snprintf(text, sizeof text, "device %lld", type == TP_NULL_INT ? -1LL : (long long)type);
        key->name = tp_count_intern_text(work, (struct tp_str){text, (size_t)size});
        break;
    }
    default:
        break;
    }
}

/* ---- all ---- */

/* A key with its texts. number: index of the key during counting. */
struct named {
    struct tp_count_key key;
    uint32_t number;
};

static int compare_by_text(const void *x, const void *y, const void *context)
{
    (void)context;
    return tp_count_key_compare(&((const struct named *)x)->key, &((const struct named *)y)->key);
}

/* Returns a hash of the key and its count. Returns 0 if the count is exact and 0. */
static uint64_t key_hash(const struct tp_count_key *key)
{
    if (key->count == 0 && key->is_exact)
        return 0;
    uint64_t hash =
        tp_hash_mix((uint64_t)key->count + 1, 0x9E3779B97F4A7C15ull ^ key->kind ^ (uint64_t)key->is_exact << 8);
    const struct tp_str texts[] = {key->name, key->dims, key->detail};
    for (unsigned i = 0; i < 3; i++)
        hash = tp_hash_mix(hash ^ tp_hash_bytes(texts[i].ptr, texts[i].len), 0xE7037ED1A0B428DBull + i);
    return hash;
}

void tp_signature_update_hash(struct tp_signature *s)
{
    s->hash = 0;
    for (uint32_t i = 0; i < s->key_count; i++)
        s->hash += key_hash(&s->keys[i]);
    s->hash += s->hash == 0;
    tp_signature_hash_unfreed(s);
}

/* Copies the keys into the signature, in the order of a signature. Keys with equal texts are merged. Returns the new
 * index of each key. */
static uint32_t *copy_keys_to_signature(struct counting *c, struct named *named, uint32_t count)
{
    struct tp_signature *s = &c->work->out->signature;
    uint32_t *number = tp_arena_array(c->work->scratch, tp_keys_count(&c->keys.keys), sizeof *number);
    s->keys =
        tp_arena_array(c->work->arena, count < TP_MAX_SIGNATURE_KEYS ? count : TP_MAX_SIGNATURE_KEYS, sizeof *s->keys);
    tp_merge_sort(c->work->scratch, named, count, sizeof *named, compare_by_text, NULL);
    for (uint32_t i = 0; i < count; i++) {
        if (i && tp_count_key_compare(&named[i - 1].key, &named[i].key) == 0 && s->key_count && !s->is_cut) {
            s->keys[s->key_count - 1].count += named[i].key.count;
            s->keys[s->key_count - 1].is_exact &= named[i].key.is_exact;
        } else if (s->key_count < TP_MAX_SIGNATURE_KEYS) {
            s->keys[s->key_count++] = named[i].key;
        } else {
            s->is_cut = true;
        }
        number[named[i].number] = s->key_count - 1;
        s->hash += s->is_cut ? key_hash(&named[i].key) : 0;
    }
    for (uint32_t i = 0; i < s->key_count; i++)
        s->hash += key_hash(&s->keys[i]);
    s->hash += s->hash == 0;
    return number;
}

/* Returns the first step whose list of operators is the most common list. */
static uint32_t find_most_common_step(const struct counting *c)
{
    const struct part *parts = c->parts.data;
    uint32_t steps = c->end_step - c->first_step, best = 0, best_count = 0;
    uint64_t *hashes = tp_arena_array(c->work->scratch, steps, sizeof *hashes);
    struct tp_keyed *sorted = tp_arena_array(c->work->scratch, steps, sizeof *sorted);
    for (size_t i = 0, end; i < c->parts.count; i = end) {
        uint64_t count = 0;
        for (end = i; end < c->parts.count && parts[end].key == parts[i].key && parts[end].step == parts[i].step; end++)
            count += parts[end].count;
        if (tp_keys_get(&c->keys.keys, parts[i].key)[0] == TP_COUNT_OPERATOR)
            hashes[parts[i].step - c->first_step] += tp_hash_mix(parts[i].key + 0x9E3779B97F4A7C15ull, count + 0xE703);
    }
    for (uint32_t i = 0; i < steps; i++)
        sorted[i] = (struct tp_keyed){(int64_t)hashes[i], i, i};
    tp_sort_keyed(sorted, steps, c->work->scratch);
    for (uint32_t i = 0, end; i < steps; i = end) {
        for (end = i; end < steps && sorted[end].key == sorted[i].key; end++)
            continue;
        if (end - i > best_count || (end - i == best_count && sorted[i].item < best)) {
            best_count = end - i;
            best = sorted[i].item;
        }
    }
    return c->first_step + best;
}

/* Orders the parts of one key by step. */
static int compare_by_step(const void *x, const void *y, const void *context)
{
    const struct part *a = x, *b = y;
    (void)context;
    return (a->step > b->step) - (a->step < b->step);
}

static uint32_t *count_keys_of_steps(struct counting *c)
{
    struct tp_arena *scratch = c->work->scratch;
    uint32_t keys = tp_keys_count(&c->keys.keys), steps = c->end_step - c->first_step, count = 0;
    size_t *first = sort_counts_by_key_and_step(c);
    struct named *named = tp_arena_array(scratch, keys, sizeof *named);
    uint32_t *by_step_count = tp_arena_array(scratch, steps, sizeof *by_step_count);
    struct tp_keyed *sorted = tp_arena_array(scratch, steps, sizeof *sorted);
    for (uint32_t k = 1; k < keys; k++) {
        struct part *parts = (struct part *)c->parts.data + first[k];
        size_t part_count = first[k + 1] - first[k];
        tp_merge_sort(scratch, parts, part_count, sizeof *parts, compare_by_step, NULL);
        memset(by_step_count, 0, steps * sizeof *by_step_count);
        for (size_t i = 0; i < part_count; i++)
            by_step_count[parts[i].step - c->first_step] += parts[i].count;
        named[count].number = k;
        struct tp_count_key *key = &named[count].key;
        key->count = tp_count_most_common(by_step_count, sorted, steps, &key->is_exact, scratch);
        fill_key_texts(c->work, &named[count++].key, tp_keys_get(&c->keys.keys, k));
    }
    return copy_keys_to_signature(c, named, count);
}

void tp_signature_build(struct tp_summary_work *work)
{
    const struct tp_model *model = work->source->model;
    struct counting c = {.work = work,
                         .step = TP_NO_ID,
                         .now = TP_VEC(work->scratch, uint32_t),
                         .counted_keys = TP_VEC(work->scratch, uint32_t),
                         .parts = TP_VEC(work->scratch, struct part)};
    if (model->step_marker == TP_MARKER_WINDOW) /* the single step is the whole recording, so it is not typical */
        return;
    find_steady_steps(&c);
    if (c.first_step == c.end_step)
        return;
    tp_count_keys_init(&c.keys, work->scratch);
    count_operators(&c);
    count_calls(&c);
    count_device_work(&c);
    count_allocations(&c);
    work->out->signature.steady_count = c.end_step - c.first_step;
    uint32_t *number = count_keys_of_steps(&c);
    if (!work->out->signature.is_cut)
        tp_signature_calls_build(work, &c.keys, number, find_most_common_step(&c));
    tp_signature_loader_build(work, c.first_step, c.end_step);
    tp_signature_add_unfreed_blocks(work, c.first_step, c.end_step);
}
