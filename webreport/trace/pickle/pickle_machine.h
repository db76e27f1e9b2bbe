/* Declares the machine that executes the opcodes of a pickle. Only the files pickle*.c include this header. */
#ifndef TP_WEBREPORT_TRACE_PICKLE_PICKLE_MACHINE_H
#define TP_WEBREPORT_TRACE_PICKLE_PICKLE_MACHINE_H

#include "webreport/trace/pickle/pickle.h"

/* A hash table of addresses of nodes, so that equal nodes are stored once. */
struct tp_pickle_slot {
    uint64_t hash;
    void *node; /* NULL for a free slot */
};
struct tp_pickle_table {
    struct tp_pickle_slot *slots;
    uint32_t slot_count, count;
};

struct tp_pickle_machine {
    struct tp_pickle *pickle;
    struct tp_feed *feed;
    const char *at, *end;          /* unread bytes of the current window */
    bool has_all;                  /* true if the window reaches the end of the input */
    uint64_t max_text_size;        /* longest text, bytes */
    const char *files;             /* tp_pickle_input.files */
    bool checks_cut_texts;         /* a file that ends inside of a longer text is refused as cut */
    uint64_t bytes_per_byte;       /* tp_pickle_input.bytes_per_byte */
    uint64_t opcode_at;            /* offset of the current opcode, bytes */
    unsigned char opcode;          /* current opcode */
    struct tp_vec stack;           /* elements: tp_pickle_value */
    struct tp_vec marks;           /* sizes of the stack at each MARK; elements: uint32_t */
    struct tp_vec memo;            /* values by their number; elements: tp_pickle_value; NO_VALUE if not written */
    uint64_t memo_count;           /* number of written elements of `memo` */
    uint32_t recent_texts[2];      /* ids of the last two texts, oldest first; TP_NO_ID if none */
    struct tp_pickle_table parts;  /* short parts of lists */
    struct tp_pickle_table shapes; /* shapes of dicts */
    const struct tp_pickle_shape *last_shape;
    struct tp_error *err;
};

/* Refuses the file. Returns the code for tp_pickle_read. */
int tp_pickle_refuse(struct tp_pickle_machine *machine, enum tp_pickle_refusal why, uint64_t offset, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
/* Refuses the current opcode, which is outside the subset. */
int tp_pickle_refuse_opcode(struct tp_pickle_machine *machine);
/* Refuses a file that ends inside of a value (in_value), or before the opcode STOP. */
int tp_pickle_refuse_end(struct tp_pickle_machine *machine, bool in_value);
/* Refuses a file whose first byte does not begin a pickle. */
int tp_pickle_refuse_start(struct tp_pickle_machine *machine);

/* Makes at least `size` bytes available at machine->at. Returns 1, 0 at the end of the input, or a negative code. */
int tp_pickle_need(struct tp_pickle_machine *machine, uint64_t size);

/* Returns the offset of machine->at in the whole input, bytes. */
uint64_t tp_pickle_offset(const struct tp_pickle_machine *machine);

/* Makes a part of a list from values; equal short parts are one part. */
struct tp_pickle_part *tp_pickle_add_part(struct tp_pickle_machine *machine, const tp_pickle_value *items,
                                          uint32_t count);
/* Returns the shape of a dict whose members are the pairs (key, value) at `pairs`. All keys are texts. */
const struct tp_pickle_shape *tp_pickle_add_shape(struct tp_pickle_machine *machine, const tp_pickle_value *pairs,
                                                  uint32_t count);

#endif
