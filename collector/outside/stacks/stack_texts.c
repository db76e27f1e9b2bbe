/* Writes stacks as texts: see stack_texts.h.
 *
 * All files share one address space (code_space.h), so that each file is opened once for all processes that mapped
 * it. */
#include "collector/outside/stacks/stack_texts.h"

#include <string.h>

#include "collector/outside/code/code_space.h"
#include "writer/worker.h"

/* Returns the address at which a file is loaded in the shared space. All files with fixed addresses start at 0 and
 * overlap. Therefore the file number also serves as the time of loading. */
static uint64_t file_start(const struct tp_code_file *file, uint32_t number)
{
    return file->has_fixed_address ? 0 : tp_code_space_start(number);
}

void tp_stack_texts_init(struct tp_stack_texts *words, const struct tp_code_places *places, const struct tp_str *kernel,
                         struct tp_arena *arena)
{
    *words = (struct tp_stack_texts){.places = places,
                                     .kernel = kernel,
                                     .frames = tp_arena_array(arena, places->frames.count + 1, sizeof *words->frames),
                                     .text = TP_VEC(arena, char)};
    tp_symbols_init(&words->symbols, arena);
    for (uint32_t i = TP_CODE_FIRST_FILE; i < places->files.count; i++) {
        const struct tp_code_file *file = TP_AT(&places->files, struct tp_code_file, i);
        uint64_t start = file_start(file, i);
        tp_symbols_add(&words->symbols, start, start + ((uint64_t)1 << TP_CODE_SPACE_BITS), start, i, file->path);
    }
}

void tp_stack_texts_release(struct tp_stack_texts *words)
{
    tp_symbols_release(&words->symbols);
}

static uint32_t generated_name(const struct tp_stack_texts *words, uint32_t frame)
{
    return tp_code_jit_at(words->places, TP_AT(&words->places->frames, struct tp_code_frame, frame))->name;
}

/* Returns whether the stack node is generated code whose name is unknown. */
static bool is_frame_nameless(const struct tp_stack_texts *words, uint32_t node)
{
    return tp_code_frame_at(words->places, node)->file == TP_CODE_JIT &&
           generated_name(words, tp_code_node_at(words->places, node)->frame) == TP_NO_ID;
}

/* Returns the text of a frame that is not in a file: the name of a kernel function, or a fixed text. */
static struct tp_symbol_frames text_of_frame_without_file(struct tp_stack_texts *words, uint32_t file, uint32_t frame)
{
    static const char *const ends[TP_CODE_FIRST_FILE] = {"[unknown] [unknown];", " [kernel];", "[jit] [memory];",
                                                         "[vdso] [vdso];", ";"};
    bool is_named = file == TP_CODE_KERNEL && words->kernel && words->kernel[frame].len;
    uint32_t name = file == TP_CODE_JIT ? generated_name(words, frame) : TP_NO_ID;
    struct tp_vec text = TP_VEC(words->text.arena, char);
    if (file == TP_CODE_KERNEL)
        tp_vec_add_text(&text, is_named ? words->kernel[frame] : TP_STR("[unknown]"));
    if (file == TP_CODE_PYTHON)
        tp_vec_add_text(
            &text, tp_strings_get(&words->places->python_texts,
                                  tp_code_python_text(TP_AT(&words->places->frames, struct tp_code_frame, frame))));
    if (name != TP_NO_ID)
        tp_vec_add_text(&text, tp_strings_get(&words->places->jit_texts, name));
    tp_vec_add_text(&text, name != TP_NO_ID ? TP_STR(";") : tp_str_of(ends[file]));
    struct tp_str all = {text.data, text.count};
    return (struct tp_symbol_frames){.text = all, .first = {all.ptr, all.len - 1}};
}

static uint64_t frame_address(const struct tp_stack_texts *words, const struct tp_code_frame *frame)
{
    return file_start(TP_AT(&words->places->files, struct tp_code_file, frame->file), frame->file) + frame->address;
}

const struct tp_symbol_frames *tp_stack_texts_frame(struct tp_stack_texts *words, uint32_t node)
{
    const struct tp_code_frame *frame = tp_code_frame_at(words->places, node);
    uint32_t number = tp_code_node_at(words->places, node)->frame, file = frame->file;
    struct tp_symbol_frames *known = &words->frames[number];
    if (known->text.ptr)
        return known;
    if (file >= TP_CODE_FIRST_FILE && frame->address >> TP_CODE_SPACE_BITS)
        file = TP_CODE_UNKNOWN;
    *known = file < TP_CODE_FIRST_FILE ? text_of_frame_without_file(words, file, number)
                                       : tp_symbols_frames(&words->symbols, frame_address(words, frame), file, false);
    return known;
}

struct tp_str tp_stack_texts_build_id(struct tp_stack_texts *words, uint32_t node)
{
    const struct tp_code_frame *frame = tp_code_frame_at(words->places, node);
    return tp_symbols_build_id(&words->symbols, frame_address(words, frame), frame->file);
}

/* Returns whether the frame is in the preload library of tracepress, which does not belong to the program. */
static bool is_frame_in_our_library(const struct tp_stack_texts *words, uint32_t node)
{
    uint32_t file = tp_code_frame_at(words->places, node)->file;
    return file >= TP_CODE_FIRST_FILE &&
           tp_str_ends(TP_AT(&words->places->files, struct tp_code_file, file)->path, "/" TP_WORKER_LIBRARY);
}

/* Returns whether the function name in a frame text begins with `start`. frame: "file.c(12): function" or "function
 * [module]". */
static bool is_frame_of_function(struct tp_str frame, const char *start)
{
    int64_t place = tp_str_find(frame, "): ");
    size_t skipped = place < 0 ? 0 : (size_t)place + 3;
    return tp_str_starts((struct tp_str){frame.ptr + skipped, frame.len - skipped}, start);
}

static struct tp_str kernel_name(const struct tp_stack_texts *words, uint32_t node)
{
    return words->kernel ? words->kernel[tp_code_node_at(words->places, node)->frame] : (struct tp_str){0};
}

static bool is_kernel_event_function(struct tp_str name)
{
    return tp_str_starts(name, "perf_") || tp_str_starts(name, "__perf_");
}

/* Returns whether the kernel function `name` shows that the program itself uses events that it has opened. */
static bool is_program_call(struct tp_str name)
{
    static const char *const calls[] = {"perf_read", "perf_ioctl", "perf_mmap", "perf_poll", "perf_release"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (tp_str_equal(name, tp_str_of(calls[i])))
            return true;
    return tp_str_find(name, "sys_perf_event_open") >= 0;
}

/* Returns whether one of the functions in `frames` belongs to the recorder. frames: texts of one address with its
 * inlined functions. */
static bool has_function_of_recorder(struct tp_str frames)
{
    while (frames.len) {
        int64_t end = tp_str_find(frames, ";");
        size_t size = end < 0 ? frames.len : (size_t)end;
        struct tp_str frame = {frames.ptr, size};
        if (is_frame_of_function(frame, "__wrap_") || is_frame_of_function(frame, "tp_"))
            return true;
        size += end >= 0;
        frames = (struct tp_str){frames.ptr + size, frames.len - size};
    }
    return false;
}

/* Returns whether the preload library does work of the recorder in the frames from `node` on. The library also contains
 * replacements of C library functions, which do work of the program. */
static bool is_work_of_recorder(struct tp_stack_texts *words, uint32_t node)
{
    for (; node && is_frame_in_our_library(words, node); node = tp_code_node_at(words->places, node)->outer)
        if (has_function_of_recorder(tp_stack_texts_frame(words, node)->text))
            return true;
    return false;
}

/* Returns the first node outside the kernel. Sets *is_event if the kernel frames handle events of the recorder. */
static uint32_t first_node_outside_kernel(const struct tp_stack_texts *words, uint32_t node, bool *is_event)
{
    bool is_own = false;
    *is_event = false;
    for (; node && tp_code_frame_at(words->places, node)->file == TP_CODE_KERNEL;
         node = tp_code_node_at(words->places, node)->outer) {
        struct tp_str name = kernel_name(words, node);
        is_own = is_own || is_program_call(name);
        *is_event = *is_event || is_kernel_event_function(name);
    }
    *is_event = *is_event && !is_own;
    return node;
}

bool tp_stack_texts_is_recording(struct tp_stack_texts *words, uint32_t node, bool is_wait)
{
    enum { MOST_BETWEEN = 4 }; /* maximum number of C library frames below a call from the preload library */
    bool is_event;
    node = first_node_outside_kernel(words, node, &is_event);
    if (is_event)
        return true;
    for (int between = 0; node && between <= MOST_BETWEEN; between++) {
        if (is_frame_in_our_library(words, node))
            return (between == 0 && !is_wait) || is_work_of_recorder(words, node);
        node = tp_code_node_at(words->places, node)->outer;
    }
    return false;
}

static void put_stack_frames(struct tp_stack_texts *words, uint32_t node, bool without_kernel, bool without_ours,
                             struct tp_str *leaf)
{
    bool was_nameless = false; /* true after a frame without a name; consecutive frames without names are written as one
                                * frame */
    words->text.count = 0;
    *leaf = (struct tp_str){0};
    for (; node; node = tp_code_node_at(words->places, node)->outer) {
        if (without_kernel && tp_code_frame_at(words->places, node)->file == TP_CODE_KERNEL)
            continue;
        bool is_repeated = was_nameless && is_frame_nameless(words, node);
        was_nameless = is_frame_nameless(words, node);
        if (is_repeated || (without_ours && is_frame_in_our_library(words, node)))
            continue;
        const struct tp_symbol_frames *frames = tp_stack_texts_frame(words, node);
        if (without_ours && frames->is_own)
            continue;
        *leaf = leaf->len ? *leaf : frames->first;
        tp_vec_add_text(&words->text, frames->text);
    }
}

struct tp_str tp_stack_texts_write_stack(struct tp_stack_texts *words, uint32_t node, bool without_kernel,
                                         struct tp_str *leaf)
{
    put_stack_frames(words, node, without_kernel, true, leaf);
    if (!leaf->len) /* a stack with only frames of the recorder belongs to a thread of the recorder */
        put_stack_frames(words, node, without_kernel, false, leaf);
    return (struct tp_str){words->text.data, words->text.count};
}
