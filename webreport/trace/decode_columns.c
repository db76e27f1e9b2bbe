/* Opens and closes the decoder of JSON events: see decode.h. */
#include "webreport/trace/decode_parts.h"
#include "webreport/trace/input_part.h"

void tp_decoder_init(struct tp_decoder *d, struct tp_sink *sink, const struct tp_trace_options *options)
{
    struct tp_arena *arena = sink->trace->arena;
    memset(d, 0, sizeof *d);
    d->sink = sink;
    d->trace = sink->trace;
    tp_buf_init(&d->row_key, 0);
    tp_buf_init(&d->argument_text, 0);
    tp_strings_init(&d->row_texts, arena, 0);
    d->thread_by_row_text = TP_VEC(arena, uint32_t);
    d->thread_ranks = TP_VEC(arena, int64_t);
    tp_buf_init(&d->part_pid, 0);
    d->lists_ranks = options && options->lists_ranks;
    d->part = options && options->part ? options->part->rows : NULL;
}

void tp_decoder_set_interners(struct tp_decoder *d, struct tp_learned_keys *layout)
{
    static const uint8_t values[] = {TP_ARG_INPUT_DIMS, TP_ARG_INPUT_DIMS_OLD, TP_ARG_INPUT_TYPE,
                                     TP_ARG_GRID,       TP_ARG_BLOCK,          TP_ARG_COLLECTIVE,
                                     TP_ARG_DTYPE,      TP_ARG_GROUP_NAME,     TP_ARG_GROUP_DESCRIPTION};
    tp_learned_keys_set_interner(layout, TP_FIELD_CAT, &d->sink->cats);
    tp_learned_keys_set_interner(layout, TP_FIELD_NAME, &d->sink->names);
    tp_learned_keys_set_interner(layout, TP_ARG_CALL_STACK, &d->sink->stacks);
    for (size_t i = 0; i < sizeof values; i++)
        tp_learned_keys_set_interner(layout, values[i], &d->sink->values);
}

void tp_decoder_release(struct tp_decoder *d)
{
    tp_buf_release(&d->row_key);
    tp_buf_release(&d->argument_text);
    tp_buf_release(&d->part_pid);
}

void tp_element_count_text_flags(struct tp_decoder *d, const struct tp_element *e, unsigned flags)
{
    static const struct {
        unsigned flag;
        enum tp_notice notice;
    } map[] = {{TP_CLEAN_CONTROL, TP_NOTICE_CONTROL}, {TP_CLEAN_UTF8, TP_NOTICE_UTF8},
               {TP_CLEAN_ESCAPE, TP_NOTICE_ESCAPE},   {TP_CLEAN_CUT, TP_NOTICE_NAME_CUT},
               {TP_CLEAN_DEPTH, TP_NOTICE_DEPTH},     {TP_CLEAN_SYNTAX, TP_NOTICE_EVENT_REPAIRED}};
    for (size_t i = 0; flags && i < sizeof map / sizeof *map; i++)
        if (flags & map[i].flag)
            tp_sink_count_notice(d->sink, map[i].notice, e->offset);
}
