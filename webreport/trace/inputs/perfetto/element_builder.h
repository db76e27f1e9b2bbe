/* Builds the fields of one trace element for the decoder of JSON (webreport/trace/decode.h), so that both formats give
 * equal events. Values are JSON tokens in a buffer. Names and categories that were interned before are passed by id.
 *
 *     tp_builder_begin(b, 'X');
 *     size_t from = tp_builder_value_start(b);
 *     tp_buf_int(&b->tokens, 7);
 *     tp_builder_add_arg(b, &key, from);
 *     tp_builder_deliver(b, &(struct tp_built_event){...});
 *
 * The buffers are allocated with malloc; the owner calls tp_builder_release. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_ELEMENT_BUILDER_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_ELEMENT_BUILDER_H

#include "webreport/trace/decode.h"

/* Name of an argument, with its meaning for the decoder. */
struct tp_builder_key {
    struct tp_str text;
    int field;            /* enum tp_field; -1 if the decoder does not need the argument */
    bool is_profiler_arg; /* true if a profiler wrote the argument, false if the program did */
};

struct tp_builder {
    struct tp_decoder decoder;
    struct tp_scan scan;        /* table of keys */
    struct tp_spans spans;      /* fields of the current element; spans of `tokens` are set at delivery */
    struct tp_buf tokens, args; /* values of fields; text {"args":{..}} with arguments of the program */
    uint32_t starts[TP_FIELD_COUNT], sizes[TP_FIELD_COUNT]; /* positions of the fields' values in `tokens` */
    uint64_t in_tokens;                                     /* bits of the fields whose values are in `tokens` */
    struct tp_number_fields numbers;                        /* fields that the decoder gets as numbers */
    char phase[4];
    uint64_t element_count; /* number of delivered elements */
    bool wants_args_text;   /* true if the arguments of the program are needed */
};

/* Text for a field that the decoder only reads by id. */
#define TP_BUILDER_BY_ID TP_STR("\"\"")

/* What all elements have. Texts are JSON tokens. */
struct tp_built_event {
    uint32_t name, cat;      /* ids in names and cats of the sink; TP_NO_ID if absent */
    struct tp_str cat_token; /* category as text, for instants; ptr NULL otherwise */
    struct tp_str pid, tid;  /* at least 8 bytes must be readable at each text */
    struct tp_str id;        /* number of a link; ptr NULL if absent */
    int64_t ts_ns;
    int64_t dur_ns;  /* TP_NULL_INT if absent */
    uint64_t offset; /* position in the file, bytes */
};

void tp_builder_init(struct tp_builder *builder, struct tp_sink *sink);
void tp_builder_release(struct tp_builder *builder);

/* Begins an element of a phase, such as 'X' or 'i'. */
void tp_builder_begin(struct tp_builder *builder, char phase);

/* Returns the meaning of an argument by its name. The text is borrowed. */
struct tp_builder_key tp_builder_key(const struct tp_builder *builder, struct tp_str text);

/* Returns the position in builder->tokens at which the caller then writes a value. */
static inline size_t tp_builder_value_start(const struct tp_builder *builder)
{
    return builder->tokens.size;
}

/* Makes the text that begins at `from` in builder->tokens the value of an argument. A later argument with the same
 * field replaces an earlier one. */
void tp_builder_add_arg(struct tp_builder *builder, const struct tp_builder_key *key, size_t from);

/* Adds an argument that is already interned: token: its value as JSON, readable until the delivery; id: its id in the
 * interner of the field. */
void tp_builder_add_known_arg(struct tp_builder *builder, const struct tp_builder_key *key, struct tp_str token,
                              uint32_t id);

/* Adds an argument with an integer. */
void tp_builder_add_number(struct tp_builder *builder, const struct tp_builder_key *key, int64_t value);

/* Returns the integer in an argument of the current element; `missing` if it has none. */
int64_t tp_builder_number(const struct tp_builder *builder, enum tp_field field, int64_t missing);

/* Adds an argument with an integer, a real number, or a text. */
void tp_builder_add_int(struct tp_builder *builder, enum tp_field field, int64_t value);
void tp_builder_add_real(struct tp_builder *builder, enum tp_field field, double value);
void tp_builder_add_text(struct tp_builder *builder, enum tp_field field, struct tp_str value);

/* Passes the element to the decoder. Returns the index of the new event in the trace; TP_NO_ID if no complete event was
 * added. Returns TP_NO_ID without delivery if the arguments exceed TP_MAX_EVENT_BYTES. */
uint32_t tp_builder_deliver(struct tp_builder *builder, const struct tp_built_event *event);

#endif
