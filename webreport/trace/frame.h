/* Parses frames, texts "path(line): function", and interprets a trace's names as frames (docs/definitions.md 6).
 *
 * This is the only parser of such texts: Python frames of torch, frames of C programs ("src/train.c(42): step"), and
 * source lines in findings and tables. A folder may be called "run (1)" or "[2]: x", and even "a(1): b". Therefore
 * the text is split at the last "(line): " after a path that ends in .py or .pyx. Without such a path it is split at
 * the last "(line): ". So a path may contain anything, but a function cannot contain "(line): ". Paths in brackets
 * ("<frozen runpy>(88): run") and paths of Windows are not special. */
#ifndef TP_WEBREPORT_TRACE_FRAME_H
#define TP_WEBREPORT_TRACE_FRAME_H

#include "webreport/trace/code_origin.h"

/* The parts of a frame's text. `path` and `function` point into that text. */
struct tp_frame {
    struct tp_str path, function; /* path: at least one byte; function: empty if the frame has no function */
    /* line number, of a range "11-13" the first one; torch writes -1 for some frames; numbers out of range become
     * INT32_MAX or -INT32_MAX */
    int32_t line;
    bool is_python; /* true if the path ends in .py or .pyx */
};

/* Splits a text "path(line): function". Returns false and sets *frame to zeros for other texts, such as "<built-in
 * function len>". */
bool tp_frame_parse(struct tp_frame *frame, struct tp_str text);

/* Splits a text "path(line): function" or "path(line)". The second form has the function {NULL, 0}. Otherwise works
 * like tp_frame_parse. */
bool tp_frame_parse_place(struct tp_frame *frame, struct tp_str text);

/* Returns true if two texts are equal or name the same function of the same file. Ignores line numbers, because
 * edits change them. */
bool tp_frame_same_function(struct tp_str a, struct tp_str b);

/* Returns the part of a path after the last folder site-packages/ or dist-packages/. Without such a folder returns
 * the part after lib/pythonX.Y/, or the whole path. */
struct tp_str tp_frame_short_path(struct tp_str path);

/* Returns a frame without the folder of the installation: "torch/nn/functional.py(9): relu". Returns other texts
 * unchanged. The result is a part of `text`. */
struct tp_str tp_frame_short_name(struct tp_str text);

/* Returns the function of a frame: "step" for "train.py(88): step", as a part of the text. ptr NULL for texts without a
 * function. */
struct tp_str tp_frame_function_name(struct tp_str text);

/* Returns the name of a called module: "Linear_0" for "nn.Module: Linear_0", as a part of the text. Returns other
 * texts unchanged. */
struct tp_str tp_frame_module_name(struct tp_str text);
/* Returns the class of a called module: "Linear" for "nn.Module: Linear_12". */
struct tp_str tp_frame_module_class(struct tp_str text);

/* Classifies the code of a frame by its text alone. *frame receives the parts of the text; its content is undefined
 * for the origins TP_ORIGIN_BUILTIN and TP_ORIGIN_MODULE. */
struct tp_code tp_frame_code(struct tp_frame *frame, struct tp_str text);

/* Returns the text without object addresses (" at 0x7f12.."), which differ from call to call. The result is `text` or
 * in the arena. */
struct tp_str tp_frame_without_address(struct tp_arena *arena, struct tp_str text);

/* Returns a label that equal events of different steps and objects share: "ProfilerStep#7" becomes "ProfilerStep*",
 * and each address "0x7f12" becomes "0x*". The result is `name`, static, or in the arena. */
struct tp_str tp_frame_label(struct tp_arena *arena, struct tp_str name);

/* Origins, lines and labels of a trace's names. Equal texts have equal ids. Built once after the trace is read, then
 * read-only. */
struct tp_frames {
    const struct tp_strings *names;
    uint32_t name_count;       /* number of names in `names` when the struct was made */
    struct tp_strings lines;   /* text of each line, indexed by line id */
    struct tp_strings scripts; /* paths of the scripts of the trace, which are the user's code under any name */
    struct tp_strings extra;   /* labels that are not names of the trace, indexed by label id minus name_count */
    uint32_t *line_by_name;    /* line id of each name, indexed by name id; TP_NO_ID if the name cannot be a line */
    uint8_t *origins;          /* enum tp_code_origin of each name, indexed by name id */
    uint8_t *line_origins;     /* enum tp_code_origin of each line, indexed by line id */
    /* label id of each name, indexed by name id. A label id below name_count is a name id, otherwise name_count + id in
     * `extra`. */
    uint32_t *label_of_name;
    /* for each name id: true if the name is a frame "<module>" whose origin changes if its path is a script; NULL if no
     * name is such a frame */
    bool *can_be_script;
    uint32_t no_event; /* label id of the text "[no host event]" */
};

/* Fills *frames from the names, which must outlive *frames. Allocates from `arena`, whose guard must be set. The result
 * has no scripts: scripts.h finds them. */
void tp_frames_build(struct tp_frames *frames, const struct tp_strings *names, struct tp_arena *arena);

/* Adds the path of a script. After the last script, tp_frames_apply_scripts classifies the names again. */
void tp_frames_add_script(struct tp_frames *frames, struct tp_str path);
void tp_frames_apply_scripts(struct tp_frames *frames, struct tp_arena *arena);

/* Returns the line id of a name; TP_NO_ID if no frame with this name can be a line (docs/definitions.md, section 6). */
static inline uint32_t tp_frames_line(const struct tp_frames *frames, uint32_t name)
{
    return frames->line_by_name[name];
}

/* Returns the origin of a name's code. Names that are no frames have the origin TP_ORIGIN_BUILTIN. */
static inline enum tp_code_origin tp_frames_origin(const struct tp_frames *frames, uint32_t name)
{
    return (enum tp_code_origin)frames->origins[name];
}

/* Returns the origin of a line's code: TP_ORIGIN_USER, or TP_ORIGIN_LIBRARY if no frame of the user has this line. */
static inline enum tp_code_origin tp_frames_line_origin(const struct tp_frames *frames, uint32_t line)
{
    return (enum tp_code_origin)frames->line_origins[line];
}

/* Returns true if the name is a frame in the user's own code. */
static inline bool tp_frames_is_user_code(const struct tp_frames *frames, uint32_t name)
{
    return frames->origins[name] == TP_ORIGIN_USER;
}

/* Returns true if the name is a frame that can be a line, but is not in the user's own code. */
static inline bool tp_frames_is_library_line(const struct tp_frames *frames, uint32_t name)
{
    return frames->line_by_name[name] != TP_NO_ID && frames->origins[name] == TP_ORIGIN_LIBRARY;
}

/* Classifies the code of a frame that need not be a name of the trace, such as a frame of a recorded call stack. Uses
 * the scripts of the trace. *frame: see tp_frame_code. */
struct tp_code tp_frames_code(const struct tp_frames *frames, struct tp_frame *frame, struct tp_str text);

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
