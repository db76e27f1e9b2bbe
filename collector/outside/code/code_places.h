/* Stores sampled code: files, frames (an address in a file) and stacks. All stacks are nodes of one tree; the parent of
 * a node is the stack of the caller. Processes that map one file at different addresses share its frames. All memory is
 * in the arena, whose guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_CODE_PLACES_H
#define TP_COLLECTOR_OUTSIDE_CODE_CODE_PLACES_H

#include <stdint.h>

#include "writer/base/id_map.h"
#include "writer/base/str.h"

/* Numbers that replace a file number for code outside of files. The numbers of files start at TP_CODE_FIRST_FILE. */
enum { TP_CODE_UNKNOWN, TP_CODE_KERNEL, TP_CODE_JIT, TP_CODE_VDSO, TP_CODE_PYTHON, TP_CODE_FIRST_FILE };

enum { TP_CODE_SEGMENTS = 8 };

struct tp_code_file {
    struct tp_str path; /* path of the file, NUL-terminated */
    struct {
        uint64_t address, offset, size;
    } segments[TP_CODE_SEGMENTS]; /* loaded segments from the program headers; none if the file could not be read */
    uint32_t segment_count;
    bool has_fixed_address;    /* true if the file is linked to fixed addresses */
    bool is_built_by_go;       /* true if Go built the file; Go keeps frame pointers */
    uint64_t loop, loop_bytes; /* address and size of the function that runs Python code, in a Python interpreter; 0 in
                                * other files */
};

struct tp_code_frame {
    uint64_t address; /* address in the file; for kernel code, the address in memory; for generated code, the index in
                       * `made`; for Python, see tp_code_add_python_node; otherwise 0 */
    uint32_t file;
};

/* Address in code that a program generated at run time. An image is a process between two calls of exec. */
struct tp_jit_place {
    uint64_t address;
    uint32_t image; /* number of the process image that generated the code; 0: any image without a number */
    uint32_t name;  /* index of the function's name in jit_texts; TP_NO_ID: unknown */
};

/* Node of the tree of stacks: a frame and its caller. Node 0 is the empty stack. */
struct tp_code_node {
    uint32_t outer; /* node of the caller; always smaller than the number of this node */
    uint32_t frame;
};

struct tp_code_places {
    struct tp_arena *arena;
    struct tp_strings paths; /* paths of the files; the index is the number of the file */
    struct tp_vec files;     /* elements: struct tp_code_file */
    struct tp_vec frames;    /* elements: struct tp_code_frame */
    struct tp_vec nodes;     /* elements: struct tp_code_node */
    struct tp_id_map frame_ids, node_ids;
    struct tp_strings python_texts; /* texts of Python frames, "FILE(LINE): FUNCTION" */
    struct tp_vec made;             /* addresses in generated code; elements: struct tp_jit_place */
    struct tp_id_map jit_place_ids;
    struct tp_strings jit_texts; /* texts of frames in generated code, as written to the trace */
    uint32_t image_count;
};

void tp_code_places_init(struct tp_code_places *places, struct tp_arena *arena);

/* Returns the number of a mapped file, and reads the headers of a new file. path: the mapping's path as the kernel
 * reports it. */
uint32_t tp_code_file_number(struct tp_code_places *places, struct tp_str path);

/* Converts an offset in the file to an address in the memory layout that the file's headers define. */
uint64_t tp_code_file_address(const struct tp_code_places *places, uint32_t file, uint64_t offset);

/* Returns the node for a frame, called from node `outer`. */
uint32_t tp_code_add_node(struct tp_code_places *places, uint32_t outer, uint32_t file, uint64_t address);

/* Returns the node for a Python function, called from node `outer`. text: index of the function's name in python_texts.
 * is_entry: true for the first Python function that C code called. */
uint32_t tp_code_add_python_node(struct tp_code_places *places, uint32_t outer, uint32_t text, bool is_entry);

/* Returns the node for an address in code that the process image `image` generated. The new frame's address is an index
 * in `made`. */
uint32_t tp_code_add_jit_node(struct tp_code_places *places, uint32_t outer, uint32_t image, uint64_t address);

/* Returns the number of a new process image, or 0 if all numbers are used. */
uint32_t tp_code_add_image(struct tp_code_places *places);

static inline struct tp_jit_place *tp_code_jit_at(const struct tp_code_places *places,
                                                  const struct tp_code_frame *frame)
{
    return TP_AT(&places->made, struct tp_jit_place, frame->address);
}

static inline uint32_t tp_code_python_text(const struct tp_code_frame *frame)
{
    return (uint32_t)(frame->address >> 1);
}

static inline bool tp_code_python_is_entry(const struct tp_code_frame *frame)
{
    return frame->address & 1;
}

static inline const struct tp_code_node *tp_code_node_at(const struct tp_code_places *places, uint32_t node)
{
    return TP_AT(&places->nodes, struct tp_code_node, node);
}

static inline const struct tp_code_frame *tp_code_frame_at(const struct tp_code_places *places, uint32_t node)
{
    return TP_AT(&places->frames, struct tp_code_frame, tp_code_node_at(places, node)->frame);
}

#endif
