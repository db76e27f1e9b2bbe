/* Lays out the memory of one device by time and address: where each block was allocated, and for how long. */
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

/* A range of addresses that is drawn in proportion; the gaps between ranges are compressed. */
struct tp_flow_range {
    int64_t start, end;
    double at; /* position of its start, in bytes of the picture */
};

/* The total of a device after a record. */
struct tp_flow_total {
    int64_t at_ns, bytes;
};

struct tp_memory_flow {
    const struct tp_model *model;
    struct tp_str device;
    struct tp_flow_block *blocks; /* in order of allocation */
    uint32_t count;
    uint64_t without_address, never_freed, from_before;
    int64_t start_ns, end_ns;       /* range of the picture: first and last event or record */
    int64_t peak_bytes, peak_at_ns; /* highest total; TP_NULL_INT: unknown */
    bool is_peak_reported;          /* true: by the allocator; false: the sum of the known blocks */
    struct tp_flow_range *ranges;   /* ascending */
    uint32_t range_count;
    double height;                /* of the picture, in bytes */
    struct tp_flow_total *totals; /* in order of time, for a device whose records have no address */
    uint32_t total_count;
    int64_t bytes_before; /* total before the first record */
};

/* Builds the picture of a device in `arena` (guard set by the caller). device: index in records->devices. */
void tp_memory_flow_build(struct tp_memory_flow *flow, const struct tp_memory_records *records, uint32_t device,
                          struct tp_arena *arena);

/* Returns the position of an address in the picture, 0 to flow->height. */
double tp_memory_flow_place(const struct tp_memory_flow *flow, int64_t address);
/* Returns the address at a position. */
int64_t tp_memory_flow_address(const struct tp_memory_flow *flow, double place);

/* The color of each block, and the legend. */
struct tp_flow_colours {
    enum tp_export_colour kind;
    uint8_t *of_block;       /* by block: index in fill and label */
    const char *fill[16];    /* "#RRGGBB" */
    struct tp_str label[16]; /* texts of the legend, in its order */
    unsigned count;
};

void tp_flow_colours_build(struct tp_flow_colours *colours, const struct tp_memory_flow *flow,
                           enum tp_export_colour kind, struct tp_arena *arena);
/* Return the operator, or the module, that allocated a block; "" when unknown. */
struct tp_str tp_flow_operator(const struct tp_memory_flow *flow, const struct tp_flow_block *block);
struct tp_str tp_flow_module(const struct tp_memory_flow *flow, const struct tp_flow_block *block);

/* A block in pixels. */
struct tp_flow_box {
    double x, y, width, height;
    uint8_t colour;
};

/* The cells of a raster for blocks that are too small or too many to be drawn one by one. */
enum { TP_FLOW_LEVELS = 3, TP_FLOW_MAX_COLUMNS = 1024 };

struct tp_flow_cell {
    uint8_t colour; /* the color that covers most of the cell */
    uint8_t level;  /* covered share: 0 (nothing) to TP_FLOW_LEVELS (most) */
};

struct tp_flow_raster {
    unsigned columns, rows; /* columns: at most TP_FLOW_MAX_COLUMNS */
    double pixels;          /* side of a cell */
    struct tp_flow_cell *cells;
};

/* Makes the cells, in `arena`, from boxes whose colors are below colour_count. */
void tp_flow_raster_paint(struct tp_flow_raster *raster, const struct tp_flow_box *boxes, uint32_t count,
                          unsigned colour_count, struct tp_arena *arena);

/* Draws the picture as an XML document. title: any bytes. Failures stick to `out`. */
void tp_memory_flow_svg(struct tp_buf *out, const struct tp_memory_flow *flow, const struct tp_flow_colours *colours,
                        struct tp_str title, struct tp_arena *arena);

#endif
