/* Implements recorded_call.h. */
#include "webreport/export/repro/recorded_call.h"

#include <string.h>

#include "webreport/export/rows/export_args.h"
#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"

/* ---- the call ---- */

/* Reads an event_id. Returns TP_NO_ID if the text is no number, or a number without an event. */
static uint32_t event_of_number(const struct tp_trace *trace, const char *text)
{
    int64_t number = tp_value_int(tp_str_of(text));
    return number >= 0 && number < (int64_t)trace->event_count ? (uint32_t)number : TP_NO_ID;
}

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* Returns true if the call `op` takes more time than the call `best` (TP_NO_ID: no call). */
static bool takes_more_time(const struct tp_model *model, uint32_t op, uint32_t best)
{
    const struct tp_operators *ops = &model->operators;
    if (best == TP_NO_ID)
        return true;
    int64_t x = tp_narrow_get(&ops->device_total, op), y = tp_narrow_get(&ops->device_total, best);
    if (x != y)
        return x > y;
    return tp_operator_event(model, op)->dur_ns > tp_operator_event(model, best)->dur_ns;
}

/* Returns the operator that `wanted` names, or the operator with the event `event` if that is not TP_NO_ID. Returns
 * TP_NO_ID if there is no such operator. */
static uint32_t find_operator(const struct tp_model *model, uint32_t event, struct tp_str wanted)
{
    const struct tp_operators *ops = &model->operators;
    uint32_t best = TP_NO_ID;
    for (uint32_t op = 0; op < ops->count; op++) {
        bool is_wanted = event != TP_NO_ID
                             ? ops->event[op] == event
                             : tp_str_equal(tp_trace_event_name(model->trace, tp_operator_event(model, op)), wanted);
        if (is_wanted && takes_more_time(model, op, best))
            best = op;
    }
    return best;
}

/* Returns the length of the word of letters, digits and _ at the start of a text; 0 for a digit or another character.
 */
static size_t word_length(const char *text, size_t left)
{
    size_t n = 0;
    while (n < left && tp_is_word_character(text[n]))
        n++;
    return n && tp_is_digit(text[0]) ? 0 : n;
}

/* Returns true for "namespace::operator", the form of the names that torch registers. */
static bool is_callable(struct tp_str name)
{
    size_t first = word_length(name.ptr, name.len);
    if (!first || first + 2 >= name.len || name.ptr[first] != ':' || name.ptr[first + 1] != ':')
        return false;
    return word_length(name.ptr + first + 2, name.len - first - 2) == name.len - first - 2;
}

static int find_call(struct tp_recorded_call *call, const struct tp_export *export, struct tp_error *err)
{
    const struct tp_model *model = export->profile->model;
    const char *wanted = export->wanted_operator;
    uint32_t event = is_number(wanted) ? event_of_number(model->trace, wanted) : TP_NO_ID;
    if (is_number(wanted) && (event == TP_NO_ID || model->trace->events[event].kind != TP_KIND_OPERATOR))
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "--operator: event %.20s is not an operator. The column event_id of the table 'operators' "
                            "(export --to csv) has the ids",
                            wanted);
    uint32_t op = find_operator(model, event, tp_str_of(wanted));
    if (op == TP_NO_ID && event == TP_NO_ID)
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "--operator: the trace has no operator with this name; 'tracepress table' shows the names");
    call->event = op == TP_NO_ID ? event : model->operators.event[op];
    call->device_ns = op == TP_NO_ID ? 0 : tp_narrow_get(&model->operators.device_total, op);
    call->name = tp_trace_event_name(model->trace, &model->trace->events[call->event]);
    if (!is_callable(call->name))
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "--operator: a script cannot call this event, because its name does not have the form "
                            "namespace::operator. Choose an operator inside it, such as aten::mm");
    return TP_OK;
}

/* ---- the arguments ---- */

/* Lists of the arguments as compact JSON; ptr NULL if the trace has no such list. */
struct lists {
    struct tp_str dims, types, strides, concrete;
};

struct reading {
    const struct tp_recorded_call *call;
    struct tp_arena *arena;
    struct tp_buf clean; /* released at the end, because a full arena jumps out of the callback */
    struct lists lists;
};

/* Keeps the lists of the wanted event. */
static int take_arguments(void *context, uint32_t event, struct tp_str args, struct tp_error *err)
{
    struct reading *reading = context;
    struct tp_buf *clean = &reading->clean;
    if (event != reading->call->event)
        return TP_OK;
    tp_clean_value(clean, args);
    if (clean->failed)
        return tp_error_set(err, clean->failed, 0, "out of memory");
    struct tp_str text = {tp_arena_copy(reading->arena, clean->data, clean->size), clean->size};
    reading->lists = (struct lists){tp_value_member(text, "Input Dims"), tp_value_member(text, "Input type"),
                                    tp_value_member(text, "Input Strides"), tp_value_member(text, "Concrete Inputs")};
    return TP_OK;
}

/* Takes the lists that the trace in memory has, for files without the text of arguments. */
static void take_details(struct reading *reading, const struct tp_trace *trace)
{
    const struct tp_event *event = &trace->events[reading->call->event];
    const struct tp_host_detail *host = event->detail == TP_NO_ID ? NULL : &trace->hosts[event->detail];
    if (!reading->lists.dims.ptr && host && host->dims != TP_NO_ID)
        reading->lists.dims = tp_strings_get(&trace->values, host->dims);
    if (!reading->lists.types.ptr && host && host->types != TP_NO_ID)
        reading->lists.types = tp_strings_get(&trace->values, host->types);
}

/* Returns a value if it is a list of integers, or a list of lists of integers; otherwise ptr NULL. */
static struct tp_str list_of_integers(struct tp_str json)
{
    unsigned depth = 0, digits = 0;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        bool is_digit = tp_is_digit(c);
        digits = is_digit ? digits + 1 : 0;
        depth += c == '[';
        if (depth == 0 || depth > 2 || digits > 19 || (!is_digit && !strchr("[],-", c)))
            return (struct tp_str){NULL, 0};
        depth -= c == ']';
    }
    return json.len ? json : (struct tp_str){NULL, 0};
}

/* Returns the next item of a list; ptr NULL at its end. */
static struct tp_str next_item(struct tp_str list, size_t *at)
{
    struct tp_str item;
    return list.ptr && tp_value_next(list, at, NULL, &item) ? item : (struct tp_str){NULL, 0};
}

/* Fills the arguments from the lists. The list of shapes gives their number. */
static int fill_arguments(struct tp_recorded_call *call, const struct lists *lists, struct tp_arena *arena,
                          struct tp_error *err)
{
    size_t at[4] = {0};
    uint32_t count = 0;
    call->arguments = tp_arena_array(arena, TP_MAX_REPRO_ARGUMENTS, sizeof *call->arguments);
    for (;;) {
        struct tp_str shape = next_item(lists->dims, &at[0]), type = next_item(lists->types, &at[1]);
        struct tp_str strides = next_item(lists->strides, &at[2]), value = next_item(lists->concrete, &at[3]);
        if (!shape.ptr)
            break;
        if (count == TP_MAX_REPRO_ARGUMENTS)
            return tp_error_set(err, TP_ELIMIT, 0, "--operator: the call has more than %u arguments",
                                (unsigned)TP_MAX_REPRO_ARGUMENTS);
        call->arguments[count++] = (struct tp_recorded_argument){
            .shape = list_of_integers(shape),
            .strides = list_of_integers(strides),
            .type = type.ptr && type.ptr[0] == '"' ? tp_value_text(arena, type) : TP_STR(""),
            .value = value.ptr ? tp_value_text(arena, value) : value};
    }
    call->argument_count = count;
    call->has_strides = lists->strides.ptr;
    call->has_values = lists->concrete.ptr;
    return TP_OK;
}

int tp_recorded_call_find(struct tp_recorded_call *call, const struct tp_export *export, struct tp_error *err)
{
    struct reading reading = {.call = call, .arena = export->arena};
    *call = (struct tp_recorded_call){0};
    tp_buf_init(&reading.clean, 0);
    int code = find_call(call, export, err);
    code = code < 0 ? code : tp_args_visit_all(export, export->arena, take_arguments, &reading, err);
    tp_buf_release(&reading.clean);
    tp_arena_fail_with_stored_code(export->arena);
    if (code < 0)
        return code;
    take_details(&reading, export->profile->trace);
    if (!tp_value_starts_with(reading.lists.dims, '['))
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "--operator: the trace has no shapes of this call. Record them with record_shapes=True");
    return fill_arguments(call, &reading.lists, export->arena, err);
}
