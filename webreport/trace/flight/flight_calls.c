/* Makes calls of the entries of a dump: see flight_dump.h. */
#include <math.h>

#include "webreport/trace/flight/flight_value.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

/* ---- plain members ---- */

static struct tp_str text_or_empty(const struct tp_flight_value *value)
{
    return value->kind == TP_FLIGHT_TEXT ? value->text : (struct tp_str){"", 0};
}

static int64_t int_or(const struct tp_flight_value *value, int64_t other)
{
    return value->kind == TP_FLIGHT_INT ? value->integer : other;
}

static int64_t int_member(const struct tp_flight_members *members, enum tp_flight_key key, int64_t other)
{
    struct tp_flight_value value = tp_flight_member(members, key);
    return int_or(&value, other);
}

static uint32_t add_text(struct tp_flight_dump *dump, struct tp_str text)
{
    return tp_strings_add(&dump->texts, text);
}

/* Returns whether Python treats a value as true. */
static bool is_true(struct tp_flight_source *source, const struct tp_flight_value *value)
{
    struct tp_flight_walk walk;
    struct tp_flight_value item;
    switch (value->kind) {
    case TP_FLIGHT_NOTHING:
        return false;
    case TP_FLIGHT_BOOL:
    case TP_FLIGHT_INT:
        return value->integer != 0;
    case TP_FLIGHT_REAL:
        return value->real != 0;
    case TP_FLIGHT_TEXT:
        return value->text.len > 0;
    default:
        tp_flight_walk_begin(&walk, source, value);
        return tp_flight_walk_next(&walk, NULL, &item);
    }
}

/* ---- tensors ---- */

/* Returns the number of elements of a tensor. shape: list of at most TP_MAX_FLIGHT_DIMENSIONS sizes. */
static int64_t element_count(struct tp_flight_source *source, const struct tp_flight_value *shape)
{
    struct tp_flight_walk walk;
    struct tp_flight_value size;
    int64_t product = 1;
    unsigned count = 0;
    if (shape->kind != TP_FLIGHT_LIST)
        return 1;
    tp_flight_walk_begin(&walk, source, shape);
    while (count++ < TP_MAX_FLIGHT_DIMENSIONS && tp_flight_walk_next(&walk, NULL, &size))
        product = tp_sat_mul(product, int_or(&size, 0));
    return product;
}

/* Returns the number of elements of all tensors, and sets *tensor_count to their number. */
static int64_t sum_elements(struct tp_flight_source *source, const struct tp_flight_value *shapes,
                            unsigned *tensor_count)
{
    struct tp_flight_walk walk;
    struct tp_flight_value shape;
    int64_t sum = 0;
    *tensor_count = 0;
    if (shapes->kind != TP_FLIGHT_LIST)
        return 0;
    tp_flight_walk_begin(&walk, source, shapes);
    while (*tensor_count < TP_MAX_FLIGHT_TENSORS && tp_flight_walk_next(&walk, NULL, &shape)) {
        sum = tp_sat_add(sum, element_count(source, &shape));
        ++*tensor_count;
    }
    return sum;
}

/* Adds a list of texts as one text, with a NUL at the end of each. */
static uint32_t add_types(struct tp_flight_dump *dump, struct tp_flight_source *source,
                          const struct tp_flight_value *types)
{
    struct tp_flight_walk walk;
    struct tp_flight_value type;
    struct tp_vec joined = TP_VEC(source->scratch, char);
    unsigned count = 0;
    if (types->kind != TP_FLIGHT_LIST)
        return add_text(dump, (struct tp_str){"", 0});
    tp_flight_walk_begin(&walk, source, types);
    while (count++ < TP_MAX_FLIGHT_TENSORS && tp_flight_walk_next(&walk, NULL, &type)) {
        tp_vec_add_text(&joined, text_or_empty(&type));
        *(char *)tp_vec_push(&joined) = '\0';
    }
    return add_text(dump, (struct tp_str){joined.count ? joined.data : "", joined.count});
}

/* ---- stacks ---- */

static uint32_t add_stack(struct tp_flight_dump *dump, struct tp_flight_source *source,
                          const struct tp_flight_value *frames)
{
    struct tp_flight_walk walk;
    struct tp_flight_value item;
    struct tp_flight_members members;
    struct tp_flight_frame stack[TP_MAX_FLIGHT_FRAMES];
    size_t count = 0, seen = 0;
    tp_flight_walk_begin(&walk, source, frames);
    while (frames->kind == TP_FLIGHT_LIST && seen++ < TP_MAX_FLIGHT_FRAMES && tp_flight_walk_next(&walk, NULL, &item)) {
        if (item.kind != TP_FLIGHT_DICT)
            continue;
        tp_flight_members_fill(&members, source, &item);
        struct tp_flight_value name = tp_flight_member(&members, TP_FLIGHT_KEY_NAME);
        struct tp_flight_value file = tp_flight_member(&members, TP_FLIGHT_KEY_FILENAME);
        memset(&stack[count], 0, sizeof stack[count]); /* stacks are compared as bytes */
        stack[count].name = add_text(dump, text_or_empty(&name));
        stack[count].file = add_text(dump, text_or_empty(&file));
        stack[count++].line = int_member(&members, TP_FLIGHT_KEY_LINE, 0);
    }
    return tp_strings_add(&dump->stacks, (struct tp_str){(const char *)stack, count * sizeof *stack});
}

/* ---- names ---- */

/* Reads a rank. *text: moves behind the digits. Returns false if there are no digits. */
static bool read_rank(struct tp_str *text, int32_t *rank)
{
    const char *start = text->ptr;
    int64_t number = 0;
    while (text->len && tp_is_digit(*text->ptr)) {
        number = tp_sat_add(tp_sat_mul(number, 10), *text->ptr - '0');
        text->ptr++, text->len--;
    }
    *rank = number < INT32_MAX ? (int32_t)number : INT32_MAX;
    return text->ptr > start;
}

/* Skips a word at the start of *text. Returns false if the text does not begin with it. */
static bool skip(struct tp_str *text, const char *word)
{
    size_t size = strlen(word);
    if (!tp_str_starts(*text, word))
        return false;
    text->ptr += size, text->len -= size;
    return true;
}

/* Recognizes "send 0->1" and "recv 1<-0". Returns the name without the ranks; NULL for other operations. */
static const char *read_peers(struct tp_flight_call *call, struct tp_str op)
{
    int32_t own, peer;
    const char *name = skip(&op, "send ") ? "send" : skip(&op, "recv ") ? "recv" : NULL;
    if (!name || !read_rank(&op, &own) || !skip(&op, *name == 's' ? "->" : "<-") || !read_rank(&op, &peer) || op.len)
        return NULL;
    call->source = *name == 's' ? own : peer;
    call->target = *name == 's' ? peer : own;
    return name;
}

/* Splits a name such as "nccl:all_reduce" or "nccl:send 0->1". */
static void set_operation(struct tp_flight_dump *dump, struct tp_flight_call *call, struct tp_str name)
{
    const char *colon = memchr(name.ptr, ':', name.len);
    struct tp_str backend = {"", 0}, op = name;
    if (colon && colon + 1 < name.ptr + name.len) {
        backend = (struct tp_str){name.ptr, (size_t)(colon - name.ptr)};
        op = (struct tp_str){colon + 1, name.len - backend.len - 1};
    }
    call->source = call->target = -1;
    const char *peers = read_peers(call, op);
    call->is_p2p |= peers != NULL;
    call->backend = add_text(dump, backend);
    call->op = add_text(dump, peers ? tp_str_of(peers) : op);
}

/* Reads the name and description of the group: a pair of texts, or in old versions only the name. */
static void set_group(struct tp_flight_dump *dump, struct tp_flight_source *source, struct tp_flight_call *call,
                      const struct tp_flight_value *group)
{
    struct tp_flight_walk walk;
    struct tp_flight_value name = *group, description = {.kind = TP_FLIGHT_NOTHING};
    tp_flight_walk_begin(&walk, source, group);
    if (group->kind == TP_FLIGHT_LIST &&
        (!tp_flight_walk_next(&walk, NULL, &name) || !tp_flight_walk_next(&walk, NULL, &description)))
        name.kind = TP_FLIGHT_NOTHING;
    call->group = add_text(dump, text_or_empty(&name));
    call->description = add_text(dump, text_or_empty(&description));
}

/* ---- entries ---- */

static void set_tensors(struct tp_flight_dump *dump, struct tp_flight_source *source, struct tp_flight_call *call,
                        const struct tp_flight_members *members)
{
    unsigned count;
    struct tp_flight_value inputs = tp_flight_member(members, TP_FLIGHT_KEY_INPUT_SIZES);
    struct tp_flight_value outputs = tp_flight_member(members, TP_FLIGHT_KEY_OUTPUT_SIZES);
    struct tp_flight_value input_types = tp_flight_member(members, TP_FLIGHT_KEY_INPUT_TYPES);
    struct tp_flight_value output_types = tp_flight_member(members, TP_FLIGHT_KEY_OUTPUT_TYPES);
    call->output_elements = sum_elements(source, &outputs, &count);
    call->input_elements = sum_elements(source, &inputs, &count);
    call->has_inputs = count > 0;
    call->input_types = add_types(dump, source, &input_types);
    call->output_types = add_types(dump, source, &output_types);
}

/* Returns the state; entries without one are scheduled. */
static struct tp_str state_of(const struct tp_flight_members *members)
{
    struct tp_flight_value state = tp_flight_member(members, TP_FLIGHT_KEY_STATE);
    return state.kind == TP_FLIGHT_TEXT ? state.text : TP_STR("scheduled");
}

static double duration_of(const struct tp_flight_members *members)
{
    struct tp_flight_value duration = tp_flight_member(members, TP_FLIGHT_KEY_DURATION);
    return duration.kind == TP_FLIGHT_INT    ? (double)duration.integer
           : duration.kind == TP_FLIGHT_REAL ? duration.real
                                             : (double)NAN;
}

void tp_flight_add_entry(struct tp_flight_dump *dump, struct tp_flight_source *source,
                         const struct tp_flight_value *entry)
{
    struct tp_flight_members members;
    if (entry->kind != TP_FLIGHT_DICT)
        return;
    tp_flight_members_fill(&members, source, entry);
    struct tp_flight_value name = tp_flight_member(&members, TP_FLIGHT_KEY_PROFILING_NAME);
    struct tp_flight_value group = tp_flight_member(&members, TP_FLIGHT_KEY_PROCESS_GROUP);
    struct tp_flight_value is_p2p = tp_flight_member(&members, TP_FLIGHT_KEY_IS_P2P);
    struct tp_flight_value retired = tp_flight_member(&members, TP_FLIGHT_KEY_RETIRED);
    struct tp_flight_value frames = tp_flight_member(&members, TP_FLIGHT_KEY_FRAMES);
    struct tp_flight_call call = {.record_id = int_member(&members, TP_FLIGHT_KEY_RECORD_ID, -1),
                                  .group_id = int_member(&members, TP_FLIGHT_KEY_PG_ID, -1),
                                  .time_ns = int_member(&members, TP_FLIGHT_KEY_TIME_CREATED, 0),
                                  .duration_ms = duration_of(&members),
                                  .is_retired = retired.kind == TP_FLIGHT_BOOL && retired.integer,
                                  .is_p2p = is_true(source, &is_p2p)};
    set_group(dump, source, &call, &group);
    set_operation(dump, &call, text_or_empty(&name));
    call.sequence = int_member(&members, call.is_p2p ? TP_FLIGHT_KEY_P2P_SEQ : TP_FLIGHT_KEY_COLLECTIVE_SEQ,
                               int_member(&members, TP_FLIGHT_KEY_SEQ, -1));
    call.state = add_text(dump, state_of(&members));
    set_tensors(dump, source, &call, &members);
    call.stack = add_stack(dump, source, &frames);
    *(struct tp_flight_call *)tp_vec_push(&dump->calls) = call;
}
