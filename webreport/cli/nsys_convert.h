/* Converts reports of Nsight Systems (.nsys-rep) with the program nsys, for --convert. */
#ifndef TP_WEBREPORT_CLI_NSYS_CONVERT_H
#define TP_WEBREPORT_CLI_NSYS_CONVERT_H

#include <stdbool.h>
#include <stddef.h>

#include "webreport/session/console.h"
#include "writer/base/arena.h"

struct tp_nsys_conversion {
    char folder[3072]; /* temporary folder of the converted files; "" before the first conversion */
};

/* Replaces each input that is named like a report of Nsight Systems by the path of its SQLite form, which
 * `nsys export` writes into a temporary folder. The new file has the name of the report with the ending .sqlite.
 * inputs: changed in place; new paths are in `arena`, whose guard must be set. Prints errors. Returns false if nsys is
 * missing or a conversion failed. Call tp_nsys_conversion_release in every case. */
bool tp_nsys_convert_inputs(struct tp_nsys_conversion *conversion, char **inputs, size_t count, struct tp_arena *arena,
                            struct tp_console *console);

/* Removes the converted files. */
void tp_nsys_conversion_release(struct tp_nsys_conversion *conversion);

#endif
