/* Filters events: see filter.h. */
#include "webreport/export/filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "webreport/model/numbers.h"
#include "webreport/model/steps_part.h"
#include "writer/base/saturate.h"

/* ---- options ---- */

/* Reads the digits at *text as a number, and moves *text after them. Returns false if there are no digits or the number
 * is too large. */
static bool read_number(const char **text, int64_t *number)
{
    const char *start = *text;
    *number = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++)
        if (__builtin_mul_overflow(*number, 10, number) || __builtin_add_overflow(*number, **text - '0', number))
            return false;
    return *text > start;
}

static bool read_steps(struct tp_filter *filter, const char *text)
{
    if (!read_number(&text, &filter->first_step))
        return false;
    filter->last_step = filter->first_step;
    if (*text == '-') {
        text++;
        if (!read_number(&text, &filter->last_step))
            return false;
    }
    filter->has_steps = true;
    return *text == '\0' && filter->first_step <= filter->last_step;
}

/* Reads a time such as "1.5ms" into *ns. Returns false if the text is not a time, or if the time is longer than 2^61
 * ns. */
static bool read_time(const char *text, int64_t *ns)
{
    static const struct {
        const char *unit;
        int64_t ns;
    } units[] = {{"", 1000000}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    int64_t whole, part = 0, scale = 1;
    if (!read_number(&text, &whole))
        return false;
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++)
            if (scale < 1000000000) {
                part = part * 10 + (*text - '0');
                scale *= 10;
            }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        int64_t sum;
        if (strcmp(text, units[i].unit) != 0)
            continue;
        if (__builtin_mul_overflow(whole, units[i].ns, &sum))
            return false;
        *ns = tp_sat_add(sum, (int64_t)((__int128)part * units[i].ns / scale));
        return *ns <= 1ll << 61;
    }
    return false;
}

int tp_filter_parse(struct tp_filter *filter, const struct tp_filter_options *options, struct tp_error *err)
{
    *filter = (struct tp_filter){.options = *options, .from_ns = INT64_MIN, .until_ns = INT64_MAX};
    if (options->steps && !read_steps(filter, options->steps))
        return tp_error_set(err, TP_EUSAGE, 0, "--step: not a number, or two with - between them");
    if (options->from && !read_time(options->from, &filter->from_ns))
        return tp_error_set(err, TP_EUSAGE, 0, "--from: not a time such as 1.5ms");
    if (options->until && !read_time(options->until, &filter->until_ns))
        return tp_error_set(err, TP_EUSAGE, 0, "--until: not a time such as 1.5ms");
    if (filter->from_ns >= filter->until_ns)
        return tp_error_set(err, TP_EUSAGE, 0, "--from, --until: nothing lies between them");
    return TP_OK;
}

bool tp_filter_selects_part(const struct tp_filter *filter)
{
    return filter->has_steps || filter->from_ns != INT64_MIN || filter->until_ns != INT64_MAX ||
           filter->options.thread_count || filter->options.category_count;
}

/* ---- a trace ---- */

int64_t tp_filter_first_ns(const struct tp_trace *trace)
{
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < trace->event_count; i++)
        first = trace->events[i].ts_ns < first ? trace->events[i].ts_ns : first;
    for (uint32_t i = 0; i < trace->memory_count; i++)
        first = trace->memory[i].ts_ns < first ? trace->memory[i].ts_ns : first;
    for (uint32_t i = 0; i < trace->sample_count; i++)
        first = trace->samples[i].ts_ns < first ? trace->samples[i].ts_ns : first;
    for (uint32_t i = 0; i < trace->counter_count; i++)
        first = trace->counters[i].ts_ns < first ? trace->counters[i].ts_ns : first;
    return first == INT64_MAX ? 0 : first;
}

/* Returns the number at the end of a step's name, or `place` (index of the step) if the name has no number at its
 * end. */
static int64_t step_number(const struct tp_step *step, uint32_t place)
{
    size_t start = step->name.len;
    int64_t number = 0;
    while (start > 0 && step->name.len - start < 18 && step->name.ptr[start - 1] >= '0' &&
           step->name.ptr[start - 1] <= '9')
        start--;
    for (size_t i = start; i < step->name.len; i++)
        number = number * 10 + (step->name.ptr[i] - '0');
    return start < step->name.len ? number : place;
}

static int apply_steps(struct tp_filter_trace *out, const struct tp_filter *filter, const struct tp_model *model,
                       struct tp_error *err)
{
    struct tp_steps_extent extent = tp_steps_extent_empty();
    for (uint32_t i = 0; i < model->step_count; i++) {
        const struct tp_step *step = &model->steps[i];
        int64_t number = step_number(step, i);
        if (number < filter->first_step || number > filter->last_step)
            continue;
        tp_steps_extent_add(&extent, step);
    }
    if (extent.from_ns > extent.until_ns)
        return tp_error_set(err, TP_ENOTFOUND, 0, "no step %s", filter->options.steps);
    out->from_ns = tp_ns_max(extent.from_ns, out->from_ns);
    out->until_ns = tp_ns_min(extent.until_ns, out->until_ns);
    out->host_until_ns = tp_ns_min(extent.host_until_ns, out->until_ns);
    return TP_OK;
}

static bool contains_text(struct tp_str text, const char *part)
{
    size_t length = strlen(part);
    return length > 0 && memmem(text.ptr, text.len, part, length) != NULL;
}

bool tp_filter_keeps_thread(const struct tp_filter *filter, const struct tp_thread *thread)
{
    const struct tp_filter_options *options = &filter->options;
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, thread->tid.number);
    for (size_t i = 0; i < options->thread_count; i++)
        if (contains_text(thread->name, options->threads[i]) ||
            (thread->tid.is_text ? contains_text(thread->tid.text, options->threads[i])
                                 : strcmp(number, options->threads[i]) == 0))
            return true;
    return options->thread_count == 0;
}

int tp_filter_apply(struct tp_filter_trace *out, const struct tp_filter *filter, const struct tp_model *model,
                    int64_t first_ns, struct tp_error *err)
{
    const struct tp_trace *trace = model->trace;
    *out = (struct tp_filter_trace){.from_ns = INT64_MIN, .until_ns = INT64_MAX, .filter = filter};
    if (filter->from_ns != INT64_MIN)
        out->from_ns = tp_sat_add(first_ns, filter->from_ns);
    if (filter->until_ns != INT64_MAX)
        out->until_ns = tp_sat_add(first_ns, filter->until_ns);
    out->threads = tp_arena_array(model->arena, trace->thread_count, sizeof *out->threads);
    for (uint32_t i = 0; i < trace->thread_count; i++)
        out->threads[i] = tp_filter_keeps_thread(filter, &trace->threads[i]);
    return filter->has_steps ? apply_steps(out, filter, model, err) : TP_OK;
}

bool tp_filter_keeps_time(const struct tp_filter_trace *filter, int64_t start_ns, int64_t end_ns)
{
    return tp_overlaps_range(start_ns, end_ns, filter->from_ns, filter->until_ns);
}

bool tp_filter_keeps_category(const struct tp_filter *filter, struct tp_str category)
{
    for (size_t i = 0; i < filter->options.category_count; i++) {
        const char *list = filter->options.categories[i];
        for (size_t length; *list; list += length + (list[length] == ',')) {
            length = strcspn(list, ",");
            if (tp_str_equal(category, (struct tp_str){list, length}))
                return true;
        }
    }
    return filter->options.category_count == 0;
}
