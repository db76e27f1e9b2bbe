/* Packing of the timeline's slices: columns of numbers, a table of names, coverage of what was folded.
 *
 * Private to the timeline view. One walk over the slices per attempt; timeline.c chooses what to fold. The format of
 * the data is described in templates/README.md. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_PACK_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_PACK_H

#include "webreport/measure/charts/timeline.h"

enum {
    TP_PACK_COVER_BUCKETS = 2048,
    TP_PACK_MAX_NAMES = 65535,
    TP_PACK_DURATION_BINS = 64 * 8,
    TP_PACK_MAX_VARINT = 10,
    TP_PACK_CLASS_BITS = 0x7F, /* of name_class */
    TP_PACK_MICROSECOND = 1000
};

struct tp_pack_column {
    uint8_t *data;
    size_t size, capacity;
};

enum tp_pack_section {
    TP_PACK_START,      /* LEB128: start, from the start of the slice before in the lane */
    TP_PACK_DURATION,   /* LEB128 */
    TP_PACK_NAME,       /* LEB128: number of a name */
    TP_PACK_DEPTH,      /* byte */
    TP_PACK_NAME_SIZES, /* LEB128 per name */
    TP_PACK_NAME_BYTES,
    TP_PACK_NAME_CLASSES, /* byte per name: enum tp_slice_class */
    TP_PACK_COVER,        /* per lane that has one: row_count * TP_PACK_COVER_BUCKETS bytes */
    TP_PACK_TOLD,         /* LEB128 per slice that has arguments: place among all slices, from the one
                             before; number of its text, 0: none; its colour + 1, 0: none */
    TP_PACK_TOLD_SIZES,   /* LEB128 per text, from number 1 on */
    TP_PACK_TOLD_BYTES,
    TP_PACK_MOMENTS, /* LEB128 per moment of a lane: time, from the one before in the lane; name; text; colour + 1 */
    TP_PACK_LAUNCH,  /* LEB128 per slice of a device: from the start of its launch to its own, + 1; 0: none is known.
                        Empty where there is no room for it */
    TP_PACK_SHAPE,   /* LEB128 per slice of a lane of the host: number of the text of its shapes; 0: it has none.
                        Empty where there is no room for it, as the next two */
    TP_PACK_SHAPE_SIZES, /* LEB128 per text, from number 1 on */
    TP_PACK_SHAPE_BYTES,
    TP_PACK_SECTION_COUNT
};

/* An annotation that lies in no other but a step. */
struct tp_pack_phase {
    uint64_t start_ns, dur_ns;
    uint32_t lane, name;
};

struct tp_pack {
    struct tp_timeline *timeline;
    const struct tp_timeline_options *options;
    struct tp_arena *arena;
    uint32_t unit_ns;       /* 1 or 1000: what all times are multiples of */
    uint64_t fold_below_ns; /* host slices shorter than this are folded */
    bool folds_devices;     /* device slices and annotations, too */
    bool folds_steps;       /* steps, too */
    bool has_launches;      /* slices of devices have their launches */
    bool has_shapes;        /* slices of operators have their shapes */
    /* of all names together; more are "(other names)". Also of all texts of arguments, of all moments */
    size_t max_name_bytes;
    struct tp_pack_column sections[TP_PACK_SECTION_COUNT];
    uint32_t *name_number; /* by name id: number in the data; 0: none yet. Number 0 is "(other names)" */
    uint8_t *name_class;   /* by name id: enum tp_slice_class + 1; the high bit marks backward operators */
    uint32_t name_count;
    /* by id of "Input Dims": number in the data, as argument_number; NULL: no slice has shapes */
    uint32_t *shape_number;
    uint32_t shape_count;
    /* by id of a text of arguments: number in the data; 0: none yet. NULL: no slice has arguments */
    uint32_t *argument_number;
    uint32_t argument_text_count, argument_count; /* argument_count: slices that have arguments */
    uint64_t argument_slice;                  /* place of the last slice with arguments */
    const struct tp_moment *moments;      /* by thread, time, place in the file */
    uint64_t *ends;                       /* stack of open slices: their ends */
    size_t end_capacity;
    uint64_t end_ns;                         /* of the last slice */
    uint64_t bins[2][TP_PACK_DURATION_BINS]; /* slices by duration: those that may be folded, the others */
    struct tp_vec phases;                    /* struct tp_pack_phase */
    bool is_first;                           /* this walk also fills load, phases and bins */
};

/* Prepares an attempt that folds nothing. timeline: lanes with their slices are known. */
void tp_pack_init(struct tp_pack *pack, struct tp_timeline *timeline, const struct tp_timeline_options *options,
                  struct tp_arena *arena);

/* Adds a number to a section that has room for it (TP_PACK_MAX_VARINT bytes). */
static inline void tp_pack_number(struct tp_pack_column *column, uint64_t value)
{
    uint8_t *at = column->data + column->size;
    while (value >= 0x80) {
        *at++ = (uint8_t)value | 0x80;
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    column->size = (size_t)(at - column->data);
}

/* ---- sections and names (timeline_names.c) ---- */

/* Makes room for `size` bytes more in a section. */
void tp_pack_reserve(struct tp_pack *pack, enum tp_pack_section section, size_t size);

/* Adds a text to the section of its kind's bytes, and its size to that of the sizes. */
void tp_pack_text(struct tp_pack *pack, enum tp_pack_section sizes, enum tp_pack_section bytes, struct tp_str text);

/* Adds a name as the next number. class: enum tp_slice_class. */
void tp_pack_add_name(struct tp_pack *pack, struct tp_str name, uint8_t class);

/* Number of a name in the data, which it gets now when it is new; 0: there is no room for it. class: of a new one whose
 * class is not known from slices. */
uint32_t tp_pack_name(struct tp_pack *pack, uint32_t id, enum tp_slice_class class);

/* Class of a name that some slice has. */
enum tp_slice_class tp_pack_class(const struct tp_pack *pack, uint32_t name);

/* ---- shapes (timeline_shapes.c) ---- */

/* Prepares the shapes of slices; false: there are none. The next begins an attempt. */
bool tp_pack_shapes_init(struct tp_pack *pack);
void tp_pack_shapes_start(struct tp_pack *pack);

/* Adds those of a slice of the host. */
void tp_pack_shape(struct tp_pack *pack, const struct tp_event *event);

/* ---- arguments that programs gave (timeline_arguments.c) ---- */

/* Prepares the arguments of slices, and sorts the moments. */
void tp_pack_arguments_init(struct tp_pack *pack);

/* Begins an attempt. */
void tp_pack_arguments_start(struct tp_pack *pack);

/* Adds the arguments of the event that became slice `place` of all. */
void tp_pack_arguments_add(struct tp_pack *pack, uint32_t event, uint64_t place);

/* Adds the moments of a lane. False when a time is no multiple of the unit. */
bool tp_pack_lane_moments(struct tp_pack *pack, struct tp_lane *lane);

/* Walks all lanes and fills the sections anew; counts go to the timeline. */
void tp_pack_walk(struct tp_pack *pack);

/* Duration below which slices must be folded so that about `keep` of those that may be folded stay. */
uint64_t tp_pack_threshold(const struct tp_pack *pack, uint64_t keep);

/* Adds time [start, end) to the buckets it meets; bucket i is [i * width, (i + 1) * width). Time beyond is left out. */
void tp_pack_spread(uint64_t *buckets, size_t count, uint64_t width, uint64_t start, uint64_t end);

/* buckets of ns -> shares 0..255 of `width`; anything above nothing is at least 1. */
void tp_pack_shares(uint8_t *shares, const uint64_t *buckets, size_t count, uint64_t width);

#endif
