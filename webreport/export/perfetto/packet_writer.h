/* Writes the packets of a Perfetto trace (protobuf) into a buffer.
 *
 * Packets of one writer form one sequence. Times are differences from the previous packet, so packets must be written
 * in the order of their times. A text is written once, with a number, in the packet that uses it first. The buffers are
 * allocated with malloc; the owner calls tp_packet_writer_release. */
#ifndef TP_WEBREPORT_EXPORT_PERFETTO_PACKET_WRITER_H
#define TP_WEBREPORT_EXPORT_PERFETTO_PACKET_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Tables of texts; each has its own numbers. */
enum tp_packet_table {
    TP_PACKET_CATEGORIES,
    TP_PACKET_NAMES,
    TP_PACKET_KEYS, /* names of annotations */
    TP_PACKET_STRINGS,
    TP_PACKET_STAGES,    /* kinds of GPU stages, and queues */
    TP_PACKET_ARGUMENTS, /* arguments of launches */
    TP_PACKET_TABLES
};

struct tp_packet_writer {
    struct tp_arena *arena;
    struct tp_buf out;                          /* finished packets */
    struct tp_buf body;                         /* fields of the current packet */
    struct tp_buf interned;                     /* texts that the current packet uses first */
    struct tp_buf scratch;                      /* copy of a JSON value, with readable bytes after it */
    struct tp_strings tables[TP_PACKET_TABLES]; /* texts that were written; the number of a text is its id + 1 */
    uint32_t sequence;
    int64_t last_ns;  /* time of the previous packet */
    bool needs_state; /* true if the current packet uses texts */
};

/* Initializes a writer. sequence: number of the sequence, different for each writer of one file. */
void tp_packet_writer_init(struct tp_packet_writer *writer, struct tp_arena *arena, uint32_t sequence);
void tp_packet_writer_release(struct tp_packet_writer *writer);

/* ---- fields ---- */

void tp_field_number(struct tp_buf *out, uint32_t field, uint64_t value);
void tp_field_text(struct tp_buf *out, uint32_t field, struct tp_str text);
void tp_field_real(struct tp_buf *out, uint32_t field, double value);
void tp_field_fixed64(struct tp_buf *out, uint32_t field, uint64_t value);

/* Begins a nested message. Returns the position for tp_field_end, which writes the size of the message. */
size_t tp_field_begin(struct tp_buf *out, uint32_t field);
void tp_field_end(struct tp_buf *out, size_t begin);

/* ---- packets ---- */

/* Begins a packet. Its fields are then written to writer->body. */
void tp_packet_begin(struct tp_packet_writer *writer);

/* Completes a packet with a time in ns since the start of the clock. A time before the previous packet becomes the time
 * of the previous packet. */
void tp_packet_end(struct tp_packet_writer *writer, int64_t ts_ns);

/* Completes a packet without a time. flags: bits of sequence_flags; 0 for none. */
void tp_packet_end_timeless(struct tp_packet_writer *writer, unsigned flags);

/* Returns the number of a text in a table. Writes the text into the current packet if it is new. */
uint64_t tp_packet_text(struct tp_packet_writer *writer, enum tp_packet_table table, struct tp_str text);

/* Does the same for a queue of a GPU. description: text that viewers show as details. */
uint64_t tp_packet_queue(struct tp_packet_writer *writer, struct tp_str name, struct tp_str description);

#endif
