/* Lines of Python's code objects: "FILE(LINE): FUNCTION" of a place in one, read from the memory of the process that
 * runs it. Places that are known are kept, and compared with what the code object says of itself, for addresses are
 * used again. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_CODE_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_CODE_H

#include "collector/outside/processes/other_memory.h"
#include "collector/outside/python/python_layouts.h"
#include "writer/base/buf.h"
#include "writer/base/str.h"

struct tp_python_place;

struct tp_python_code {
    struct tp_strings *texts; /* borrowed: where texts of frames are kept */
    struct tp_python_place *places;
    struct tp_buf table; /* room for a code object's lines */
};

/* The places live in `arena`, whose guard the caller sets here and in tp_python_code_text. */
void tp_python_code_init(struct tp_python_code *code, struct tp_arena *arena, struct tp_strings *texts);
void tp_python_code_release(struct tp_python_code *code);

/* The text of a frame, by its number in texts. `object`: the first TP_PYTHON_CODE_BYTES of the code object at
 * `address`; `place`: what the frame says of where it is. TP_NO_ID: it cannot be read, or is none. */
uint32_t tp_python_code_text(struct tp_python_code *code, struct tp_other_memory *memory,
                             const struct tp_python_layout *layout, uint64_t address, const uint8_t *object,
                             uint64_t place);

/* The line at a byte of the code, by the table of lines that the version has; first: of the function. Reads nothing
 * beyond the table, whatever is in it. */
int64_t tp_python_line(int minor, int64_t first, const uint8_t *table, size_t size, int64_t at);

#endif
