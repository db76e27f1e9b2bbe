/* Finds the names of kernel functions: see kernel_functions.h. */
#include "collector/outside/code/kernel_functions.h"

#include <stdlib.h>
#include <string.h>

#include "writer/base/input.h"
#include "writer/base/sort.h"

enum { MOST_BYTES = 64 << 20 };

/* Requested address, and the last kernel symbol at or before it. */
struct wanted {
    uint64_t address, start;
    uint32_t frame;
    struct tp_str name;
};

static int compare_by_address(const void *x, const void *y, const void *context)
{
    const struct wanted *a = x, *b = y;
    (void)context;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Applies a line of /proc/kallsyms to the requested addresses: "ffffffff81000000 T name", possibly followed by
 * "\t[module]". */
static void apply_symbol_line(struct wanted *wanted, size_t count, const char *line)
{
    char *end;
    uint64_t start = strtoull(line, &end, 16);
    bool is_code = start && end[0] == ' ' && end[1] && strchr("tTwW", end[1]) && end[2] == ' ';
    size_t low = 0, high = is_code ? count : 0;
    while (low < high) { /* finds the first address that is not before the symbol */
        size_t middle = low + (high - low) / 2;
        if (wanted[middle].address < start)
            low = middle + 1;
        else
            high = middle;
    }
    if (!is_code || low == count || wanted[low].start >= start)
        return;
    wanted[low].start = start;
    wanted[low].name = (struct tp_str){end + 3, strcspn(end + 3, "\t\n")};
}

static void read_symbols(struct wanted *wanted, size_t count, const char *path, struct tp_arena *arena)
{
    struct tp_buf text;
    tp_buf_init(&text, MOST_BYTES);
    if (tp_input_read_all(&text, path, TP_INPUT_FILE, NULL) < 0) {
        tp_buf_release(&text);
        return;
    }
    tp_buf_putc(&text, '\n');
    const char *line = tp_buf_move(&text, arena);
    for (const char *end; (end = strchr(line, '\n')); line = end + 1)
        apply_symbol_line(wanted, count, line);
}

/* Returns the name of a function, followed by " [MODULE]" if the function is in a module. */
static struct tp_str append_module_name(struct tp_str name, struct tp_arena *arena)
{
    if (!name.len || name.ptr[name.len] != '\t')
        return name;
    size_t size = name.len + strcspn(name.ptr + name.len, "\n");
    char *text = tp_arena_copy(arena, name.ptr, size);
    text[name.len] = ' ';
    return (struct tp_str){text, size};
}

const struct tp_str *tp_kernel_functions_read(const struct tp_code_places *places, struct tp_arena *arena)
{
    return tp_kernel_functions_from_file(places, "/proc/kallsyms", arena);
}

const struct tp_str *tp_kernel_functions_from_file(const struct tp_code_places *places, const char *path,
                                                   struct tp_arena *arena)
{
    struct tp_vec list = TP_VEC(arena, struct wanted);
    for (uint32_t i = 0; i < places->frames.count; i++) {
        const struct tp_code_frame *frame = TP_AT(&places->frames, struct tp_code_frame, i);
        if (frame->file == TP_CODE_KERNEL)
            *(struct wanted *)tp_vec_push(&list) = (struct wanted){.address = frame->address, .frame = i};
    }
    if (!list.count)
        return NULL;
    struct tp_str *names = tp_arena_array(arena, places->frames.count, sizeof *names);
    struct wanted *wanted = list.data;
    tp_merge_sort(arena, wanted, list.count, sizeof *wanted, compare_by_address, NULL);
    read_symbols(wanted, list.count, path, arena);
    for (size_t i = 0; i < list.count; i++) {
        if (i && wanted[i].start < wanted[i - 1].start) { /* the symbol was stored only for the previous address, which
                                                           * is in the same function */
            wanted[i].start = wanted[i - 1].start;
            wanted[i].name = wanted[i - 1].name;
        }
        names[wanted[i].frame] = append_module_name(wanted[i].name, arena);
    }
    return names;
}
