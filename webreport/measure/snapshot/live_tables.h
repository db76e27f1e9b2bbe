/* Groups the blocks that are live at one moment: by line, category, size and other properties (docs/definitions.md,
 * section 32). */
#ifndef TP_WEBREPORT_MEASURE_SNAPSHOT_LIVE_TABLES_H
#define TP_WEBREPORT_MEASURE_SNAPSHOT_LIVE_TABLES_H

#include "webreport/measure/snapshot/code_stacks.h"
#include "webreport/model/allocator/replay.h"
#include "writer/base/fields.h"

enum { TP_LIVE_ROWS = 30 };

/* Properties by which blocks are grouped. */
enum tp_live_key {
    TP_LIVE_LINE,
    TP_LIVE_SITE,
    TP_LIVE_MODULE,
    TP_LIVE_CATEGORY,
    TP_LIVE_SIZE,
    TP_LIVE_STREAM,
    TP_LIVE_POOL,
    TP_LIVE_METADATA,
    TP_LIVE_STACK,
    TP_LIVE_NODE,
    TP_LIVE_KEYS,
    TP_LIVE_LINE_OR_SITE /* line, or call site without a line; only for single tables */
};

struct tp_live_row {
    struct tp_str name;
    uint64_t bytes, requested_bytes, blocks;
};

struct tp_live_table {
    struct tp_live_row *rows; /* the largest rows: by bytes, then by name */
    uint64_t row_count, rows_total;
};

struct tp_live_by {
    uint64_t bytes, blocks;
    struct tp_live_table by[TP_LIVE_KEYS];
};

/* What is needed to name the properties of a block. */
struct tp_live_context {
    struct tp_arena *arena;
    const struct tp_snapshot *snapshot;
    struct tp_code_stacks *stacks;
    bool has_stacks; /* some allocation of the device has a stack */
};

/* Returns the purpose of a block, as an id in tp_code_frames.names. It follows from the stacks of its allocation and
 * its release, and from its life. */
uint32_t tp_live_category(const struct tp_live_context *context, const struct tp_allocator_block *block);

/* Returns the name of one property of a block, such as its line. The pool is that of the block itself. */
struct tp_str tp_live_property(const struct tp_live_context *context, enum tp_live_key key,
                               const struct tp_allocator_block *block);

/* Groups blocks by one property. segments: segments at that moment, which name the pool of a block; NULL: the pool of
 * the block itself is used. */
void tp_live_table_build(struct tp_live_table *table, const struct tp_live_context *context, enum tp_live_key key,
                         const struct tp_allocator_block *const *blocks, size_t count,
                         const struct tp_segment_set *segments);

/* The live blocks of a device at a moment. */
struct tp_live_blocks {
    const struct tp_allocator_block *const *blocks;
    size_t count;
    const struct tp_segment_set *segments; /* as for tp_live_table_build */
};

/* Groups blocks by one property, and keeps all groups. */
void tp_live_table_build_all(struct tp_live_table *table, const struct tp_live_context *context, enum tp_live_key key,
                             const struct tp_live_blocks *live);

/* Groups blocks by all properties. */
void tp_live_by_build(struct tp_live_by *live, const struct tp_live_context *context,
                      const struct tp_allocator_block *const *blocks, size_t count,
                      const struct tp_segment_set *segments);

/* Returns the bytes of a row; 0 if the table has no row with this name. */
uint64_t tp_live_bytes(const struct tp_live_table *table, const char *name);

extern const struct tp_fields tp_live_by_fields, tp_live_table_fields;

#endif
