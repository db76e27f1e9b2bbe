/* Declares the parts that the files trace_json*.c share. No other files include this header. */
#ifndef TP_WRITER_TRACE_JSON_PART_H
#define TP_WRITER_TRACE_JSON_PART_H

#include "writer/base/limits.h"
#include "writer/base/pack.h"
#include "writer/base/put.h"
#include "writer/trace_receiver.h"

struct tp_trace_out {
    const struct tp_trace_receiver *receiver; /* receiver of the records; NULL: `pack` compresses their text and writes
                                                 it to the file */
    struct tp_pack *pack;
    struct tp_buf text;  /* text that was not passed to `pack` yet */
    size_t record_start; /* offset of the current record in `text` */
    int failed;          /* first error of this writer, 0 or TP_ENOMEM; `pack` stores errors of the file */
    char *path;
    int64_t begin_ns, last_end_ns;
    uint64_t event_index; /* number of the next event with "Ev Idx" */
    struct tp_trace_out_stats stats;
    int64_t row_pid, row_tid; /* pid and tid of the row whose text is in row_text */
    unsigned row_text_size;
    char row_text[80]; /* text such as ,"pid":1,"tid":2,"ts": */
};

/* number of readable bytes behind a text for a receiver */
enum { TP_OUT_PAD = 64 };

#define TP_OUT_PUTS(out, literal) tp_buf_add(&(out)->text, (literal), sizeof(literal) - 1)

/* Passes a record to the receiver, with its position and, if has_index, its number. Returns false if there is no
 * receiver; the caller then writes text. */
bool tp_trace_out_receive(struct tp_trace_out *out, struct tp_trace_record record, bool has_index);

/* Begins an element of traceEvents. Returns false after an error. */
bool tp_trace_out_begin(struct tp_trace_out *out);
/* Ends the element. If the element is too long, removes and counts it. Passes a full block to the packer. Returns
 * whether the element was kept. */
bool tp_trace_out_end(struct tp_trace_out *out);

/* Writes a text in quotes. Cuts a text that is longer than max_bytes, and counts the cut. */
static inline void tp_trace_out_string(struct tp_trace_out *out, struct tp_str text, size_t max_bytes)
{
    out->stats.cut_count += tp_put_string(&out->text, text, max_bytes);
}

/* Writes JSON unchanged on one line. Writes a string if the text is not valid JSON or is longer than
 * TP_MAX_HEADER_BYTES. */
void tp_trace_out_json(struct tp_trace_out *out, struct tp_str text);

/* Writes ,"args":{...}, with "Ev Idx" if has_index. Writes nothing if there are no arguments and no index. */
void tp_trace_out_args(struct tp_trace_out *out, const struct tp_trace_out_arg *args, size_t count, bool has_index);

/* Returns a time, limited to the range that readers accept, ns. */
static inline int64_t tp_trace_out_time(int64_t ns)
{
    const int64_t most = TP_MAX_TIME_NS - 1; /* the largest time that readers accept, ns */
    return ns > most ? most : ns < -most ? -most : ns;
}

#endif
