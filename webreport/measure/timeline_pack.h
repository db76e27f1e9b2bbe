/* Packing of the timeline's slices: columns of numbers, a table of names, coverage of what was folded.
 *
 * Private to the timeline view. One walk over the slices per attempt; timeline.c chooses what to fold. The format of
 * the data is described in templates/README.md. */
#ifndef TP_WEBREPORT_MEASURE_TIMELINE_PACK_H
#define TP_WEBREPORT_MEASURE_TIMELINE_PACK_H

#include "webreport/measure/timeline.h"

enum { TP_PACK_COVER_BUCKETS = 2048, TP_PACK_MAX_NAMES = 65535, TP_PACK_DURATION_BINS = 64 * 8 };

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
    size_t max_name_bytes;  /* of all names together; more are "(other names)" */
    struct tp_pack_column sections[TP_PACK_SECTION_COUNT];
    uint32_t *name_number; /* by name id: number in the data; 0: none yet. Number 0 is "(other names)" */
    uint8_t *name_class;   /* by name id: enum tp_slice_class + 1; the high bit marks backward operators */
    uint32_t name_count;
    uint64_t *ends; /* stack of open slices: their ends */
    size_t end_capacity;
    uint64_t end_ns;                         /* of the last slice */
    uint64_t bins[2][TP_PACK_DURATION_BINS]; /* slices by duration: those that may be folded, the others */
    struct tp_vec phases;                    /* struct tp_pack_phase */
    bool is_first;                           /* this walk also fills load, phases and bins */
};

/* Prepares an attempt that folds nothing. timeline: lanes with their slices are known. */
void tp_pack_init(struct tp_pack *pack, struct tp_timeline *timeline, const struct tp_timeline_options *options,
                  struct tp_arena *arena);

/* Walks all lanes and fills the sections anew; counts go to the timeline. */
void tp_pack_walk(struct tp_pack *pack);

/* Class of a name that some slice has. */
enum tp_slice_class tp_pack_class(const struct tp_pack *pack, uint32_t name);

/* Duration below which slices must be folded so that about `keep` of those that may be folded stay. */
uint64_t tp_pack_threshold(const struct tp_pack *pack, uint64_t keep);

/* Adds time [start, end) to the buckets it meets; bucket i is [i * width, (i + 1) * width). Time beyond is left out. */
void tp_pack_spread(uint64_t *buckets, size_t count, uint64_t width, uint64_t start, uint64_t end);

/* buckets of ns -> shares 0..255 of `width`; anything above nothing is at least 1. */
void tp_pack_shares(uint8_t *shares, const uint64_t *buckets, size_t count, uint64_t width);

#endif
