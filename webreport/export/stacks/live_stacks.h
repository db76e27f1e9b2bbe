/* Makes folded stacks of the memory that is live at one moment of a memory snapshot, for `folded` and `flamegraph`. */
#ifndef TP_WEBREPORT_EXPORT_STACKS_LIVE_STACKS_H
#define TP_WEBREPORT_EXPORT_STACKS_LIVE_STACKS_H

#include "webreport/export/export_formats.h"
#include "webreport/measure/charts/folded_stacks.h"

/* The stacks of one device. */
struct tp_snapshot_picture {
    const struct tp_export *export;
    struct tp_folded *now, *before; /* before: stacks of the baseline; NULL without one */
    const char *path;               /* path of the file without its ending: FOLDER/WORKER.GPU0.peak */
    const char *title;
};

/* Calls `write` for each device with live memory. Allocates from export->arena. Returns 0, the code of `write`, or
 * TP_ENOTFOUND if no device has live memory at this moment. */
int tp_snapshot_pictures(const struct tp_export *export,
                         int (*write)(const struct tp_snapshot_picture *picture, struct tp_error *err),
                         struct tp_error *err);

#endif
