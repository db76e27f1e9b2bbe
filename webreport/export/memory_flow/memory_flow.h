/* The memory of one device as time x address: every block that was allocated, where and how long. */
#ifndef TP_WEBREPORT_EXPORT_MEMORY_FLOW_MEMORY_FLOW_H
#define TP_WEBREPORT_EXPORT_MEMORY_FLOW_MEMORY_FLOW_H

#include "webreport/export/export_formats.h"
#include "webreport/measure/memory/memory_records.h"

enum tp_flow_flag {
    TP_FLOW_NEVER_FREED = 1, /* drawn to the end of the trace */
    TP_FLOW_FROM_BEFORE = 2, /* only its release is in the trace: drawn from the start */
    TP_FLOW_REUSED = 4       /* its release is missing: its address was allocated again */
};

struct tp_flow_block {
    int64_t start_ns, end_ns; /* absolute */
    int64_t address, bytes;   /* bytes > 0 */
    uint32_t owner;           /* operator that allocated it, TP_NO_ID: none */
    uint32_t flags;           /* enum tp_flow_flag */
};

/* A range of addresses that is drawn in proportion; ranges in between are compressed. */
struct tp_flow_range {
    int64_t start, end;
    double at; /* how much stands below its start, in bytes of the picture */
};

/* A device's total after a record. */
struct tp_flow_total {
    int64_t at_ns, bytes;
};

struct tp_memory_flow {
    const struct tp_model *model;
    struct tp_str device;
    struct tp_flow_block *blocks; /* in order of allocation */
    uint32_t count;
    uint64_t without_address, never_freed, from_before;
    int64_t start_ns, end_ns;       /* of the picture: first and last event or record */
    int64_t peak_bytes, peak_at_ns; /* highest total; TP_NULL_INT: there is none */
    bool is_peak_reported;          /* by the allocator, otherwise it is the sum of the known blocks */
    struct tp_flow_range *ranges;   /* ascending */
    uint32_t range_count;
    double height;                /* of the picture, in bytes */
    struct tp_flow_total *totals; /* of a device none of whose records has an address: in order of time */
    uint32_t total_count;
    int64_t bytes_before; /* total before the first of them */
};

/* Blocks of a device in `arena` (guard set by the caller). device: index in records->devices. */
void tp_memory_flow_build(struct tp_memory_flow *flow, const struct tp_memory_records *records, uint32_t device,
                          struct tp_arena *arena);

/* Where an address stands in the picture, 0 to flow->height. */
double tp_memory_flow_place(const struct tp_memory_flow *flow, int64_t address);
/* The address at a place. */
int64_t tp_memory_flow_address(const struct tp_memory_flow *flow, double place);

/* What each block is coloured by. */
struct tp_flow_colours {
    enum tp_export_colour kind;
    uint8_t *of_block;       /* index in the lists below */
    const char *fill[16];    /* "#RRGGBB" */
    struct tp_str label[16]; /* for the legend, in its order */
    unsigned count;
};

void tp_flow_colours_build(struct tp_flow_colours *colours, const struct tp_memory_flow *flow,
                           enum tp_export_colour kind, struct tp_arena *arena);
/* Name of what allocated a block: its operator; its module; "" when unknown. */
struct tp_str tp_flow_operator(const struct tp_memory_flow *flow, const struct tp_flow_block *block);
struct tp_str tp_flow_module(const struct tp_memory_flow *flow, const struct tp_flow_block *block);

/* A block in pixels. */
struct tp_flow_box {
    double x, y, width, height;
    uint8_t colour;
};

/* Cells of a raster for blocks too small or too many to be drawn one by one. */
enum { TP_FLOW_LEVELS = 3, TP_FLOW_MAX_COLUMNS = 1024 };

struct tp_flow_cell {
    uint8_t colour; /* that covers most of it */
    uint8_t level;  /* how much is covered: 0 (nothing) to TP_FLOW_LEVELS (most) */
};

struct tp_flow_raster {
    unsigned columns, rows; /* columns: at most TP_FLOW_MAX_COLUMNS */
    double pixels;          /* of a cell's side */
    struct tp_flow_cell *cells;
};

/* Makes the cells, in `arena`, from boxes of colours below colour_count. */
void tp_flow_raster_paint(struct tp_flow_raster *raster, const struct tp_flow_box *boxes, uint32_t count,
                          unsigned colour_count, struct tp_arena *arena);

/* Draws it: an XML document. title: any bytes. Failures stick to `out`. */
void tp_memory_flow_svg(struct tp_buf *out, const struct tp_memory_flow *flow, const struct tp_flow_colours *colours,
                        struct tp_str title, struct tp_arena *arena);

#endif
