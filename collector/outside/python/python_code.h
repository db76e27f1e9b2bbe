/* Finds the text "FILE(LINE): FUNCTION" for a position in a Python code object, from the memory of the process that
 * runs it. Results are cached. A cached result is used only if the code object is unchanged, because addresses are
 * reused. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_CODE_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_CODE_H

#include "collector/outside/processes/other_memory.h"
#include "collector/outside/python/python_layouts.h"
#include "writer/base/buf.h"
#include "writer/base/str.h"

struct tp_python_place;

struct tp_python_code {
    struct tp_strings *texts; /* texts of frames, "FILE(LINE): FUNCTION"; borrowed */
    struct tp_python_place *places;
    struct tp_buf table; /* buffer for the line table of a code object */
};

/* Initializes *code. The cache is in `arena`. The caller sets the guard of the arena in this call and in
 * tp_python_code_text. */
void tp_python_code_init(struct tp_python_code *code, struct tp_arena *arena, struct tp_strings *texts);
void tp_python_code_release(struct tp_python_code *code);

/* Returns the index in `texts` of a frame's text. object: the first TP_PYTHON_CODE_BYTES of the code object at
 * `address`. place: position of the instruction as stored in the frame. Returns TP_NO_ID if the object is unreadable or
 * not a code object. */
uint32_t tp_python_code_text(struct tp_python_code *code, struct tp_other_memory *memory,
                             const struct tp_python_layout *layout, uint64_t address, const uint8_t *object,
                             uint64_t place);

/* Returns the line of the byte offset `at` in a function, from the function's line table in the format of Python
 * 3.minor. first: first line of the function. Never reads beyond the table, whatever its contents. */
int64_t tp_python_find_line(int minor, int64_t first, const uint8_t *table, size_t size, int64_t at);

#endif
