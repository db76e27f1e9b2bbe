/* Parses frames, texts "path(line): function", and interprets a trace's names as frames (docs/definitions.md 6).
 *
 * This is the only parser of such texts: torch's Python frames, frames of C programs ("src/train.c(42): step"), and
 * lines as findings and tables name them. A folder may be called "run (1)" or "[2]: x", and even "a(1): b". Therefore
 * the text is split at the last "(line): " after a path that ends in .py or .pyx, and without such a path at the last
 * "(line): ". So a path may contain anything, but a function cannot contain "(line): ". Paths in brackets ("<frozen
 * runpy>(88): run") and paths of Windows are not special. */
#ifndef TP_WEBREPORT_TRACE_FRAME_H
#define TP_WEBREPORT_TRACE_FRAME_H

#include "writer/base/str.h"

/* The parts of a frame's text. `path` and `function` point into the text. */
struct tp_frame {
    struct tp_str path, function; /* path: at least one byte; function: may be empty */
    /* line number; torch writes -1 for some frames; too large numbers become INT32_MAX or INT32_MIN */
    int32_t line;
    bool is_python; /* the path ends in .py or .pyx */
};

/* Splits "path(line): function". For other texts ("<built-in function len>") returns false and sets *frame to zeros. */
bool tp_frame_parse(struct tp_frame *frame, struct tp_str text);

/* Splits "path(line): function", or "path(line)" with function {NULL, 0}. Otherwise works like tp_frame_parse. */
bool tp_frame_parse_place(struct tp_frame *frame, struct tp_str text);

/* Returns true if two texts are equal, or are lines of one function in one file. Line numbers are ignored because edits
 * change them. */
bool tp_frame_same_function(struct tp_str a, struct tp_str b);

/* Returns the part of a path after the last site-packages/ or dist-packages/ folder, otherwise after lib/pythonX.Y/,
 * otherwise the whole path. */
struct tp_str tp_frame_short_path(struct tp_str path);

/* Returns a frame without the folder of the installation: "torch/nn/functional.py(9): relu". Returns other texts
 * unchanged. The result is a part of `text`. */
struct tp_str tp_frame_short_name(struct tp_str text);

/* Returns the function of a frame: "step" for "train.py(88): step", as a part of the text. ptr NULL for texts without a
 * function. */
struct tp_str tp_frame_function_name(struct tp_str text);

/* Returns the module of a module call: "Linear_0" for "nn.Module: Linear_0", as a part of the text. Returns other texts
 * unchanged. */
struct tp_str tp_frame_module_name(struct tp_str text);
/* Returns the class of a module call: "Linear" for "nn.Module: Linear_12". */
struct tp_str tp_frame_module_class(struct tp_str text);

/* Returns the source line in a text, with a short path: "model.py(12): forward", as a part of the text. ptr NULL for
 * code of torch and of Python's library, for generated code (code_origin.h), and for other texts. */
struct tp_str tp_frame_project_line(struct tp_str text);

/* Returns true if this line is the user's own code and not code of an installed package. */
bool tp_frame_is_user_code(struct tp_str text);

/* Returns the text without object addresses (" at 0x7f12.."), which differ from call to call. The result is `text` or
 * in the arena. */
struct tp_str tp_frame_without_address(struct tp_arena *arena, struct tp_str text);

/* Returns the common text of events of different steps and objects: "ProfilerStep#7" becomes "ProfilerStep*", each
 * "0x7f12" becomes "0x*". The result is `name`, static, or in the arena. */
struct tp_str tp_frame_label(struct tp_arena *arena, struct tp_str name);

/* The project lines and labels of a trace's names, as numbers. Equal texts have equal numbers. Made once after the
 * trace is read, then read-only. */
struct tp_frames {
    const struct tp_strings *names;
    uint32_t name_count;     /* number of names in `names` when the struct was made */
    struct tp_strings lines; /* texts of project lines, by line id */
    struct tp_strings extra; /* labels that are not names of the trace, by label id - name_count */
    uint32_t *line_of_name;  /* by name id: line id; TP_NO_ID: the name is not a project line */
    bool *is_user_code;      /* by name id: whether the name's line is user code and not in an installed package */
    /* by name id: label id, which is a name id or, from name_count on, an id in `extra` */
    uint32_t *label_of_name;
    uint32_t no_event; /* label id of "[no host event]" */
};

/* Fills *frames from the names, which must outlive *frames. Allocates from `arena`, whose guard must be set. */
void tp_frames_build(struct tp_frames *frames, const struct tp_strings *names, struct tp_arena *arena);

/* Returns the line id of a name; TP_NO_ID if the name is not a project line. */
static inline uint32_t tp_frames_line(const struct tp_frames *frames, uint32_t name)
{
    return frames->line_of_name[name];
}

/* Returns true if the line of a name is the user's own code. */
static inline bool tp_frames_is_user_code(const struct tp_frames *frames, uint32_t name)
{
    return frames->is_user_code[name];
}

/* Returns the label id of a name. */
static inline uint32_t tp_frames_label(const struct tp_frames *frames, uint32_t name)
{
    return frames->label_of_name[name];
}

static inline struct tp_str tp_frames_line_text(const struct tp_frames *frames, uint32_t line)
{
    return tp_strings_get(&frames->lines, line);
}

static inline struct tp_str tp_frames_label_text(const struct tp_frames *frames, uint32_t label)
{
    return label < frames->name_count ? frames->names->items[label]
                                      : tp_strings_get(&frames->extra, label - frames->name_count);
}

#endif
