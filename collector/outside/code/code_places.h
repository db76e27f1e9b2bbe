/* Code that was sampled, by where it stands: files of code, frames (an address of a file), stacks as nodes of one trie.
 *
 * Processes that have one file at different addresses share its frames. Everything lives in the arena, whose guard the
 * caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_CODE_PLACES_H
#define TP_COLLECTOR_OUTSIDE_CODE_CODE_PLACES_H

#include <stdint.h>

#include "writer/base/id_map.h"
#include "writer/base/str.h"

/* The first files are none. */
enum { TP_CODE_UNKNOWN, TP_CODE_KERNEL, TP_CODE_MADE, TP_CODE_VDSO, TP_CODE_PYTHON, TP_CODE_FIRST_FILE };

enum { TP_CODE_SEGMENTS = 8 };

struct tp_code_file {
    struct tp_str path; /* NUL-terminated */
    struct {
        uint64_t address, offset, size;
    } segments[TP_CODE_SEGMENTS]; /* as its head has them; none: it could not be read */
    uint32_t segment_count;
    bool is_fixed; /* linked to these addresses */
    bool is_go;    /* built by Go, which keeps frame pointers */
    uint64_t loop, loop_bytes; /* of a Python interpreter: the function that runs Python's code; else 0 */
};

struct tp_code_frame {
    uint64_t address; /* in the file; of the kernel: in memory; of code made at run time, of Python: see below; else 0 */
    uint32_t file;
};

/* Where a program made code while it ran: at an address of an image, which is a process between two execs. */
struct tp_made_place {
    uint64_t address;
    uint32_t image; /* 0: of one that has no number */
    uint32_t name;  /* in made_texts; TP_NO_ID: not known */
};

/* Node 0 is the root, which has no frame: the empty stack. */
struct tp_code_node {
    uint32_t outer; /* the node of the caller; smaller than its own number */
    uint32_t frame;
};

struct tp_code_places {
    struct tp_arena *arena;
    struct tp_strings paths; /* by file */
    struct tp_vec files;     /* struct tp_code_file */
    struct tp_vec frames;    /* struct tp_code_frame */
    struct tp_vec nodes;     /* struct tp_code_node */
    struct tp_id_map frame_ids, node_ids;
    struct tp_strings python_texts; /* "FILE(LINE): FUNCTION" */
    struct tp_vec made;            /* struct tp_made_place */
    struct tp_id_map made_ids;
    struct tp_strings made_texts; /* frames, as they are written */
    uint32_t image_count;
};

void tp_code_places_init(struct tp_code_places *places, struct tp_arena *arena);

/* The file of a mapping of code, by the path that the kernel tells; its head is read when it is new. */
uint32_t tp_code_file_of(struct tp_code_places *places, struct tp_str path);

/* The address in a file of what stands at an offset of it. */
uint64_t tp_code_address(const struct tp_code_places *places, uint32_t file, uint64_t offset);

/* The node of a frame that was called from `outer`. */
uint32_t tp_code_node_of(struct tp_code_places *places, uint32_t outer, uint32_t file, uint64_t address);

/* The node of a function of Python, by the number of its text; is_entry: it is the outermost one of a call of the
 * interpreter's loop. */
uint32_t tp_code_python_node_of(struct tp_code_places *places, uint32_t outer, uint32_t text, bool is_entry);

/* The node of code that an image made; the frame's address is its number in `made`. */
uint32_t tp_code_made_node_of(struct tp_code_places *places, uint32_t outer, uint32_t image, uint64_t address);

/* A number for one more image; 0: there is none left. */
uint32_t tp_code_image_of(struct tp_code_places *places);

static inline struct tp_made_place *tp_code_made_at(const struct tp_code_places *places, const struct tp_code_frame *frame)
{
    return TP_AT(&places->made, struct tp_made_place, frame->address);
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
