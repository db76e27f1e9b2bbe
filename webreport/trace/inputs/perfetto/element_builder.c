/* Builds trace elements for the decoder: see element_builder.h. */
#include "webreport/trace/inputs/perfetto/element_builder.h"

#include "webreport/trace/feed.h"
#include "webreport/trace/json/number.h"
#include "webreport/trace/json/profiler_args.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

void tp_builder_init(struct tp_builder *builder, struct tp_sink *sink)
{
    tp_decoder_init(&builder->decoder, sink, NULL);
    tp_scan_init(&builder->scan);
    tp_buf_init(&builder->tokens, TP_MAX_EVENT_BYTES);
    tp_buf_init(&builder->args, TP_MAX_EVENT_BYTES);
    builder->decoder.numbers = &builder->numbers;
    builder->wants_args_text = sink->wants_arguments;
}

void tp_builder_release(struct tp_builder *builder)
{
    tp_decoder_release(&builder->decoder);
    tp_buf_release(&builder->tokens);
    tp_buf_release(&builder->args);
}

void tp_builder_begin(struct tp_builder *builder, char phase)
{
    struct tp_spans *spans = &builder->spans;
    tp_buf_clear(&builder->tokens);
    tp_buf_clear(&builder->args);
    spans->has = spans->known = builder->in_tokens = builder->numbers.has = 0;
    spans->has_bare_word = spans->is_nested_too_deep = spans->has_own_args = spans->has_odd_key = false;
    memcpy(builder->phase, "\" \"", sizeof builder->phase);
    builder->phase[1] = phase;
}

struct tp_builder_key tp_builder_key(const struct tp_builder *builder, struct tp_str text)
{
    struct tp_builder_key key = {.text = text, .field = tp_scan_argument_field(&builder->scan, text)};
    key.is_profiler_arg = tp_scan_is_profiler_arg(text);
    return key;
}

/* Appends an argument of the program to the text of the arguments. */
static void append_own_arg(struct tp_builder *builder, struct tp_str key, struct tp_str value)
{
    struct tp_buf *args = &builder->args;
    tp_buf_puts(args, args->size ? "," : "{\"args\":{");
    tp_put_string(args, key, TP_MAX_NAME_BYTES);
    tp_buf_putc(args, ':');
    tp_buf_add(args, value.ptr, value.len);
    builder->spans.has_own_args = true;
}

void tp_builder_add_arg(struct tp_builder *builder, const struct tp_builder_key *key, size_t from)
{
    const struct tp_buf *tokens = &builder->tokens;
    if (tokens->failed)
        return;
    if (builder->wants_args_text && !key->is_profiler_arg)
        append_own_arg(builder, key->text, (struct tp_str){tokens->data + from, tokens->size - from});
    if (key->field < 0)
        return;
    builder->starts[key->field] = (uint32_t)from;
    builder->sizes[key->field] = (uint32_t)(tokens->size - from);
    builder->in_tokens |= 1ull << key->field;
    builder->spans.has |= 1ull << key->field;
    builder->spans.known &= ~(1ull << key->field);
    builder->numbers.has &= ~(1ull << key->field);
}

void tp_builder_add_known_arg(struct tp_builder *builder, const struct tp_builder_key *key, struct tp_str token,
                              uint32_t id)
{
    if (builder->wants_args_text && !key->is_profiler_arg)
        append_own_arg(builder, key->text, token);
    if (key->field < 0)
        return;
    builder->spans.field[key->field] = token;
    builder->spans.text_id[key->field] = id;
    builder->in_tokens &= ~(1ull << key->field);
    builder->numbers.has &= ~(1ull << key->field);
    builder->spans.has |= 1ull << key->field;
    builder->spans.known |= id == TP_NO_ID ? 0 : 1ull << key->field;
}

/* Passes the value of a field as a number, with a text that stands for it. */
static void set_number(struct tp_builder *builder, int field, struct tp_str text, int64_t value)
{
    uint64_t bit = 1ull << field;
    builder->numbers.has |= bit;
    builder->numbers.value[field] = value;
    builder->spans.field[field] = text;
    builder->spans.has |= bit;
    builder->spans.known &= ~bit;
    builder->in_tokens &= ~bit;
}

void tp_builder_add_number(struct tp_builder *builder, const struct tp_builder_key *key, int64_t value)
{
    /* the fields that the decoder only reads as numbers; slices have texts in the fields of memory records */
    const uint64_t of_memory = 1ull << TP_ARG_MEMORY_BYTES | 1ull << TP_ARG_ADDRESS | 1ull << TP_ARG_TOTAL_ALLOCATED |
                               1ull << TP_ARG_TOTAL_RESERVED | 1ull << TP_ARG_DEVICE_TYPE | 1ull << TP_ARG_DEVICE_ID;
    const uint64_t only_numbers = 1ull << TP_ARG_EXTERNAL_ID | 1ull << TP_ARG_CORRELATION | 1ull << TP_ARG_SEQUENCE |
                                  1ull << TP_ARG_FORWARD_THREAD | 1ull << TP_ARG_DEVICE | 1ull << TP_ARG_BYTES |
                                  1ull << TP_ARG_GRAPH_ID | 1ull << TP_ARG_EVENT_NUMBER |
                                  (builder->phase[1] == 'i' ? of_memory : 0);
    if (key->field >= 0 && only_numbers >> key->field & 1 && (key->is_profiler_arg || !builder->wants_args_text)) {
        set_number(builder, key->field, TP_STR("0"), value);
        return;
    }
    size_t from = tp_builder_value_start(builder);
    tp_buf_int(&builder->tokens, value);
    tp_builder_add_arg(builder, key, from);
}

int64_t tp_builder_number(const struct tp_builder *b, enum tp_field field, int64_t missing)
{
    int64_t value;
    if (b->numbers.has >> field & 1)
        return b->numbers.value[field];
    struct tp_str token = {b->tokens.data + b->starts[field], b->sizes[field]};
    bool is_number = b->in_tokens >> field & 1 && tp_number_parse_int(token, &value) == TP_NUMBER_OK;
    return is_number ? value : missing;
}

void tp_builder_add_int(struct tp_builder *builder, enum tp_field field, int64_t value)
{
    const struct tp_builder_key key = {.field = (int)field, .is_profiler_arg = true};
    tp_builder_add_number(builder, &key, value);
}

void tp_builder_add_real(struct tp_builder *builder, enum tp_field field, double value)
{
    const struct tp_builder_key key = {.field = (int)field, .is_profiler_arg = true};
    char *at = tp_put_at(&builder->tokens, TP_PUT_REAL);
    size_t from = builder->tokens.size;
    if (!at)
        return;
    tp_put_finish(&builder->tokens, tp_put_real(at, value));
    tp_builder_add_arg(builder, &key, from);
}

void tp_builder_add_text(struct tp_builder *builder, enum tp_field field, struct tp_str value)
{
    const struct tp_builder_key key = {.field = (int)field, .is_profiler_arg = true};
    size_t from = tp_builder_value_start(builder);
    tp_put_string(&builder->tokens, value, TP_MAX_EVENT_BYTES);
    tp_builder_add_arg(builder, &key, from);
}

static void set_field(struct tp_builder *builder, enum tp_field field, struct tp_str token)
{
    builder->spans.field[field] = token;
    builder->spans.has |= 1ull << field;
}

/* Sets a field to a text that is known by its id. */
static void set_known_field(struct tp_builder *builder, enum tp_field field, uint32_t id)
{
    set_field(builder, field, TP_BUILDER_BY_ID);
    builder->spans.text_id[field] = id;
    builder->spans.known |= 1ull << field;
}

/* Adds a time in microseconds to the tokens, with a readable byte after the time. */
static void add_time(struct tp_builder *builder, enum tp_field field, int64_t ns)
{
    if (ns >= 0 && ns < TP_MAX_TIME_NS) {
        set_number(builder, (int)field, TP_STR("0.000"), ns);
        return;
    }
    char *at = tp_put_at(&builder->tokens, TP_PUT_US);
    size_t from = builder->tokens.size;
    if (!at)
        return;
    builder->numbers.has &= ~(1ull << field);
    tp_put_finish(&builder->tokens, tp_put_us(at, ns));
    builder->starts[field] = (uint32_t)from;
    builder->sizes[field] = (uint32_t)(builder->tokens.size - from);
    builder->in_tokens |= 1ull << field;
    builder->spans.has |= 1ull << field;
}

/* Sets the spans of all fields whose values are in the buffer of tokens, which does not move any more. */
static void point_spans_to_tokens(struct tp_builder *builder)
{
    for (uint64_t left = builder->in_tokens; left; left &= left - 1) {
        unsigned field = (unsigned)__builtin_ctzll(left);
        builder->spans.field[field] =
            (struct tp_str){builder->tokens.data + builder->starts[field], builder->sizes[field]};
    }
}

/* Completes the text {"args":{..}}. Returns an empty text if the program gave no arguments. */
static struct tp_str finish_args_text(struct tp_builder *builder)
{
    if (!builder->args.size)
        return TP_STR("");
    tp_buf_puts(&builder->args, "}}");
    tp_feed_pad(&builder->args);
    if (builder->args.failed) {
        builder->spans.has_own_args = false;
        return TP_STR("");
    }
    return (struct tp_str){builder->args.data, builder->args.size};
}

uint32_t tp_builder_deliver(struct tp_builder *builder, const struct tp_built_event *event)
{
    struct tp_sink *sink = builder->decoder.sink;
    size_t before = sink->events.count;
    set_field(builder, TP_FIELD_PH, (struct tp_str){builder->phase, 3});
    if (event->name != TP_NO_ID)
        set_known_field(builder, TP_FIELD_NAME, event->name);
    if (event->cat != TP_NO_ID)
        set_known_field(builder, TP_FIELD_CAT, event->cat);
    if (event->cat_token.ptr)
        set_field(builder, TP_FIELD_CAT, event->cat_token);
    if (event->id.ptr)
        set_field(builder, TP_FIELD_ID, event->id);
    set_field(builder, TP_FIELD_PID, event->pid);
    set_field(builder, TP_FIELD_TID, event->tid);
    add_time(builder, TP_FIELD_TS, event->ts_ns);
    if (event->dur_ns != TP_NULL_INT)
        add_time(builder, TP_FIELD_DUR, event->dur_ns);
    tp_feed_pad(&builder->tokens);
    if (builder->tokens.failed)
        return TP_NO_ID;
    point_spans_to_tokens(builder);
    tp_decoder_event(&builder->decoder, finish_args_text(builder), &builder->spans, (uint32_t)builder->element_count,
                     event->offset);
    builder->element_count++;
    return sink->events.count > before ? (uint32_t)before : TP_NO_ID;
}
