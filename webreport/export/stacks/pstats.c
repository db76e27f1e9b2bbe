/* Writes WORKER.pstats for pstats and snakeviz: calls of Python functions in the format of cProfile. */
#include "webreport/export/stacks/pstats.h"

#include <string.h>

#include "webreport/export/export_formats.h"
#include "webreport/export/whole_file.h"

/* ---- marshal: version 2 of CPython's format, which every Python 3 reads (Python/marshal.c) ---- */

static void write_u32(struct tp_buf *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        tp_buf_putc(out, (char)(value >> (8 * i) & 255));
}

static void write_marshal_text(struct tp_buf *out, struct tp_str text)
{
    tp_buf_putc(out, 'u');
    write_u32(out, (uint32_t)text.len);
    tp_buf_add(out, text.ptr, text.len);
}

/* Writes a number, which must not be negative, in Python's marshal format. A number of more than 32 bits is written as
 * digits of 15 bits. */
static void write_marshal_int(struct tp_buf *out, int64_t value)
{
    uint32_t digits = 0;
    if (value <= INT32_MAX) {
        tp_buf_putc(out, 'i');
        write_u32(out, (uint32_t)value);
        return;
    }
    for (int64_t left = value; left; left >>= 15)
        digits++;
    tp_buf_putc(out, 'l');
    write_u32(out, digits);
    for (; value; value >>= 15) {
        tp_buf_putc(out, (char)(value & 255));
        tp_buf_putc(out, (char)(value >> 8 & 127));
    }
}

static void write_marshal_seconds(struct tp_buf *out, int64_t ns)
{
    double value = (double)ns / 1e9;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    tp_buf_putc(out, 'g');
    write_u32(out, (uint32_t)bits);
    write_u32(out, (uint32_t)(bits >> 32));
}

static void write_marshal_tuple(struct tp_buf *out, uint32_t size)
{
    tp_buf_putc(out, '(');
    write_u32(out, size);
}

static void write_function_key(struct tp_buf *out, const struct tp_call_row *row)
{
    write_marshal_tuple(out, 3);
    write_marshal_text(out, row->file);
    write_marshal_int(out, row->line);
    write_marshal_text(out, row->name);
}

/* Writes the two counts and the two times of a function. In the entry of a caller (is_of_caller), cProfile swaps the
 * two counts. */
static void write_call_sum(struct tp_buf *out, const struct tp_call_sum *sum, bool is_of_caller)
{
    write_marshal_int(out, is_of_caller ? sum->call_count : sum->primitive_count);
    write_marshal_int(out, is_of_caller ? sum->primitive_count : sum->call_count);
    write_marshal_seconds(out, sum->own_ns);
    write_marshal_seconds(out, sum->total_ns);
}

void tp_calls_write_pstats(struct tp_buf *out, const struct tp_calls *calls)
{
    tp_buf_putc(out, '{');
    for (uint32_t i = 0; i < calls->count; i++) {
        write_function_key(out, &calls->rows[i]);
        write_marshal_tuple(out, 5);
        write_call_sum(out, &calls->rows[i].sum, false);
        tp_buf_putc(out, '{');
        for (uint32_t k = calls->first_pair_of_row[i]; k < calls->first_pair_of_row[i + 1]; k++) {
            uint32_t pair = calls->pairs_by_row[k];
            write_function_key(out, &calls->rows[tp_keys_get(&calls->pairs, pair)[1]]);
            write_marshal_tuple(out, 4);
            write_call_sum(out, TP_AT(&calls->pair_sums, struct tp_call_sum, pair), true);
        }
        tp_buf_putc(out, '0');
    }
    tp_buf_putc(out, '0');
}

/* ---- the file ---- */

int tp_export_pstats(const struct tp_export *export, struct tp_error *err)
{
    struct tp_calls *calls = tp_arena_alloc(export->arena, sizeof *calls);
    struct tp_buf text;
    tp_calls_build(calls, export->profile->trace, export->arena);
    if (calls->count == 0) /* an empty file is an error, because pstats refuses it */
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "no Python functions in it, which pstats is of: record them with with_stack; stacks of "
                            "other programs are in --to folded");
    tp_buf_init(&text, 0);
    tp_calls_write_pstats(&text, calls);
    int code = text.failed ? tp_error_set(err, text.failed, 0, "out of memory")
                           : tp_export_whole_file(export, "pstats", (struct tp_str){text.data, text.size}, err);
    tp_buf_release(&text);
    return code;
}
