/* Reads memory timelines: see memory_timeline.h.
 *
 * A state machine follows the brackets and numbers byte by byte, and tp_strict_feed checks that the text is JSON. Lists
 * are in lists of depth 1 to 3, so that nothing is recursive. */
#include "webreport/trace/snapshot/memory_timeline.h"

#include "webreport/trace/feed.h"
#include "webreport/trace/json/strict.h"
#include "writer/base/arena.h"
#include "writer/base/limits.h"
#include "writer/base/table.h" /* for the macro TP_NULL_INT */

#define DAMAGED "this memory timeline of torch (export_memory_timeline) cannot be read: "

/* Limits of times and of the bytes of a category, so that no sum of them exceeds 64 bits. */
#define MOST_TIME_US (INT64_MAX / 4000)
#define MOST_BYTES (INT64_C(1) << 56)

enum { SIZES = 1 + TP_TIMELINE_CATEGORIES, RAW_NUMBERS = 4, ACTIONS = 4 };
enum form { FORM_UNKNOWN, FORM_SIZES, FORM_RAW };

struct reader {
    struct tp_memory_timeline *timeline;
    struct tp_error *err;
    struct tp_feed *feed;
    enum form form;
    unsigned depth;        /* number of open lists */
    int64_t list_count;    /* lists of depth 2 so far */
    unsigned number_count; /* numbers of the innermost list */
    int64_t row[SIZES];    /* the first numbers of the innermost list */
    struct tp_vec times;   /* numbers of the first list; elements: int64_t */
    int64_t sums[TP_TIMELINE_CATEGORIES];
    int64_t group_filled; /* points in the last group of the curve */
    bool has_number, is_negative;
    uint64_t number; /* absolute value of the number that is being read */
};

const char *tp_timeline_category_text(unsigned category)
{
    static const char *const names[TP_TIMELINE_CATEGORIES] = {"parameters",      "optimizer state", "inputs",
                                                              "temporaries",     "activations",     "gradients",
                                                              "autograd detail", "unknown"};
    return names[category];
}

static int refuse(const struct reader *reader, const char *why)
{
    return tp_error_set(reader->err, TP_EFORMAT, 0, DAMAGED "%s", why);
}

static int refuse_rows(const struct reader *reader)
{
    return refuse(reader, "a row is not [time, action 1 to 4, bytes, category 0 to 7]");
}

static int refuse_sizes(const struct reader *reader)
{
    return refuse(reader, "times and sizes do not match");
}

/* ---- points ---- */

/* Joins each two groups of the curve, so that each group has twice as many points. */
static void halve_curve(struct tp_memory_timeline *timeline)
{
    for (size_t i = 0; i < TP_TIMELINE_POINTS / 2; i++) {
        const struct tp_timeline_point *pair = &timeline->curve[2 * i];
        timeline->curve[i] = pair[pair[1].total > pair[0].total];
    }
    timeline->curve_count = TP_TIMELINE_POINTS / 2;
    timeline->group_size *= 2;
}

static void add_to_curve(struct reader *reader, const struct tp_timeline_point *point)
{
    struct tp_memory_timeline *timeline = reader->timeline;
    if (reader->group_filled == timeline->group_size || !timeline->curve_count) {
        if (timeline->curve_count == TP_TIMELINE_POINTS)
            halve_curve(timeline);
        timeline->curve[timeline->curve_count++] = *point;
        reader->group_filled = 0;
    } else if (point->total > timeline->curve[timeline->curve_count - 1].total) {
        timeline->curve[timeline->curve_count - 1] = *point;
    }
    reader->group_filled++;
}

static int add_point(struct reader *reader, int64_t time_us, const int64_t *bytes)
{
    struct tp_memory_timeline *timeline = reader->timeline;
    struct tp_timeline_point point = {.time_us = time_us};
    if (time_us != TP_NULL_INT && (time_us > MOST_TIME_US || time_us < -MOST_TIME_US))
        return refuse(reader, "a time is out of range");
    for (unsigned i = 0; i < TP_TIMELINE_CATEGORIES; i++) {
        if (bytes[i] > MOST_BYTES || bytes[i] < -MOST_BYTES)
            return refuse(reader, "the bytes add up to more than 56 bits");
        point.bytes[i] = bytes[i];
        point.total += bytes[i];
        if (!timeline->point_count || bytes[i] > timeline->largest[i])
            timeline->largest[i] = bytes[i];
    }
    if (!timeline->point_count)
        timeline->start = point;
    if (!timeline->point_count || point.total > timeline->peak.total) {
        timeline->peak = point;
        timeline->peak_index = timeline->point_count;
    }
    if (time_us != TP_NULL_INT && time_us < timeline->first_us)
        timeline->first_us = time_us;
    if (time_us != TP_NULL_INT && time_us > timeline->last_us)
        timeline->last_us = time_us;
    timeline->end = point;
    timeline->point_count++;
    add_to_curve(reader, &point);
    return TP_OK;
}

static int add_sizes(struct reader *reader)
{
    if (reader->number_count != SIZES || (size_t)reader->timeline->point_count >= reader->times.count)
        return refuse_sizes(reader);
    return add_point(reader, *TP_AT(&reader->times, int64_t, reader->timeline->point_count), reader->row + 1);
}

static int add_raw_row(struct reader *reader)
{
    int64_t time_ns = reader->row[0], action = reader->row[1], category = reader->row[3];
    if (reader->number_count != RAW_NUMBERS || action < 1 || action > ACTIONS || category < 0 ||
        category >= TP_TIMELINE_CATEGORIES)
        return refuse_rows(reader);
    int64_t *sum = &reader->sums[category];
    if (__builtin_add_overflow(*sum, reader->row[2], sum))
        return refuse(reader, "the bytes add up to more than 56 bits");
    return add_point(reader, time_ns < 0 ? TP_NULL_INT : time_ns / 1000, reader->sums);
}

/* ---- brackets and numbers ---- */

/* Starts the raw form, whose first row is the first list. */
static int begin_raw(struct reader *reader)
{
    reader->form = FORM_RAW;
    reader->number_count = (unsigned)(reader->times.count < SIZES ? reader->times.count : SIZES);
    for (unsigned i = 0; i < reader->number_count; i++)
        reader->row[i] = *TP_AT(&reader->times, int64_t, i);
    int code = add_raw_row(reader);
    reader->number_count = 0;
    return code;
}

static int end_number(struct reader *reader)
{
    int64_t value = reader->is_negative ? -(int64_t)reader->number : (int64_t)reader->number;
    reader->has_number = reader->is_negative = false;
    reader->number = 0;
    if (reader->depth < 2)
        return refuse_rows(reader);
    if (reader->depth == 2 && reader->list_count == 1) {
        if (reader->times.count >= TP_MAX_TIMELINE_POINTS)
            return tp_error_set(reader->err, TP_ELIMIT, 0, DAMAGED "it has more than %u points",
                                TP_MAX_TIMELINE_POINTS);
        *(int64_t *)tp_vec_push(&reader->times) = value;
        return TP_OK;
    }
    if (reader->depth == 2 && reader->form == FORM_SIZES)
        return refuse_sizes(reader);
    int code = reader->depth == 2 && reader->form == FORM_UNKNOWN ? begin_raw(reader) : TP_OK;
    if (reader->number_count < SIZES)
        reader->row[reader->number_count] = value;
    reader->number_count += reader->number_count <= SIZES;
    return code;
}

static int open_list(struct reader *reader)
{
    reader->depth++;
    if (reader->depth == 2)
        reader->list_count++;
    if (reader->depth == 2 && reader->form == FORM_SIZES)
        return refuse_sizes(reader);
    if (reader->depth == 3 && (reader->list_count != 2 || reader->form == FORM_RAW))
        return refuse_rows(reader);
    if (reader->depth > 3)
        return refuse_sizes(reader);
    if (reader->depth == 3)
        reader->form = FORM_SIZES;
    reader->number_count = 0;
    return TP_OK;
}

static int close_list(struct reader *reader)
{
    unsigned depth = reader->depth--;
    if (depth == 3)
        return add_sizes(reader);
    if (depth == 2 && reader->form == FORM_UNKNOWN && reader->list_count > 1)
        return refuse_sizes(reader);
    return depth == 2 && reader->form == FORM_RAW ? add_raw_row(reader) : TP_OK;
}

static int take(struct reader *reader, char c)
{
    if (tp_is_digit(c)) {
        reader->has_number = true;
        if (reader->number > (INT64_MAX - 9) / 10)
            return refuse(reader, "a number has more than 63 bits");
        reader->number = reader->number * 10 + (uint64_t)(c - '0');
        return TP_OK;
    }
    int code = reader->has_number && (c == ',' || c == ']' || c <= ' ') ? end_number(reader) : TP_OK;
    if (code < 0)
        return code;
    if (c == '[')
        return open_list(reader);
    if (c == ']')
        return close_list(reader);
    reader->is_negative |= c == '-';
    if (c == ',' || c == '-' || c == ' ' || (c >= '\t' && c <= '\r'))
        return TP_OK;
    return refuse(reader, "it has values other than lists of integers");
}

/* ---- the file ---- */

static int read_text(struct reader *reader)
{
    struct tp_strict strict;
    const char *at = NULL, *end = NULL;
    int status;
    tp_strict_init(&strict);
    while ((status = tp_feed_next_window(reader->feed, &at, &end, reader->err)) > 0) {
        int code = tp_strict_feed(&strict, at, (size_t)(end - at), reader->err);
        for (; at < end && code == TP_OK; at++)
            code = take(reader, *at);
        if (code < 0)
            return code;
    }
    if (status < 0)
        return status;
    if (tp_strict_end(&strict, NULL) < 0)
        return tp_error_set(reader->err, TP_ETRUNCATED, 0,
                            DAMAGED "the file ends at byte %llu: it was written only in part",
                            (unsigned long long)tp_feed_result(reader->feed).text_bytes);
    return TP_OK;
}

/* Gives points before the recording the first known time. */
static void set_unknown_times(struct tp_memory_timeline *timeline)
{
    if (timeline->first_us > timeline->last_us)
        timeline->first_us = timeline->last_us = 0;
    struct tp_timeline_point *const points[] = {&timeline->start, &timeline->end, &timeline->peak};
    for (unsigned i = 0; i < sizeof points / sizeof *points; i++)
        if (points[i]->time_us == TP_NULL_INT)
            points[i]->time_us = timeline->first_us;
    for (int64_t i = 0; i < timeline->curve_count; i++)
        if (timeline->curve[i].time_us == TP_NULL_INT)
            timeline->curve[i].time_us = timeline->first_us;
}

static int read_timeline(void *context, struct tp_error *memory)
{
    struct reader *reader = context;
    struct tp_memory_timeline *timeline = reader->timeline;
    (void)memory; /* errors are written to reader->err */
    int code = read_text(reader);
    if (code == TP_OK && reader->form == FORM_UNKNOWN)
        code = reader->list_count == 1 ? begin_raw(reader) : refuse_rows(reader);
    if (code == TP_OK && reader->form == FORM_SIZES && (size_t)timeline->point_count != reader->times.count)
        code = refuse_sizes(reader);
    timeline->is_raw = reader->form == FORM_RAW;
    set_unknown_times(timeline);
    return code;
}

/* Reads the timeline in an open feed, which is then closed. */
static int read_feed(struct tp_memory_timeline *timeline, struct tp_arena *arena, struct tp_feed *feed,
                     struct tp_error *err)
{
    struct reader reader = {.timeline = timeline, .err = err, .feed = feed, .times = TP_VEC(arena, int64_t)};
    struct tp_error memory = {0};
    *timeline = (struct tp_memory_timeline){.group_size = 1, .first_us = INT64_MAX, .last_us = INT64_MIN};
    int code = tp_arena_run(arena, read_timeline, &reader, &memory);
    if (memory.code)
        tp_error_set(err, memory.code, 0, "%s", memory.text);
    tp_feed_close(feed);
    return code;
}

int tp_memory_timeline_read(struct tp_memory_timeline *timeline, struct tp_arena *arena, const char *path,
                            uint64_t max_input_bytes, struct tp_error *err)
{
    const struct tp_feed_options options = {.max_input_bytes = max_input_bytes ? max_input_bytes : TP_MAX_INPUT_BYTES,
                                            .skips_hash = true};
    struct tp_feed *feed;
    int code = tp_feed_open(&feed, path, &options, err);
    return code < 0 ? code : read_feed(timeline, arena, feed, err);
}

int tp_memory_timeline_read_bytes(struct tp_memory_timeline *timeline, struct tp_arena *arena, const void *bytes,
                                  size_t size, struct tp_error *err)
{
    const struct tp_feed_options options = {
        .max_input_bytes = TP_MAX_INPUT_BYTES, .skips_hash = true, .single_thread = true};
    struct tp_feed *feed;
    int code = tp_feed_open_bytes(&feed, bytes, size, &options, err);
    return code < 0 ? code : read_feed(timeline, arena, feed, err);
}
