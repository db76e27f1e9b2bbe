/* Frames: what the text "path(line): function" says, and what a trace's names mean as frames (docs/definitions.md 6).
 *
 * One parser for every reader of such texts: torch's Python frames, frames of C programs ("src/train.c(42): step"), and
 * lines as findings and tables name them. A folder may be called "run (1)" or "[2]: x", and even "a(1): b": the text is
 * cut at the last "(line): " behind a path that ends in .py or .pyx, and without one at the last "(line): " at all. So
 * a path may hold anything, a function nothing that looks like "(line): ". Paths in brackets ("<frozen runpy>(88):
 * run") and those of Windows are paths like any other. */
#ifndef TP_WEBREPORT_TRACE_FRAME_H
#define TP_WEBREPORT_TRACE_FRAME_H

#include "writer/base/str.h"

/* The parts of a text; path and function lie in it. */
struct tp_frame {
    struct tp_str path, function; /* path: at least one byte; function: may be empty */
    int32_t line;                 /* torch writes -1 for some; too large ones are INT32_MAX (INT32_MIN) */
    bool is_python;               /* the path ends in .py or .pyx */
};

/* Splits "path(line): function". False, and *frame zeroed, for other texts ("<built-in function len>"). */
bool tp_frame_parse(struct tp_frame *frame, struct tp_str text);

/* The same, and "path(line)" alone, whose function is then {NULL, 0}. */
bool tp_frame_parse_place(struct tp_frame *frame, struct tp_str text);

/* Whether two texts are equal or name lines of one function in one file: the line moves with every edit. */
bool tp_frame_same_function(struct tp_str a, struct tp_str b);

/* A path behind the last site-packages/ or dist-packages/ folder, else behind lib/pythonX.Y/; else as it is. */
struct tp_str tp_frame_short_path(struct tp_str path);

/* A frame without the folder of the installation: "torch/nn/functional.py(9): relu"; other texts as they are. Part of
 * the text. */
struct tp_str tp_frame_short_name(struct tp_str text);

/* "step" of "train.py(88): step"; ptr NULL for texts that name no function. Part of the text. */
struct tp_str tp_frame_function_name(struct tp_str text);

/* "Linear_0" of the module call "nn.Module: Linear_0"; other texts as they are. Part of the text. */
struct tp_str tp_frame_module_name(struct tp_str text);
/* "Linear" of the module call "nn.Module: Linear_12". */
struct tp_str tp_frame_module_class(struct tp_str text);

/* The line that a text names: "model.py(12): forward", its path shortened; part of the text. ptr NULL for code of
 * torch, of Python's library and of programs that write code (code_origin.h), and for other texts. */
struct tp_str tp_frame_project_line(struct tp_str text);

/* Whether that line is the user's own and not of an installed package. */
bool tp_frame_is_users(struct tp_str text);

/* The text without object addresses (" at 0x7f12.."), which differ from call to call; `text` itself or in the arena. */
struct tp_str tp_frame_without_address(struct tp_arena *arena, struct tp_str text);

/* The text under which events of different steps and objects fall together: "ProfilerStep#7" is "ProfilerStep*", each
 * "0x7f12" is "0x*". `name` itself, static or in the arena. */
struct tp_str tp_frame_label(struct tp_arena *arena, struct tp_str name);

/* Project lines and labels of a trace's names, numbered; equal texts have equal numbers. Made once, when the trace has
 * been read; then read-only. */
struct tp_frames {
    const struct tp_strings *names;
    uint32_t name_count;     /* of `names` when this was made */
    struct tp_strings lines; /* by line id */
    struct tp_strings extra; /* labels that are no name, by label id - name_count */
    uint32_t *line_of_name;  /* line id; TP_NO_ID */
    bool *is_users;          /* of a name: its line is no installed package's */
    uint32_t *label_of_name; /* label id: of a name or, from name_count on, of `extra` */
    uint32_t no_event;       /* label id of "[no host event]" */
};

/* Fills *frames from the names, which must outlive it, in `arena` (guard set by the caller). */
void tp_frames_build(struct tp_frames *frames, const struct tp_strings *names, struct tp_arena *arena);

/* Line id of a name, TP_NO_ID when it is no project line. */
static inline uint32_t tp_frames_line(const struct tp_frames *frames, uint32_t name)
{
    return frames->line_of_name[name];
}

/* Whether the line of a name is the user's own. */
static inline bool tp_frames_is_users(const struct tp_frames *frames, uint32_t name)
{
    return frames->is_users[name];
}

/* Label id of a name. */
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
