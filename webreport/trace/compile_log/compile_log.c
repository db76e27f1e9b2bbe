/* Reads files and folders with artifacts of torch.compile: see compile_log.h.
 *
 * Files with generated code are read last, because the other artifacts also have the lines of the calls. */
#include "webreport/trace/compile_log/compile_log.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webreport/trace/compile_log/artifact_files.h"
#include "webreport/trace/compile_log/compile_parts.h"
#include "writer/base/input.h"
#include "writer/base/path.h"

/* ---- kinds of files ---- */

enum format { FORMAT_NONE, FORMAT_LOG, FORMAT_ARTIFACT, FORMAT_CODE };

/* Returns the format of a file by its name. */
static enum format format_of_name(const char *path)
{
    struct tp_str base = tp_str_of(tp_path_base(path));
    if (tp_str_starts(base, "dedicated_log_torch_trace") || tp_str_ends(base, ".torch_trace"))
        return FORMAT_LOG;
    if (tp_str_ends(base, ".json"))
        return tp_compile_is_artifact(base) ? FORMAT_ARTIFACT : FORMAT_NONE;
    if (tp_str_ends(base, ".py"))
        return tp_str_starts(base, "output_code") ? FORMAT_CODE : FORMAT_NONE;
    return FORMAT_NONE;
}

/* ---- reading of one file ---- */

/* Reads a whole file. Returns ptr NULL if it cannot be read or is too long. */
static struct tp_str read_text(struct tp_compile_reader *r, const char *path)
{
    struct tp_buf buf;
    tp_buf_init(&buf, TP_MAX_COMPILE_TEXT_BYTES);
    int code = tp_input_read_all(&buf, path, TP_INPUT_FILE, NULL);
    if (code < 0 || !buf.size) {
        r->log->dropped_count += code == TP_ELIMIT;
        tp_buf_release(&buf);
        if (code == TP_ENOMEM)
            tp_arena_fail(r->arena, code);
        return (struct tp_str){NULL, 0};
    }
    size_t size = buf.size;
    return (struct tp_str){tp_buf_move(&buf, r->arena), size};
}

/* A log that is open, and the part of it that is in memory. */
struct open_log {
    struct tp_compile_reader *reader;
    struct tp_input input;
};

/* Reads a log piece by piece. A line that does not fit into the memory for one artifact is dropped. */
static int read_open_log(void *context, struct tp_error *err)
{
    enum { PIECE = 1 << 20 };
    struct open_log *open = context;
    struct tp_compile_reader *r = open->reader;
    struct tp_compile_lines lines;
    struct tp_vec text = TP_VEC(r->arena, char);
    uint64_t at = 0;
    size_t got = PIECE;
    tp_compile_lines_init(&lines, r);
    while (got == PIECE) {
        size_t before = text.count;
        tp_vec_grow(&text, before + PIECE);
        if (tp_input_read(&got, &open->input, (char *)text.data + before, PIECE, at, err) < 0)
            got = 0;
        at += got;
        text.count = before + got;
        size_t done = tp_compile_lines_read(&lines, (struct tp_str){text.data, text.count});
        text.count -= done;
        memmove(text.data, (char *)text.data + done, text.count);
        if (text.count > TP_MAX_COMPILE_TEXT_BYTES) {
            r->log->dropped_count++;
            text.count = 0;
        }
    }
    tp_compile_lines_end(&lines, (struct tp_str){text.data, text.count});
    return TP_OK;
}

static void read_log(struct tp_compile_reader *r, const char *path)
{
    struct open_log open = {.reader = r};
    if (tp_input_open(&open.input, path, TP_INPUT_FILE, NULL) == TP_OK)
        tp_arena_run(r->arena, read_open_log, &open, NULL);
    if (open.input.fd >= 0)
        close(open.input.fd);
    tp_arena_fail_with_stored_code(r->arena);
}

static void read_file(struct tp_compile_reader *r, const char *path, enum format format)
{
    size_t before = r->drafts.count;
    uint32_t dropped = r->log->dropped_count;
    r->fx_text = (struct tp_str){NULL, 0};
    r->file = format == FORMAT_LOG ? NULL : path;
    if (format == FORMAT_LOG)
        read_log(r, path);
    struct tp_str text = format == FORMAT_LOG ? (struct tp_str){NULL, 0} : read_text(r, path);
    if (text.ptr && format == FORMAT_ARTIFACT)
        tp_compile_read_artifact(r, tp_str_of(tp_path_base(path)), text);
    else if (text.ptr)
        tp_compile_read_output_code(r, text);
    tp_arena_free_item(r->arena, (char *)text.ptr, text.ptr ? text.len + 1 : 0);
    r->log->file_count += r->drafts.count > before || r->log->dropped_count > dropped;
}

/* ---- lines of graphs without tracebacks ---- */

/* Returns the text of a file in the folder of `path`; ptr NULL if it cannot be read. */
static struct tp_str read_neighbour(struct tp_compile_reader *r, const char *path, const char *name)
{
    size_t folder = (size_t)(tp_path_base(path) - path), room = folder + strlen(name) + 1;
    char *other = tp_arena_alloc(r->arena, room);
    snprintf(other, room, "%.*s%s", (int)folder, path, name);
    return read_text(r, other);
}

/* Reads the lines of the graphs that have only nodes, from the text of their FX graph. */
static void add_lines_of_nodes(struct tp_compile_reader *r)
{
    for (size_t i = 0; i < r->drafts.count; i++) {
        struct tp_compile_draft *draft = *TP_AT(&r->drafts, struct tp_compile_draft *, i);
        struct tp_str text = draft->fx_text;
        if (draft->has_stacks || draft->is_code)
            continue;
        if (draft->file)
            text = read_neighbour(r, draft->file, "fx_graph_transformed.py");
        if (draft->file && !text.ptr)
            text = read_neighbour(r, draft->file, "fx_graph_readable.py");
        if (text.len)
            tp_compile_read_fx_text(r, draft, text);
    }
}

/* ---- files and folders ---- */

static void open_reader(struct tp_compile_reader *r, struct tp_compile_log *log, struct tp_arena *arena)
{
    *log = (struct tp_compile_log){.graphs = TP_VEC(arena, struct tp_compile_graph),
                                   .frame_ids = TP_VEC(arena, uint32_t),
                                   .stacks = TP_VEC(arena, struct tp_compile_stack),
                                   .stack_ids = TP_VEC(arena, uint32_t),
                                   .nodes = TP_VEC(arena, struct tp_str)};
    *r = (struct tp_compile_reader){.arena = arena, .log = log, .drafts = TP_VEC(arena, struct tp_compile_draft *)};
    tp_strings_init(&log->frames, arena, 0);
    tp_strings_init(&r->tracebacks, arena, 0);
}

/* Appends a file, or the files below a folder, to `files` (elements: const char *). */
static int list_files(struct tp_vec *files, const char *path, struct tp_error *err)
{
    struct stat info;
    if (stat(path, &info) < 0)
        return tp_error_set(err, TP_ENOTFOUND, 0, "--compile-log %.150s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        tp_compile_files_below(files, path);
    else
        *(const char **)tp_vec_push(files) = path;
    return TP_OK;
}

int tp_compile_log_read(struct tp_compile_log *log, const char *const *paths, size_t count, struct tp_arena *arena,
                        struct tp_error *err)
{
    struct tp_compile_reader r;
    struct tp_vec files = TP_VEC(arena, const char *);
    open_reader(&r, log, arena);
    for (size_t i = 0; i < count; i++) {
        size_t before = files.count;
        int code = list_files(&files, paths[i], err);
        if (code < 0)
            return code;
        /* a log that the user names may have any name */
        if (files.count == before + 1 && *TP_AT(&files, const char *, before) == paths[i] &&
            !tp_str_ends(tp_str_of(paths[i]), ".json") && !tp_str_ends(tp_str_of(paths[i]), ".py")) {
            read_file(&r, paths[i], FORMAT_LOG);
            files.count--;
        }
    }
    for (int is_code = 0; is_code <= 1; is_code++)
        for (size_t i = 0; i < files.count; i++) {
            const char *file = *TP_AT(&files, const char *, i);
            enum format format = format_of_name(file);
            if (format != FORMAT_NONE && (format == FORMAT_CODE) == is_code)
                read_file(&r, file, format);
        }
    add_lines_of_nodes(&r);
    tp_compile_drafts_finish(&r);
    return TP_OK;
}

void tp_compile_log_read_bytes(struct tp_compile_log *log, const char *name, struct tp_str bytes,
                               struct tp_arena *arena)
{
    struct tp_compile_reader r;
    struct tp_compile_lines lines;
    enum format format = format_of_name(name);
    open_reader(&r, log, arena);
    if (format == FORMAT_ARTIFACT) {
        tp_compile_read_artifact(&r, tp_str_of(tp_path_base(name)), bytes);
    } else if (format == FORMAT_CODE) {
        tp_compile_read_output_code(&r, bytes);
    } else {
        tp_compile_lines_init(&lines, &r);
        size_t done = tp_compile_lines_read(&lines, bytes);
        tp_compile_lines_end(&lines, (struct tp_str){bytes.ptr + done, bytes.len - done});
    }
    add_lines_of_nodes(&r);
    tp_compile_drafts_finish(&r);
}
