/* Declares the parts of the reader of artifacts. Internal to webreport/trace/compile_log. */
#ifndef TP_WEBREPORT_TRACE_COMPILE_LOG_COMPILE_PARTS_H
#define TP_WEBREPORT_TRACE_COMPILE_LOG_COMPILE_PARTS_H

#include "webreport/trace/compile_log/compile_graphs.h"
#include "webreport/trace/compile_log/compile_names.h"
#include "writer/base/limits.h"

/* A graph while its artifacts are read: one artifact has its stacks, another one its nodes. */
struct tp_compile_draft {
    struct tp_strings keys; /* keys of the calls; the id of a key is its index in calls */
    struct tp_vec calls;    /* elements: struct tp_compile_call */
    bool has_stacks, has_nodes, is_code;
    uint64_t keys_hash, stacks_hash; /* hashes of the keys and of their stacks, whatever the order of the keys */
    const char *file;                /* path of the artifact; NULL: the artifact is part of a log */
    struct tp_str fx_text;           /* text of the FX graph that precedes the artifact in a log; len 0: no text */
};

struct tp_compile_reader {
    struct tp_arena *arena;
    struct tp_compile_log *log;
    struct tp_vec drafts;         /* elements: struct tp_compile_draft * */
    struct tp_strings tracebacks; /* texts of tracebacks; the id of a text is its index in log->stacks */
    struct tp_str fx_text;        /* text of the last FX graph in the log that is being read */
    const char *file;             /* path of the file that is being read; NULL for a log */
};

/* Returns an empty draft, which is not yet in the list of drafts. (drafts.c) */
struct tp_compile_draft *tp_compile_draft_new(struct tp_compile_reader *r);
/* Returns the call of a key, which is added if it is missing; NULL if the log has TP_MAX_COMPILE_CALLS calls. */
struct tp_compile_call *tp_compile_draft_call(struct tp_compile_reader *r, struct tp_compile_draft *draft,
                                              struct tp_str key);
/* Adds a draft to the list, or its stacks and nodes to a draft with the same keys. */
void tp_compile_draft_keep(struct tp_compile_reader *r, struct tp_compile_draft *draft);
/* Makes the graphs of the log from all drafts. */
void tp_compile_drafts_finish(struct tp_compile_reader *r);

/* Reads one artifact in JSON. name: name of the artifact or of its file. Ignores other artifacts. (artifact.c) */
void tp_compile_read_artifact(struct tp_compile_reader *r, struct tp_str name, struct tp_str json);

/* Returns the index of a traceback in log->stacks. text: a string in JSON, or the bare text. (python_text.c) */
uint32_t tp_compile_traceback(struct tp_compile_reader *r, struct tp_str text);
/* Sets the stacks of the calls of a draft to the comments "# File:" at their nodes in the text of an FX graph. */
void tp_compile_read_fx_text(struct tp_compile_reader *r, struct tp_compile_draft *draft, struct tp_str text);
/* Reads the calls in the text of generated code. (output_code.c) */
void tp_compile_read_output_code(struct tp_compile_reader *r, struct tp_str text);

/* Reads the next lines of a log of TORCH_TRACE. (torch_trace.c) */
struct tp_compile_lines {
    struct tp_compile_reader *reader;
    struct tp_vec payload;  /* lines of the current artifact; elements: char */
    struct tp_str artifact; /* name of the current artifact; len 0: the artifact is not read */
    bool is_too_long;       /* true: the current artifact exceeds TP_MAX_COMPILE_TEXT_BYTES */
};
void tp_compile_lines_init(struct tp_compile_lines *lines, struct tp_compile_reader *r);
/* Reads all complete lines of `text`. Returns the number of bytes read. */
size_t tp_compile_lines_read(struct tp_compile_lines *lines, struct tp_str text);
/* Reads the last line, which has no line feed, and the last artifact. rest: text that tp_compile_lines_read left. */
void tp_compile_lines_end(struct tp_compile_lines *lines, struct tp_str rest);

/* Sets *line to the next line of a text, without its line feed. *at: 0 before the first call. Returns false at the
 * end. */
static inline bool tp_compile_next_line(struct tp_str text, size_t *at, struct tp_str *line)
{
    if (*at >= text.len)
        return false;
    const char *start = text.ptr + *at, *end = memchr(start, '\n', text.len - *at);
    line->ptr = start;
    line->len = end ? (size_t)(end - start) : text.len - *at;
    *at += line->len + 1;
    return true;
}

/* Returns the text without the blanks at its beginning. */
static inline struct tp_str tp_compile_trim_left(struct tp_str text)
{
    while (text.len && (*text.ptr == ' ' || *text.ptr == '\t'))
        text = (struct tp_str){text.ptr + 1, text.len - 1};
    return text;
}

#endif
