/* Declares the functions that read the fields of one element as numbers and ids. Internal to decode*.c. Most
 * functions are inline, because each event needs a dozen calls. */
#ifndef TP_WEBREPORT_TRACE_DECODE_PARTS_H
#define TP_WEBREPORT_TRACE_DECODE_PARTS_H

#include <math.h>

#include "webreport/trace/decode.h"
#include "webreport/trace/json/number.h"
#include "webreport/trace/kinds.h"
#include "webreport/trace/rows.h"

/* The element that is being decoded. */
struct tp_element {
    struct tp_str text;
    const struct tp_spans *spans;
    uint64_t offset;
    uint32_t ordinal;
    struct tp_cat_meaning cat;
    uint32_t cat_id, name_id;
    unsigned name;
    bool has_name;
    char ph; /* letter of the phase; '\0' if the phase is missing or is not a single letter */
};

/* Counts the repairs of one text of the element. flags: bits of enum tp_clean_flag. */
void tp_element_count_text_flags(struct tp_decoder *d, const struct tp_element *e, unsigned flags);

/* Adds the details of an event to the column for events of its kind. Returns the index of the details, or TP_NO_ID.
 * May set flags of the event. */
uint32_t tp_decode_detail(struct tp_decoder *d, const struct tp_element *e, struct tp_event *event);

/* Decodes one end of a link and adds it to a column of the trace. Adds nothing if a required field is missing. The
 * functions below do the same for other elements. */
void tp_decode_flow(struct tp_decoder *d, const struct tp_element *e);
void tp_decode_sample(struct tp_decoder *d, const struct tp_element *e);
void tp_decode_memory(struct tp_decoder *d, const struct tp_element *e);
void tp_decode_task_end(struct tp_decoder *d, const struct tp_element *e);
void tp_decode_counter(struct tp_decoder *d, const struct tp_element *e);
/* Decodes a sample of a counter of a device, whose process is "GPU N Counters". Returns false for other counters. */
bool tp_decode_device_counter(struct tp_decoder *d, const struct tp_element *e);
/* Finds signs of torch's CUPTI backend in a complete event, and counts the events that only this backend writes. */
void tp_decode_cuspy_signs(struct tp_decoder *d, const struct tp_element *e, unsigned kind);
/* Returns whether the part of a merged trace that is read contains the event. Removes the label from its pid. d->part
 * must be set. */
bool tp_decode_selects_event(struct tp_decoder *d, struct tp_spans *spans);
/* Delivers the facts of the part, after the last member of the document was read. Does nothing without a part. */
void tp_decode_part_finish(struct tp_decoder *d);
/* Reads the argument "rank" of a slice, which merged traces have. */
void tp_decode_rank(struct tp_decoder *d, const struct tp_element *e, uint32_t thread);
/* Moves the ranks of threads into the trace. */
void tp_decode_ranks_finish(struct tp_decoder *d);

/* Stores an end of a link of Ascend's profiler; ignores other links. The category must be read. */
void tp_decode_ascend_link(struct tp_decoder *d, const struct tp_element *e);
/* Counts a complete event without a category that is skipped. process: name of its process, borrowed from the arena;
 * empty if unknown. */
void tp_decode_ascend_skip(struct tp_decoder *d, struct tp_str process);
/* Numbers the devices of Ascend and adds the launches of their operations, after the last event. Does nothing in other
 * traces. */
void tp_decode_ascend_finish(struct tp_decoder *d);
/* Delivers the facts of the input if torch's CUPTI backend wrote it. */
void tp_decode_cuspy_finish(struct tp_decoder *d);
void tp_decode_tensor(struct tp_decoder *d, const struct tp_element *e);
void tp_decode_moment(struct tp_decoder *d, const struct tp_element *e);

/* Decodes a state of a thread. Only recordings of `record --outside` have states, processes and process memory. */
void tp_decode_state(struct tp_decoder *d, const struct tp_element *e);
void tp_decode_process(struct tp_decoder *d, const struct tp_element *e);
void tp_decode_process_memory(struct tp_decoder *d, const struct tp_element *e);

/* Returns the last member "args" of an event's text that is an object; ptr NULL if none exists. JSON readers also
 * use the last of several equal members. */
struct tp_str tp_element_args_text(struct tp_str text);

/* Reads the arguments that the program gave to an event, if any. They belong to the event delivered next. */
void tp_decode_arguments(struct tp_decoder *d, const struct tp_element *e);
/* Reads the arguments of capture_arguments.h. They belong to the event delivered next. kind: kind of this event. */
void tp_decode_capture_arguments(struct tp_decoder *d, const struct tp_element *e, unsigned kind);

static inline bool tp_token_is_null(struct tp_str token)
{
    return token.len == 4 && memcmp(token.ptr, "null", 4) == 0;
}

static inline struct tp_str tp_span_text(const struct tp_spans *spans, enum tp_field field)
{
    return tp_spans_has(spans, field) ? spans->field[field] : (struct tp_str){"", 0};
}

/* Returns true if an argument is present and not null. */
static inline bool tp_span_has_value(const struct tp_spans *spans, enum tp_field field)
{
    return tp_spans_has(spans, field) && !tp_token_is_null(spans->field[field]);
}

static inline struct tp_str tp_token_contents(struct tp_str token)
{
    return (struct tp_str){token.ptr + 1, token.len - 2};
}

static inline bool tp_token_is_string(struct tp_str token)
{
    return token.len >= 2 && token.ptr[0] == '"';
}

static inline uint32_t tp_element_intern(struct tp_decoder *d, const struct tp_element *e, struct tp_interner *interner,
                                         struct tp_str raw)
{
    const struct tp_word *word = tp_interner_add(interner, raw);
    if (word->flags)
        tp_element_count_text_flags(d, e, word->flags);
    return word->id;
}

/* Returns the id of a field's text in the interner. contents: the token, without quotes if it is a string. */
static inline uint32_t tp_element_intern_field(struct tp_decoder *d, const struct tp_element *e,
                                               struct tp_interner *interner, enum tp_field field,
                                               struct tp_str contents)
{
    return e->spans->known >> field & 1 ? e->spans->text_id[field] : tp_element_intern(d, e, interner, contents);
}

/* Returns the id in `values` of an argument's value; TP_NO_ID if the argument is absent or null. */
static inline uint32_t tp_element_value(struct tp_decoder *d, const struct tp_element *e, enum tp_field field)
{
    return tp_span_has_value(e->spans, field)
               ? tp_element_intern_field(d, e, &d->sink->values, field, e->spans->field[field])
               : TP_NO_ID;
}

/* Sets *value to the value of a field that the input has as a number. Returns false for fields that are texts. */
static inline bool tp_element_known_number(const struct tp_decoder *d, enum tp_field field, int64_t *value)
{
    bool is_known = d->numbers && d->numbers->has >> field & 1;
    if (is_known)
        *value = d->numbers->value[field];
    return is_known;
}

/* Parses a field as an integer, or as a time in ns. */
static inline enum tp_number_status tp_element_parse_int(struct tp_decoder *d, const struct tp_element *e,
                                                         enum tp_field field, int64_t *value)
{
    return tp_element_known_number(d, field, value) ? TP_NUMBER_OK
                                                    : tp_number_parse_int(tp_span_text(e->spans, field), value);
}
static inline enum tp_number_status tp_element_time(struct tp_decoder *d, const struct tp_element *e,
                                                    enum tp_field field, int64_t *ns)
{
    return tp_element_known_number(d, field, ns) ? TP_NUMBER_OK
                                                 : tp_number_parse_time(tp_span_text(e->spans, field), ns);
}

static inline int64_t tp_element_int(struct tp_decoder *d, const struct tp_element *e, enum tp_field field)
{
    int64_t value;
    if (!tp_spans_has(e->spans, field))
        return TP_NULL_INT;
    enum tp_number_status status = tp_element_parse_int(d, e, field, &value);
    if (status == TP_NUMBER_RANGE)
        tp_sink_count_notice(d->sink, TP_NOTICE_ID_RANGE, e->offset);
    return status == TP_NUMBER_OK ? value : TP_NULL_INT;
}

/* Adds the number ("Ev Idx") that the recorder gave to the event to the sums in the sink, if there is a number. */
static inline void tp_decode_number(struct tp_decoder *d, const struct tp_element *e)
{
    int64_t number;
    if (tp_spans_has(e->spans, TP_ARG_EVENT_NUMBER) &&
        tp_element_parse_int(d, e, TP_ARG_EVENT_NUMBER, &number) == TP_NUMBER_OK && number >= 0)
        tp_sink_add_recorder_number(d->sink, number);
}

static inline double tp_element_real(const struct tp_element *e, enum tp_field field)
{
    return tp_span_has_value(e->spans, field) ? tp_number_parse_real(e->spans->field[field]) : NAN;
}

/* Returns the id of the "Call stack" argument; TP_NO_ID if it is absent or has only ';' and blanks. */
static inline uint32_t tp_element_stack(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_str token = tp_span_text(e->spans, TP_ARG_CALL_STACK);
    if (tp_token_is_string(token) && tp_stack_has_frames(tp_token_contents(token)))
        return tp_element_intern_field(d, e, &d->sink->stacks, TP_ARG_CALL_STACK, tp_token_contents(token));
    return TP_NO_ID;
}

static inline uint32_t tp_element_thread(struct tp_decoder *d, const struct tp_element *e)
{
    return tp_rows_thread_number(d, tp_span_text(e->spans, TP_FIELD_PID), tp_span_text(e->spans, TP_FIELD_TID));
}

#endif
