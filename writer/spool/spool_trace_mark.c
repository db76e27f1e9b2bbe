/* Converts records of NVTX and ITT: ranges, instants, and their names and facts. See spool_trace.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "writer/spool/spool_trace_part.h"

static bool has_payload_of_size(const struct tp_spool_record *record, size_t size)
{
    return (size_t)record->slots * TP_SPOOL_SLOT >= size;
}

/* ---- collected names ---- */

static uint64_t category_key(uint32_t domain, uint32_t category)
{
    return (uint64_t)domain << 32 | category;
}

void tp_spool_gather_names(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    struct tp_spool_async thread;
    struct tp_spool_given_name given = {.name = tp_spool_trace_name(c, record)};
    if (record->kind == TP_SPOOL_MARK_CATEGORY && has_payload_of_size(record, TP_SPOOL_SHORT_MARK)) {
        struct tp_spool_mark mark = tp_spool_record_mark(record);
        given.key = category_key(mark.domain, mark.category);
        *(struct tp_spool_given_name *)tp_vec_push(&c->categories) = given;
    } else if (record->kind == TP_SPOOL_MARK_THREAD && has_payload_of_size(record, sizeof thread)) {
        memcpy(&thread, tp_spool_payload(record), sizeof thread);
        given.key = thread.id;
        *(struct tp_spool_given_name *)tp_vec_push(&c->threads) = given;
    }
}

/* Compares names by key, then by position in the file, because only the last name of each key is used. */
static int compare_by_key(const void *x, const void *y)
{
    const struct tp_spool_given_name *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->name.ptr > b->name.ptr) - (a->name.ptr < b->name.ptr);
}

static void keep_last_names(struct tp_vec *names)
{
    struct tp_spool_given_name *all = names->data;
    size_t kept = 0;
    if (names->count)
        qsort(all, names->count, sizeof *all, compare_by_key);
    for (size_t i = 0; i < names->count; i++)
        if (i + 1 == names->count || all[i + 1].key != all[i].key)
            all[kept++] = all[i];
    names->count = kept;
}

void tp_spool_sort_names(struct tp_spool_conversion *c)
{
    keep_last_names(&c->categories);
    keep_last_names(&c->threads);
}

static const struct tp_spool_given_name *find_name(const struct tp_vec *names, uint64_t key)
{
    size_t low = 0, high = names->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (TP_AT(names, struct tp_spool_given_name, middle)->key < key)
            low = middle + 1;
        else
            high = middle;
    }
    const struct tp_spool_given_name *found = low < names->count ? TP_AT(names, struct tp_spool_given_name, low) : NULL;
    return found && found->key == key ? found : NULL;
}

struct tp_str tp_spool_thread_name(const struct tp_spool_conversion *c, const struct tp_spool_thread *thread)
{
    const struct tp_spool_given_name *given = find_name(&c->threads, thread->tid);
    return given ? given->name : thread->name;
}

/* ---- arguments ---- */

static struct tp_trace_out_arg *append_argument(struct tp_trace_out_arg *args, size_t *count,
                                                enum tp_trace_out_type type, struct tp_str name)
{
    struct tp_trace_out_arg *arg = &args[(*count)++];
    *arg = (struct tp_trace_out_arg){.key = TP_OUT_NAMED, .type = type, .name = name};
    return arg;
}

/* Returns a copy of a text that is valid during the whole conversion. */
static struct tp_str copy_text(const struct tp_spool_conversion *c, const char *text)
{
    size_t len = strlen(text);
    return (struct tp_str){tp_arena_copy(c->arena, text, len), len};
}

static void set_value(const struct tp_spool_conversion *c, struct tp_trace_out_arg *arg, uint8_t type, uint64_t bits)
{
    char digits[24];
    arg->type = type == TP_SPOOL_REAL ? TP_OUT_REAL : TP_OUT_INT;
    if (type == TP_SPOOL_REAL) {
        memcpy(&arg->value.real, &bits, sizeof bits);
    } else if (type == TP_SPOOL_UNSIGNED && bits > INT64_MAX) {
        snprintf(digits, sizeof digits, "%" PRIu64, bits);
        arg->type = TP_OUT_JSON; /* written as JSON, because the number is too large for the writer's integers */
        arg->value.text = copy_text(c, digits);
    } else {
        arg->value.integer = (int64_t)bits;
    }
}

/* Returns the values of a fact as a JSON list. */
static struct tp_str make_json_list(struct tp_spool_conversion *c, const char *values, uint32_t count, uint8_t type)
{
    char number[40];
    c->text.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits;
        double real;
        memcpy(&bits, values + (size_t)i * sizeof bits, sizeof bits);
        memcpy(&real, &bits, sizeof bits);
        int n = type != TP_SPOOL_REAL
                    ? snprintf(number, sizeof number, type == TP_SPOOL_SIGNED ? "%" PRId64 : "%" PRIu64, bits)
                : real - real == 0 ? snprintf(number, sizeof number, "%.17g", real)
                                   : snprintf(number, sizeof number, "null");
        *(char *)tp_vec_push(&c->text) = i ? ',' : '[';
        for (int k = 0; k < n; k++)
            *(char *)tp_vec_push(&c->text) = number[k];
    }
    *(char *)tp_vec_push(&c->text) = ']';
    return (struct tp_str){tp_arena_copy(c->arena, c->text.data, c->text.count), c->text.count};
}

/* Returns the argument for a fact. A repeated fact replaces the earlier one. A fact with the same name as an argument
 * of the writer gets another name. ours: number of the writer's own arguments, which come first in the list. */
static struct tp_trace_out_arg *find_or_add_fact_arg(struct tp_spool_conversion *c, struct tp_str name,
                                                     struct tp_trace_out_arg *args, size_t ours, size_t *count)
{
    static const char prefix[] = "metadata ";
    name = name.len ? name : TP_STR("metadata");
    /* spool_trace_lane.c may add an argument of this name */
    bool is_taken = tp_str_equal(name, TP_STR("duration_ns")) || tp_str_equal(name, TP_STR("color")) ||
                    tp_str_equal(name, TP_STR("kind"));
    for (size_t i = 0; i < ours; i++)
        is_taken |= tp_str_equal(args[i].name, name);
    if (is_taken) {
        char *text = tp_arena_alloc(c->arena, sizeof prefix + name.len);
        memcpy(text, prefix, sizeof prefix - 1);
        memcpy(text + sizeof prefix - 1, name.ptr, name.len);
        name = (struct tp_str){text, sizeof prefix - 1 + name.len};
    }
    for (size_t i = ours; i < *count; i++)
        if (tp_str_equal(args[i].name, name))
            return &args[i];
    return append_argument(args, count, TP_OUT_TEXT, name);
}

static void set_color(struct tp_spool_conversion *c, struct tp_trace_out_arg *args, size_t *count, int length)
{
    struct tp_str name = TP_STR("color");
    size_t at = 0;
    while (at < *count && !(args[at].key == TP_OUT_NAMED && tp_str_equal(args[at].name, name)))
        at++;
    struct tp_trace_out_arg *arg = at < *count ? &args[at] : append_argument(args, count, TP_OUT_TEXT, name);
    arg->value.text = (struct tp_str){c->color, (size_t)length};
}

static void add_color(struct tp_spool_conversion *c, uint32_t color, struct tp_trace_out_arg *args, size_t *count)
{
    set_color(c, args, count, snprintf(c->color, sizeof c->color, "#%08" PRIX32, color));
}

/* Sets the colour of a range that the program's own calls began. If several colours are set, the last one is used. */
static void add_range_color(struct tp_spool_conversion *c, const char *values, size_t size,
                            struct tp_trace_out_arg *args, size_t *count)
{
    uint64_t color;
    if (size < sizeof color)
        return;
    memcpy(&color, values, sizeof color);
    set_color(c, args, count, snprintf(c->color, sizeof c->color, "#%06" PRIX32, (uint32_t)color & 0xFFFFFF));
}

static void add_argument_of_fact(struct tp_spool_conversion *c, const struct tp_spool_record *record,
                                 struct tp_trace_out_arg *args, size_t ours, size_t *count)
{
    struct tp_spool_fact_head head;
    memcpy(&head, tp_spool_payload(record), sizeof head);
    const char *values = tp_spool_payload(record) + sizeof head;
    const char *end = tp_spool_payload(record) + (size_t)record->slots * TP_SPOOL_SLOT;
    if (head.type == TP_SPOOL_COLOR) {
        add_range_color(c, values, (size_t)(end - values), args, count);
        return;
    }
    struct tp_trace_out_arg *arg = find_or_add_fact_arg(c, tp_spool_trace_name(c, record), args, ours, count);
    if (head.type == TP_SPOOL_TEXT || record->name == TP_SPOOL_NO_NAME) {
        size_t padded = (size_t)(record->text + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT * TP_SPOOL_SLOT;
        arg->type = TP_OUT_TEXT;
        arg->value.text = (struct tp_str){end - padded, record->text};
        return;
    }
    uint32_t there = (uint32_t)((size_t)(end - values) / sizeof(uint64_t));
    uint64_t bits = 0;
    if (there)
        memcpy(&bits, values, sizeof bits);
    if (head.count == 1 && there)
        set_value(c, arg, head.type, bits);
    else {
        arg->type = TP_OUT_JSON;
        arg->value.text = head.count && there
                              ? make_json_list(c, values, head.count < there ? head.count : there, head.type)
                              : TP_STR("[]");
    }
}

struct tp_str tp_spool_domain_name(const struct tp_spool_conversion *c, uint32_t domain)
{
    uint32_t name = domain & ~TP_SPOOL_ITT;
    return name < c->file->name_count && c->file->names[name].ptr ? c->file->names[name] : (struct tp_str){"", 0};
}

size_t tp_spool_add_kind_arg(uint32_t kind, struct tp_trace_out_arg *args, size_t count)
{
    static const char *const kinds[TP_SPOOL_WORK_KINDS] = {NULL,   "compute", "input", "communication",
                                                           "copy", "wait",    "sync"};
    if (kind < TP_SPOOL_WORK_KINDS && kinds[kind])
        append_argument(args, &count, TP_OUT_TEXT, TP_STR("kind"))->value.text = tp_str_of(kinds[kind]);
    return count;
}

size_t tp_spool_add_fact_args(struct tp_spool_conversion *c, uint32_t fact, struct tp_trace_out_arg *args, size_t count)
{
    /* facts: indexes of the range's last facts, newest first; found: their number */
    uint32_t facts[TP_SPOOL_MARK_FACTS], found = 0;
    for (; fact != TP_NO_ID && found < TP_SPOOL_MARK_FACTS;
         fact = TP_AT(&c->facts, struct tp_spool_range_fact, fact)->next)
        facts[found++] = fact;
    size_t ours = count;
    while (found-- > 0)
        add_argument_of_fact(c, TP_AT(&c->facts, struct tp_spool_range_fact, facts[found])->record, args, ours, &count);
    return count;
}

size_t tp_spool_fill_mark_args(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint32_t fact,
                               struct tp_trace_out_arg *args)
{
    size_t n = 0;
    struct tp_spool_mark mark = tp_spool_record_mark(record);
    const struct tp_spool_given_name *category = find_name(&c->categories, category_key(mark.domain, mark.category));
    struct tp_str domain = tp_spool_domain_name(c, mark.domain);
    if (domain.len)
        append_argument(args, &n, TP_OUT_TEXT, TP_STR("domain"))->value.text = domain;
    if (mark.category && category)
        append_argument(args, &n, TP_OUT_TEXT, TP_STR("category"))->value.text = category->name;
    else if (mark.category)
        append_argument(args, &n, TP_OUT_INT, TP_STR("category"))->value.integer = mark.category;
    if (mark.value_type >= TP_SPOOL_UNSIGNED && mark.value_type <= TP_SPOOL_REAL)
        set_value(c, append_argument(args, &n, TP_OUT_INT, TP_STR("payload")), mark.value_type, mark.value);
    if (mark.has_color)
        add_color(c, mark.color, args, &n);
    return tp_spool_add_fact_args(c, fact, args, n);
}

/* ---- records ---- */

static void write_point(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct tp_trace_out_arg args[TP_SPOOL_MARK_ARGS];
    const struct tp_trace_out_event event = {.category = TP_OUT_USER_ANNOTATION,
                                             .name = tp_spool_trace_name(c, record),
                                             .pid = (int64_t)c->file->head.pid,
                                             .tid = (int64_t)tid,
                                             .ts_ns = tp_spool_trace_time_ns(c, record),
                                             .args = args,
                                             .arg_count = tp_spool_fill_mark_args(c, record, TP_NO_ID, args)};
    tp_trace_out_instant(c->out, &event);
    c->result->event_count++;
}

static void add_work_fact(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint32_t number)
{
    if (!c->has_work)
        return;
    struct tp_spool_lane_range *work = TP_AT(&c->works, struct tp_spool_lane_range, c->works.count - 1);
    *(struct tp_spool_range_fact *)tp_vec_push(&c->facts) = (struct tp_spool_range_fact){record, work->fact};
    work->fact = number;
}

/* Returns the position of the next start, end or fact with a key. Each of them adds one element to one of the lists. */
static uint32_t next_position(const struct tp_spool_conversion *c)
{
    return (uint32_t)(c->lane_ranges.count + c->keyed.count);
}

/* Adds the end of the range with this key (fact: TP_NO_ID), or a fact about it. */
static void add_keyed(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t key, uint32_t fact)
{
    const struct tp_spool_keyed keyed = {
        .key = key, .at_ns = tp_spool_trace_time_ns(c, record), .fact = fact, .position = next_position(c)};
    *(struct tp_spool_keyed *)tp_vec_push(&c->keyed) = keyed;
}

/* Adds a fact to an open range of this thread. If the fact has a key, adds it to the range with this key, which may be
 * on another row. */
static void add_fact_to_range(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    (void)tid;
    struct tp_spool_fact_head head;
    memcpy(&head, tp_spool_payload(record), sizeof head);
    uint32_t number = (uint32_t)c->facts.count;
    if (head.domain == TP_SPOOL_OF_WORK) {
        add_work_fact(c, record, number);
        return;
    }
    struct tp_spool_range *range =
        head.domain == TP_SPOOL_OF_RANGE ? tp_spool_open_call(c) : tp_spool_open_mark(c, head.domain, head.key);
    if (!range && (head.key == 0 || head.domain == TP_SPOOL_OF_RANGE))
        return;
    *(struct tp_spool_range_fact *)tp_vec_push(&c->facts) =
        (struct tp_spool_range_fact){record, range ? range->fact : TP_NO_ID};
    if (range)
        range->fact = number;
    else
        add_keyed(c, record, head.key, number);
}

static void begin_range_of_mark(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    (void)tid;
    tp_spool_begin_range(c, record);
}

static void end_innermost_mark(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    (void)tid;
    tp_spool_pop_mark(c, record->name, tp_spool_trace_time_ns(c, record));
}

static void begin_lane_range(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    (void)tid;
    struct tp_spool_mark mark = tp_spool_record_mark(record);
    const struct tp_spool_lane_range range = {.start_ns = tp_spool_trace_time_ns(c, record),
                                              .dur_ns = -1,
                                              .record = record,
                                              .key = mark.key,
                                              .group = tp_spool_mark_group(&mark),
                                              .fact = TP_NO_ID,
                                              .position = next_position(c)};
    *(struct tp_spool_lane_range *)tp_vec_push(&c->lane_ranges) = range;
}

static void end_lane_range(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    (void)tid;
    struct tp_spool_async finished;
    memcpy(&finished, tp_spool_payload(record), sizeof finished);
    add_keyed(c, record, finished.id, TP_NO_ID);
}

static void add_range_of_span(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct tp_spool_span span;
    memcpy(&span, tp_spool_payload(record) + sizeof(struct tp_spool_mark), sizeof span);
    int64_t begin = tp_spool_realtime_ns(c->file, span.begin) - c->base_ns,
            end = tp_spool_realtime_ns(c->file, span.end) - c->base_ns;
    begin_lane_range(c, record, tid);
    struct tp_spool_lane_range *range = TP_AT(&c->lane_ranges, struct tp_spool_lane_range, c->lane_ranges.count - 1);
    range->start_ns = begin;
    range->dur_ns = end > begin ? end - begin : 0;
}

static void ignore_record(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    (void)c, (void)record, (void)tid; /* names were collected before, in tp_spool_gather_names */
}

void tp_spool_read_mark(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    static const struct {
        void (*read)(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
        size_t payload_bytes;
    } marks[] = {
        [TP_SPOOL_MARK_PUSH - TP_SPOOL_MARK_PUSH] = {begin_range_of_mark, TP_SPOOL_SHORT_MARK},
        [TP_SPOOL_MARK_POP - TP_SPOOL_MARK_PUSH] = {end_innermost_mark, 0},
        [TP_SPOOL_MARK_START - TP_SPOOL_MARK_PUSH] = {begin_lane_range, TP_SPOOL_SHORT_MARK},
        [TP_SPOOL_MARK_FINISH - TP_SPOOL_MARK_PUSH] = {end_lane_range, sizeof(struct tp_spool_async)},
        [TP_SPOOL_MARK_SPAN -
            TP_SPOOL_MARK_PUSH] = {add_range_of_span, sizeof(struct tp_spool_mark) + sizeof(struct tp_spool_span)},
        [TP_SPOOL_MARK_POINT - TP_SPOOL_MARK_PUSH] = {write_point, TP_SPOOL_SHORT_MARK},
        [TP_SPOOL_MARK_CATEGORY - TP_SPOOL_MARK_PUSH] = {ignore_record, TP_SPOOL_SHORT_MARK},
        [TP_SPOOL_MARK_THREAD - TP_SPOOL_MARK_PUSH] = {ignore_record, sizeof(struct tp_spool_async)},
        [TP_SPOOL_MARK_FACT - TP_SPOOL_MARK_PUSH] = {add_fact_to_range, sizeof(struct tp_spool_fact_head)},
    };
    unsigned i = record->kind - (unsigned)TP_SPOOL_MARK_PUSH;
    if (i >= sizeof marks / sizeof *marks || !has_payload_of_size(record, marks[i].payload_bytes))
        c->result->broken_count++;
    else
        marks[i].read(c, record, tid);
}
