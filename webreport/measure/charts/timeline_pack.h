/* Packs the timeline's slices: columns of numbers, a table of names, coverage of folded slices.
 *
 * Private to the timeline view. Each attempt walks the slices once; timeline_build.c chooses what to fold. The format
 * of the data is described in templates/README.md. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_PACK_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_PACK_H

#include "webreport/measure/charts/timeline.h"

enum {
    TP_PACK_COVER_BUCKETS = 2048,
    TP_PACK_MAX_NAMES = 65535,
    TP_PACK_DURATION_BINS = 64 * 8,
    TP_PACK_MAX_VARINT = 10,
    TP_PACK_CLASS_BITS = 0x7F, /* bits of an item of name_class that contain the class */
    TP_PACK_MICROSECOND = 1000
};

struct tp_pack_column {
    uint8_t *data;
    size_t size, capacity;
};

enum tp_pack_section {
    TP_PACK_START,      /* LEB128 per slice: start, from the start of the previous slice in the lane */
    TP_PACK_DURATION,   /* LEB128 per slice */
    TP_PACK_NAME,       /* LEB128 per slice: number of its name */
    TP_PACK_DEPTH,      /* byte per slice */
    TP_PACK_NAME_SIZES, /* LEB128 per name */
    TP_PACK_NAME_BYTES,
    TP_PACK_NAME_CLASSES, /* byte per name: enum tp_slice_class */
    TP_PACK_COVER,        /* per lane with coverage: row_count * TP_PACK_COVER_BUCKETS bytes */
    /* three LEB128 per slice with arguments: its index among all slices, minus that of the previous one; number of its
     * text, 0 without a text; its color + 1, 0 without a color */
    TP_PACK_ARGUMENTS,
    TP_PACK_ARGUMENT_SIZES, /* LEB128 per text; the first text has the number 1 */
    TP_PACK_ARGUMENT_BYTES,
    /* four LEB128 per moment of a lane: time since the previous moment of the lane; name; text; color + 1 */
    TP_PACK_MOMENTS,
    /* LEB128 per device slice: 1 + time from the start of its launch to the start of the slice; 0 if unknown. The
     * section is empty if it does not fit */
    TP_PACK_LAUNCH,
    /* LEB128 per host slice: number of the text of its shapes; 0 without shapes. This section and the next two are
     * empty if they do not fit */
    TP_PACK_SHAPE,
    TP_PACK_SHAPE_SIZES, /* LEB128 per text; the first text has the number 1 */
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
    uint32_t unit_ns;       /* unit of all times in the data: 1 or 1000 */
    uint64_t fold_below_ns; /* host slices shorter than this are folded */
    bool folds_devices;     /* device slices and annotations are folded as well */
    bool folds_steps;       /* steps are folded as well */
    bool has_launches;      /* slices of devices include their launches */
    bool has_shapes;        /* slices of operators include their shapes */
    /* limit for all names together; names beyond it become "(other names)". The same limit is used for all texts of
     * arguments and for all moments */
    size_t max_name_bytes;
    struct tp_pack_column sections[TP_PACK_SECTION_COUNT];
    /* by name id: number in the data; 0: no number yet. The data's number 0 is "(other names)" */
    uint32_t *name_number;
    uint8_t *name_class; /* by name id: enum tp_slice_class + 1; the high bit marks backward operators */
    uint32_t name_count;
    /* by id of "Input Dims": number in the data; 0: no number yet. NULL: no slice has shapes */
    uint32_t *shape_number;
    uint32_t shape_count;
    /* by id of a text of arguments: number in the data; 0: no number yet. NULL: no slice has arguments */
    uint32_t *argument_number;
    uint32_t argument_text_count, argument_count; /* argument_count: number of slices with arguments */
    uint64_t argument_slice;                      /* index of the last slice with arguments */
    const struct tp_moment *moments;              /* in order of thread, time and position in the file */
    uint64_t *ends;                               /* ends of the open slices, a stack */
    size_t end_capacity;
    uint64_t end_ns; /* latest end of a slice or moment */
    /* number of slices by duration: [0] slices that may be folded, [1] other slices */
    uint64_t bins[2][TP_PACK_DURATION_BINS];
    struct tp_vec phases; /* struct tp_pack_phase */
    bool is_first;        /* the first walk, which also fills load, phases and bins */
};

/* Prepares the first attempt, which folds no slice. The lanes of `timeline` and their slices must be known. */
void tp_pack_init(struct tp_pack *pack, struct tp_timeline *timeline, const struct tp_timeline_options *options,
                  struct tp_arena *arena);

/* Appends a number to a section that has room for TP_PACK_MAX_VARINT more bytes. */
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

/* Returns the number of a name in the data; a new name gets the next number. 0: there is no room for the name. class:
 * used for a name that no slice has. */
uint32_t tp_pack_name(struct tp_pack *pack, uint32_t id, enum tp_slice_class class);

/* Returns the class of a name that at least one slice has. */
enum tp_slice_class tp_pack_class(const struct tp_pack *pack, uint32_t name);

/* ---- shapes (timeline_shapes.c) ---- */

/* Prepares the shapes of slices. Returns false if no slice has shapes. tp_pack_shapes_start begins each attempt. */
bool tp_pack_shapes_init(struct tp_pack *pack);
void tp_pack_shapes_start(struct tp_pack *pack);

/* Appends the shapes of a slice of the host. */
void tp_pack_shape(struct tp_pack *pack, const struct tp_event *event);

/* ---- arguments from programs (timeline_arguments.c) ---- */

/* Prepares the arguments of slices, and sorts the moments. */
void tp_pack_arguments_init(struct tp_pack *pack);

/* Empties the sections of arguments at the start of an attempt. */
void tp_pack_arguments_start(struct tp_pack *pack);

/* Appends the arguments of the event that became slice number `place`. */
void tp_pack_arguments_add(struct tp_pack *pack, uint32_t event, uint64_t place);

/* Appends the moments of a lane. Returns false when a time is not a multiple of the unit. */
bool tp_pack_lane_moments(struct tp_pack *pack, struct tp_lane *lane);

/* ---- header (timeline_header.c) ---- */

/* Writes the header of the data as JSON into `room`, which has room_bytes. load_bytes: size of the device load. Returns
 * its size; 0: the room is too small. Out of memory: jumps to the guard of pack->arena. */
size_t tp_pack_header(char *room, size_t room_bytes, const struct tp_pack *pack, const struct tp_timeline *timeline,
                      size_t load_bytes);

/* ---- walking (timeline_walk.c) ---- */

/* Walks all lanes and fills the sections anew. Writes the counts to the timeline. */
void tp_pack_walk(struct tp_pack *pack);

/* Returns the duration below which slices must be folded so that about `keep` of the slices that may be folded
 * remain. */
uint64_t tp_pack_threshold(const struct tp_pack *pack, uint64_t keep);

/* Adds the time [start, end) to the buckets that it overlaps. Bucket i is [i * width, (i + 1) * width). Ignores time
 * after the last bucket. */
void tp_pack_spread(uint64_t *buckets, size_t count, uint64_t width, uint64_t start, uint64_t end);

/* Converts buckets of ns to shares 0 to 255 of `width`; anything above 0 becomes at least 1. */
void tp_pack_shares(uint8_t *shares, const uint64_t *buckets, size_t count, uint64_t width);

#endif
