/* Packs the timeline's slices into columns of numbers, a table of names, and the coverage of folded slices.
 *
 * Private to the timeline view. Each attempt walks all slices once; timeline_build.c chooses which slices are folded.
 * templates/README.md describes the format of the data. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_PACK_H
#define TP_WEBREPORT_MEASURE_CHARTS_TIMELINE_PACK_H

#include "webreport/measure/charts/timeline.h"
#include "writer/base/keys.h"

enum {
    TP_PACK_COVER_BUCKETS = 2048,
    TP_PACK_MAX_NAMES = 65535,
    TP_PACK_DURATION_BINS = 64 * 8,
    TP_PACK_MAX_VARINT = 10,
    TP_PACK_CLASS_BITS = 0x7F, /* mask of the bits of class_by_name that contain the class */
    TP_PACK_CAPTURED_KEY = 6,  /* length of the keys in `captured` */
    TP_PACK_MICROSECOND = 1000
};

struct tp_pack_column {
    uint8_t *data;
    size_t size, capacity;
};

enum tp_pack_section {
    TP_PACK_START,      /* one LEB128 per slice: time since the start of the previous slice of the lane */
    TP_PACK_DURATION,   /* one LEB128 per slice: duration of the slice */
    TP_PACK_NAME,       /* one LEB128 per slice: number of the slice's name */
    TP_PACK_DEPTH,      /* one byte per slice: depth of nesting of the slice */
    TP_PACK_NAME_SIZES, /* one LEB128 per name: length of the name, bytes */
    TP_PACK_NAME_BYTES,
    TP_PACK_NAME_CLASSES, /* one byte per name: enum tp_slice_class */
    TP_PACK_COVER,        /* per lane with folded slices: cover_count * TP_PACK_COVER_BUCKETS bytes */
    /* three LEB128 per slice with arguments. 1: index of the slice among all slices, as the difference from the
     * previous slice with arguments. 2: number of the arguments text, 0 without a text. 3: color of the slice + 1, 0
     * without a color */
    TP_PACK_ARGUMENTS,
    TP_PACK_ARGUMENT_SIZES, /* one LEB128 per arguments text: length of the text, bytes; texts are numbered from 1 */
    TP_PACK_ARGUMENT_BYTES,
    /* four LEB128 per moment of a lane: time since the lane's previous moment, number of the name, number of the
     * arguments text, color + 1 */
    TP_PACK_MOMENTS,
    /* one LEB128 per device slice: 1 + time from the start of its launch to the start of the slice; 0 if unknown. The
     * section is empty if it does not fit into the size limit */
    TP_PACK_LAUNCH,
    /* one LEB128 per host slice: number of the text with the slice's shapes, 0 without shapes. This section and the
     * next two are empty if they do not fit into the size limit */
    TP_PACK_SHAPE,
    TP_PACK_SHAPE_SIZES, /* one LEB128 per shapes text: length of the text, bytes; texts are numbered from 1 */
    TP_PACK_SHAPE_BYTES,
    TP_PACK_FULL_SIZES, /* one LEB128 per name: length of the full name, bytes; 0 if the full name is the name */
    TP_PACK_FULL_BYTES,
    TP_PACK_SECTION_COUNT
};

struct tp_pack {
    struct tp_timeline *timeline;
    const struct tp_timeline_options *options;
    struct tp_arena *arena;
    uint32_t unit_ns;       /* unit of all times in the data, ns: 1 or 1000 */
    bool rounds;            /* true: times that are not multiples of the unit are rounded down */
    uint64_t fold_below_ns; /* host slices shorter than this duration, ns, are folded */
    bool folds_devices;     /* true if short device slices and annotations are folded too */
    bool folds_short_steps; /* true if short steps are folded too */
    bool has_launches;      /* true if the data has the launches of device slices */
    bool has_shapes;        /* true if the data has the shapes of operators */
    /* limit of bytes for all names; further names become "(other names)". The same limit applies to the texts of
     * arguments, and to the moments */
    size_t max_name_bytes;
    struct tp_pack_column sections[TP_PACK_SECTION_COUNT];
    /* for each name id: number of the name in the data; 0: no number yet. Number 0 in the data is "(other names)" */
    uint32_t *name_number;
    /* like name_number, for slices that wait although other slices with the same name do not; NULL if no slice waits */
    uint32_t *number_of_waits;
    uint64_t *waits;        /* for each event: one bit, set if the event is a call that waits for the device */
    uint8_t *class_by_name; /* for each name id: enum tp_slice_class + 1; the highest bit marks backward operators */
    uint32_t name_count;
    /* for each id of an "Input Dims" text: number of the text in the data; 0: no number yet. NULL if no slice has
     * shapes */
    uint32_t *number_by_shape;
    uint32_t shape_count;
    /* for each id of an arguments text: number of the text in the data; 0: no number yet. NULL if no slice has
     * arguments */
    uint32_t *number_by_argument;
    bool has_captured;                /* true if captured calls are known for some slices */
    struct tp_keys captured;          /* the details of captured calls, see timeline_captured.c */
    struct tp_vec number_by_captured; /* for each key in `captured`: number of the text; elements: uint32_t */
    uint32_t argument_text_count, argument_count; /* argument_count: number of slices with arguments */
    uint64_t last_argument_slice;                 /* index of the previous slice with arguments */
    const struct tp_moment *moments;              /* moments sorted by thread, time and position in the file */
    uint64_t *ends;                               /* stack of the ends of open slices, ns */
    size_t open_slice_capacity;
    uint64_t end_ns; /* latest end of any slice or moment, ns */
    /* histogram of slices by duration: [0] slices that can be folded, [1] other slices */
    uint64_t bins[2][TP_PACK_DURATION_BINS];
    bool is_first; /* true during the first walk, which also fills the work of lanes and bins */
};

/* Prepares the first attempt, in which no slice is folded. The lanes of `timeline` and their slices must be known. */
void tp_pack_init(struct tp_pack *pack, struct tp_timeline *timeline, const struct tp_timeline_options *options,
                  struct tp_arena *arena);

/* Appends a number to a section. The caller has reserved TP_PACK_MAX_VARINT bytes for the number. */
static inline void tp_pack_add_number(struct tp_pack_column *column, uint64_t value)
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

/* Reserves space for `size` more bytes in a section. */
void tp_pack_reserve_bytes(struct tp_pack *pack, enum tp_pack_section section, size_t size);

/* Appends a text to the section `bytes`, and the length of the text to the section `sizes`. */
void tp_pack_add_text(struct tp_pack *pack, enum tp_pack_section sizes, enum tp_pack_section bytes, struct tp_str text);

/* Adds an arguments text and returns its number; returns 0 if there is no space for the text. */
uint32_t tp_pack_add_argument_text(struct tp_pack *pack, struct tp_str text);

/* Appends a name with the next number. class: enum tp_slice_class. full: the full name; "" if it is `name`. */
void tp_pack_add_name(struct tp_pack *pack, struct tp_str name, struct tp_str full, uint8_t class);

/* Returns the number of a name in the data. A new name gets the next number. Returns 0 if there is no space for the
 * name. class: class of the name if no slice has the name. */
uint32_t tp_pack_name_number(struct tp_pack *pack, uint32_t id, enum tp_slice_class class);

/* Marks the events that wait for the device. */
void tp_pack_waits_init(struct tp_pack *pack);

/* Returns the number of the name of an event: tp_pack_name_number, except for a call that waits. */
uint32_t tp_pack_name_number_of_event(struct tp_pack *pack, const struct tp_event *event);

/* Returns the class of a name. At least one slice must have the name. */
enum tp_slice_class tp_pack_class_of_name(const struct tp_pack *pack, uint32_t name);

/* Returns the class of an event that a walk has visited. */
enum tp_slice_class tp_pack_class_of_event(const struct tp_pack *pack, const struct tp_event *event);

/* ---- the close-up (timeline_close.c) ---- */

/* Fills timeline->close. The ranks of the lanes must be known. */
void tp_pack_find_close(struct tp_pack *pack);

/* ---- shapes (timeline_shapes.c) ---- */

/* Prepares the shapes of slices. Returns false if no slice has shapes. Each attempt starts with
 * tp_pack_shapes_start. */
bool tp_pack_shapes_init(struct tp_pack *pack);
void tp_pack_shapes_start(struct tp_pack *pack);

/* Appends the shapes of a host slice. */
void tp_pack_add_shape(struct tp_pack *pack, const struct tp_event *event);

/* ---- arguments from programs (timeline_arguments.c) ---- */

/* Prepares the arguments of slices and sorts the moments. */
void tp_pack_arguments_init(struct tp_pack *pack);

/* Empties the sections for arguments. Must be called at the start of each attempt. */
void tp_pack_arguments_start(struct tp_pack *pack);

/* Appends the arguments of an event, and the captured call of a graph kernel. operation: index in model->devices;
 * TP_NO_ID for a host event. place: index of the event's slice among all slices. */
void tp_pack_arguments_add(struct tp_pack *pack, uint32_t event, uint32_t operation, uint64_t place);

/* Appends the moments of a lane. Returns false if a time is not a multiple of the unit. */
bool tp_pack_moments_of_lane(struct tp_pack *pack, struct tp_lane *lane);

/* ---- captured calls of graph kernels (timeline_captured.c) ---- */

/* Prepares the details of captured calls. Each attempt starts with tp_pack_captured_start. */
void tp_pack_captured_init(struct tp_pack *pack);
void tp_pack_captured_start(struct tp_pack *pack);

/* Returns the number of the arguments text that names the captured call of a device operation; 0 if no captured call is
 * known, or if there is no space. own_text: id of the text of the operation's own arguments, which is added at the end;
 * TP_NO_ID without one. */
uint32_t tp_pack_captured_text(struct tp_pack *pack, uint32_t device, uint32_t own_text);

/* ---- header (timeline_header.c) ---- */

/* Writes the header of the data as JSON into `room`, a buffer of room_bytes bytes. load_bytes: size of the device load.
 * Returns the size of the header, or 0 if the buffer is too small. Jumps to the guard of pack->arena if memory runs
 * out. */
size_t tp_pack_write_header(char *room, size_t room_bytes, const struct tp_pack *pack,
                            const struct tp_timeline *timeline, size_t load_bytes);

/* ---- walking (timeline_walk.c) ---- */

/* Walks all lanes and fills the sections again. Writes the counts to the timeline. */
void tp_pack_write_slices(struct tp_pack *pack);

/* Returns the duration below which slices must be folded so that about `keep` of the foldable slices remain, ns. */
uint64_t tp_pack_find_threshold(const struct tp_pack *pack, uint64_t keep);

/* Adds the time from `start` to `end` to the buckets that it overlaps. Bucket i covers [i * width, (i + 1) * width).
 * Ignores time after the last bucket. */
void tp_pack_add_to_buckets(uint64_t *buckets, size_t count, uint64_t width, uint64_t start, uint64_t end);

/* Converts buckets of ns to shares of `width`, from 0 to 255. A time above 0 becomes at least 1. */
void tp_pack_fill_shares(uint8_t *shares, const uint64_t *buckets, size_t count, uint64_t width);

#endif
