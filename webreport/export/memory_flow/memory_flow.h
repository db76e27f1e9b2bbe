/* Lays out the memory of one device by time and address, to show where each block was allocated and for how long. */
#ifndef TP_WEBREPORT_EXPORT_MEMORY_FLOW_MEMORY_FLOW_H
#define TP_WEBREPORT_EXPORT_MEMORY_FLOW_MEMORY_FLOW_H

#include "webreport/export/export_formats.h"
#include "webreport/measure/memory/memory_records.h"

enum tp_flow_flag {
    TP_FLOW_NEVER_FREED = 1, /* the trace has no release of the block; the block is drawn to the end of the trace */
    TP_FLOW_FROM_BEFORE =
        2, /* the trace has only the release of the block; the block is drawn from the start of the trace */
    /* the trace has no release of the block; the block is drawn until its address is allocated again */
    TP_FLOW_REUSED = 4
};

struct tp_flow_block {
    int64_t start_ns, end_ns; /* time of allocation and release, ns */
    int64_t address, bytes;   /* address: first address of the block; bytes: its size, above 0 */
    uint32_t owner;           /* operator that allocated the block, or TP_NO_ID */
    uint32_t flags;           /* bits of enum tp_flow_flag */
};

/* A segment of a memory snapshot: memory that the allocator got from the device, and in which blocks are. */
struct tp_flow_segment {
    int64_t start_ns, end_ns, address, bytes, stream;
};

/* A range of addresses that is drawn to scale. Gaps between ranges are drawn with a reduced height. */
struct tp_flow_range {
    int64_t start, end;
    double position; /* position of the range's start in the picture, bytes */
};

/* Allocated bytes of a device after a memory record. */
struct tp_flow_total {
    int64_t at_ns, bytes;
};

/* For a memory snapshot, times are ns since the first event, or numbers of events. */
struct tp_memory_flow {
    const struct tp_model *model;              /* NULL for a memory snapshot */
    const struct tp_snapshot_device *snapshot; /* NULL for a trace. `owner` of a block is then an index in its replay */
    bool is_by_event;                          /* true: times are numbers of events */
    struct tp_str device;
    struct tp_flow_block *blocks; /* blocks in order of allocation */
    uint32_t count;
    uint64_t without_address, never_freed_count, allocated_before_count;
    struct tp_flow_segment *segments; /* segments of a memory snapshot, in order of their start */
    uint32_t segment_count;
    /* times of the first and the last event or record, ns; the picture shows this range. Blocks and segments of a
     * memory snapshot may begin before and end after the range */
    int64_t start_ns, end_ns;
    int64_t origin_ns; /* start of the recording; texts show times since this time */
    /* peak_bytes: largest number of allocated bytes, TP_NULL_INT if unknown; peak_at_ns: time of the peak */
    int64_t peak_bytes, peak_at_ns;
    /* true if the allocator reported the peak; false if the peak is the sum of the known blocks */
    bool is_peak_reported;
    struct tp_flow_range *ranges; /* ranges of used addresses, ascending */
    uint32_t range_count;
    double height; /* height of the picture, bytes of address range; large unused gaps have their reduced size */
    struct tp_flow_total *totals; /* totals in order of time, for devices whose memory records have no addresses */
    uint32_t total_count;
    int64_t bytes_before; /* allocated bytes before the first record */
};

/* Builds the picture of a device in `arena`, whose guard the caller sets. device: index in records->devices. */
void tp_memory_flow_build(struct tp_memory_flow *flow, const struct tp_memory_records *records, uint32_t device,
                          struct tp_arena *arena);

/* Builds the picture of a device of a memory snapshot, from --from to --until of the filter, in the same way. Returns
 * 0, or TP_ENOTFOUND if no event is in this range. */
int tp_memory_flow_build_snapshot(struct tp_memory_flow *flow, const struct tp_snapshot_device *device,
                                  const struct tp_filter *filter, struct tp_arena *arena, struct tp_error *err);

/* Fills the ranges of addresses from the blocks and segments. Called by the functions above. */
void tp_memory_flow_place_addresses(struct tp_memory_flow *flow, struct tp_arena *arena);

/* Returns the position of an address in the picture, bytes from 0 to flow->height. */
double tp_memory_flow_position(const struct tp_memory_flow *flow, int64_t address);
/* Returns the address at a position in the picture. place: bytes from 0 to flow->height. */
int64_t tp_memory_flow_address(const struct tp_memory_flow *flow, double place);

/* The color of each block, and the legend of each color. */
struct tp_flow_colours {
    enum tp_export_colour kind;
    uint8_t *colour_by_block; /* for each block: index of its color in `fill` and `label` */
    const char *fill[16];     /* colors as "#RRGGBB" */
    struct tp_str label[16];  /* legend of each color */
    unsigned count;
};

void tp_flow_colours_build(struct tp_flow_colours *colours, const struct tp_memory_flow *flow,
                           enum tp_export_colour kind, struct tp_arena *arena);
/* tp_flow_operator returns the operator that allocated a block, and tp_flow_module returns its module; "" if
 * unknown. */
struct tp_str tp_flow_operator(const struct tp_memory_flow *flow, const struct tp_flow_block *block);
struct tp_str tp_flow_module(const struct tp_memory_flow *flow, const struct tp_flow_block *block);
/* Returns the property of a block that a kind of colors shows; "" if unknown. kind: not TP_EXPORT_BY_LIFETIME. */
struct tp_str tp_flow_property(const struct tp_memory_flow *flow, const struct tp_flow_block *block,
                               enum tp_export_colour kind);

/* Rectangle of a block in the picture, pixels. */
struct tp_flow_box {
    double x, y, width, height;
    uint8_t colour;
};

/* Limits of a raster, which shows blocks that are too small, or too many, to be drawn as single boxes. */
enum { TP_FLOW_LEVELS = 3, TP_FLOW_MAX_COLUMNS = 1024 };

struct tp_flow_cell {
    uint8_t colour; /* index of the color that covers most of the cell */
    uint8_t level;  /* covered share of the cell, from 0 (nothing) to TP_FLOW_LEVELS (nearly all) */
};

struct tp_flow_raster {
    unsigned columns, rows; /* number of columns and rows; at most TP_FLOW_MAX_COLUMNS columns */
    double pixels;          /* side length of a cell, pixels */
    struct tp_flow_cell *cells;
};

/* Fills the cells from boxes. Memory comes from `arena`. colour_count: number of colors; `colour` of each box must be
 * below this number. */
void tp_flow_raster_paint(struct tp_flow_raster *raster, const struct tp_flow_box *boxes, uint32_t count,
                          unsigned colour_count, struct tp_arena *arena);

/* Draws the picture as an XML document. title: may contain any bytes. After a failure, out->failed is set. */
void tp_memory_flow_write_svg(struct tp_buf *out, const struct tp_memory_flow *flow,
                              const struct tp_flow_colours *colours, struct tp_str title, struct tp_arena *arena);

#endif
