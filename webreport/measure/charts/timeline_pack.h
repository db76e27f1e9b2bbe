/* Packs the timeline's slices: columns of numbers, a table of names, coverage of folded slices.
 *
 * Private to the timeline view. Each attempt walks the slices once; timeline_build.c chooses what to fold. The format of the
 * data is described in templates/README.md. */
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
    TP_PACK_START,      /* LEB128: start, from the start of the previous slice in the lane */
    TP_PACK_DURATION,   /* LEB128 */
    TP_PACK_NAME,       /* LEB128: number of a name */
    TP_PACK_DEPTH,      /* byte */
    TP_PACK_NAME_SIZES, /* LEB128 per name */
    TP_PACK_NAME_BYTES,
    TP_PACK_NAME_CLASSES, /* byte per name: enum tp_slice_class */
    TP_PACK_COVER,        /* per lane with coverage: row_count * TP_PACK_COVER_BUCKETS bytes */
    TP_PACK_TOLD,         /* LEB128 per slice with arguments: index among all slices, from the previous one; number of
                           * its text, 0: none; its color + 1, 0: none */
    TP_PACK_TOLD_SIZES,   /* LEB128 per text, from number 1 on */
    TP_PACK_TOLD_BYTES,
    TP_PACK_MOMENTS, /* LEB128 per moment of a lane: time, from the previous one in the lane; name; text; color + 1 */
    TP_PACK_LAUNCH,  /* LEB128 per slice of a device: time from the start of its launch to its own, + 1; 0: unknown.
                      * Empty if there is no room for it */
    TP_PACK_SHAPE,   /* LEB128 per slice of a lane of the host: number of the text of its shapes; 0: it has none. Empty
                      * if there is no room for it, like the next two */
    TP_PACK_SHAPE_SIZES, /* LEB128 per text, from number 1 on */
    TP_PACK_SHAPE_BYTES,
    TP_PACK_SECTION_COUNT
};

/* An annotation that only a step encloses. */
struct tp_pack_phase {
    uint64_t start_ns, dur_ns;
    uint32_t lane, name;
};

struct tp_pack {
    struct tp_timeline *timeline;
    const struct tp_timeline_options *options;
    struct tp_arena *arena;
    uint32_t unit_ns;       /* 1 or 1000: all times are multiples of it */
    uint64_t fold_below_ns; /* host slices shorter than this are folded */
    bool folds_devices;     /* folds device slices and annotations, too */
    bool folds_steps;       /* folds steps, too */
    bool has_launches;      /* slices of devices include their launches */
    bool has_shapes;        /* slices of operators include their shapes */
    /* limit for all names together; further ones are "(other names)". Also for all texts of arguments, and for all
     * moments */
    size_t max_name_bytes;
    struct tp_pack_column sections[TP_PACK_SECTION_COUNT];
    uint32_t *name_number; /* by name id: number in the data; 0: none yet. Number 0 is "(other names)" */
    uint8_t *name_class;   /* by name id: enum tp_slice_class + 1; the high bit marks backward operators */
    uint32_t name_count;
    /* by id of "Input Dims": number in the data, 0: none yet; NULL: no slice has shapes */
    uint32_t *shape_number;
    uint32_t shape_count;
    /* by id of a text of arguments: number in the data; 0: none yet. NULL: no slice has arguments */
    uint32_t *argument_number;
    uint32_t argument_text_count, argument_count; /* argument_count: slices with arguments */
    uint64_t argument_slice;                  /* index of the last slice with arguments */
    const struct tp_moment *moments;      /* by thread, time, position in the file */
    uint64_t *ends;                       /* stack of open slices: their ends */
    size_t end_capacity;
    uint64_t end_ns;                         /* latest end of a slice or moment */
    uint64_t bins[2][TP_PACK_DURATION_BINS]; /* slices by duration: [0] slices that may be folded, [1] the others */
    struct tp_vec phases;                    /* struct tp_pack_phase */
    bool is_first;                           /* this walk also fills load, phases and bins */
};

/* Prepares an attempt that folds nothing. timeline: its lanes and their slices are known. */
void tp_pack_init(struct tp_pack *pack, struct tp_timeline *timeline, const struct tp_timeline_options *options,
                  struct tp_arena *arena);

/* Appends a number to a section with room for it (TP_PACK_MAX_VARINT bytes). */
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

/* Makes room for `size` more bytes in a section. */
void tp_pack_reserve(struct tp_pack *pack, enum tp_pack_section section, size_t size);

/* Appends a text to the section `bytes`, and its size to the section `sizes`. */
void tp_pack_text(struct tp_pack *pack, enum tp_pack_section sizes, enum tp_pack_section bytes, struct tp_str text);

/* Appends a name with the next number. class: enum tp_slice_class. */
void tp_pack_add_name(struct tp_pack *pack, struct tp_str name, uint8_t class);

/* Returns the number of a name in the data, a new one for a new name; 0: there is no room for it. class: used for a new
 * name that no slice has. */
uint32_t tp_pack_name(struct tp_pack *pack, uint32_t id, enum tp_slice_class class);

/* Returns the class of a name that some slice has. */
enum tp_slice_class tp_pack_class(const struct tp_pack *pack, uint32_t name);

/* ---- shapes (timeline_shapes.c) ---- */

/* Prepares the shapes of slices. Returns false if there are none. tp_pack_shapes_start begins an attempt. */
bool tp_pack_shapes_init(struct tp_pack *pack);
void tp_pack_shapes_start(struct tp_pack *pack);

/* Appends the shapes of a slice of the host. */
void tp_pack_shape(struct tp_pack *pack, const struct tp_event *event);

/* ---- arguments from programs (timeline_arguments.c) ---- */

/* Prepares the arguments of slices, and sorts the moments. */
void tp_pack_arguments_init(struct tp_pack *pack);

/* Begins an attempt. */
void tp_pack_arguments_start(struct tp_pack *pack);

/* Appends the arguments of the event that became slice number `place`. */
void tp_pack_arguments_add(struct tp_pack *pack, uint32_t event, uint64_t place);

/* Appends the moments of a lane. Returns false when a time is not a multiple of the unit. */
bool tp_pack_lane_moments(struct tp_pack *pack, struct tp_lane *lane);

/* Walks all lanes and fills the sections anew; counts go to the timeline. */
void tp_pack_walk(struct tp_pack *pack);

/* Returns the duration below which slices must be folded so that about `keep` of the slices that may be folded
 * remain. */
uint64_t tp_pack_threshold(const struct tp_pack *pack, uint64_t keep);

/* Adds time [start, end) to the buckets that it overlaps; bucket i is [i * width, (i + 1) * width). Time after the last
 * bucket is left out. */
void tp_pack_spread(uint64_t *buckets, size_t count, uint64_t width, uint64_t start, uint64_t end);

/* Converts buckets of ns to shares 0 to 255 of `width`; anything above 0 becomes at least 1. */
void tp_pack_shares(uint8_t *shares, const uint64_t *buckets, size_t count, uint64_t width);

#endif
