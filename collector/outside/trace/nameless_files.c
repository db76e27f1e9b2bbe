/* Lists files without function names: see nameless_files.h. */
#include "collector/outside/trace/nameless_files.h"

#include <string.h>

#include "writer/base/json_out.h"
#include "writer/base/sort.h"
#include "writer/base/utf8.h"

enum { MOST_FILES = 32 };

struct nameless_file {
    uint32_t number; /* number of the file in `places` */
    uint32_t node;   /* stack node whose frame is in the file */
    uint64_t sample_count;
};

static int compare_by_samples(const void *x, const void *y, const void *context)
{
    const struct nameless_file *a = x, *b = y;
    (void)context;
    return a->sample_count > b->sample_count ? -1 : a->sample_count < b->sample_count;
}

static struct tp_str file_name(const struct tp_code_places *places, uint32_t number)
{
    struct tp_str path = TP_AT(&places->files, struct tp_code_file, number)->path;
    const char *slash = memrchr(path.ptr, '/', path.len);
    return slash ? (struct tp_str){slash + 1, path.len - (size_t)(slash + 1 - path.ptr)} : path;
}

static bool is_utf8(struct tp_str name)
{
    int length = 1;
    for (size_t at = 0; at < name.len && length > 0; at += (size_t)length)
        length = tp_utf8_length(name.ptr + at, name.len - at);
    return length > 0;
}

/* Returns whether the list already contains a file with the same name, or the name is not valid UTF-8. */
static bool is_name_skipped(const struct tp_code_places *places, const struct nameless_file *files, size_t count)
{
    struct tp_str name = file_name(places, files[count].number);
    for (size_t i = 0; i < count; i++)
        if (tp_str_equal(file_name(places, files[i].number), name))
            return true;
    return !is_utf8(name);
}

static size_t list_files_without_symbols(struct nameless_file *files, const struct tp_outside_tree *tree,
                                         struct tp_stack_texts *words)
{
    const struct tp_code_places *places = words->places;
    size_t count = 0;
    for (size_t i = 0; i < tree->samples.count; i++) {
        uint32_t node = TP_AT(&tree->samples, struct tp_outside_sample, i)->stack;
        uint32_t number = node ? tp_code_frame_at(places, node)->file : TP_CODE_UNKNOWN;
        if (number >= TP_CODE_FIRST_FILE && tp_stack_texts_frame(words, node)->is_nameless)
            files[number] = (struct nameless_file){number, node, files[number].sample_count + 1};
    }
    for (size_t i = 0; i < places->files.count; i++)
        if (files[i].sample_count)
            files[count++] = files[i];
    return count;
}

void tp_nameless_files_put(struct tp_buf *out, const struct tp_outside_tree *tree, struct tp_stack_texts *words)
{
    const struct tp_code_places *places = words->places;
    struct tp_arena *arena = words->text.arena;
    struct nameless_file *files = tp_arena_array(arena, places->files.count + 1, sizeof *files);
    size_t count = list_files_without_symbols(files, tree, words);
    struct tp_json json;
    tp_merge_sort(arena, files, count, sizeof *files, compare_by_samples, NULL);
    tp_json_init(&json, out);
    tp_json_object(&json);
    for (size_t i = 0; i < count && i < MOST_FILES; i++) {
        struct tp_str id = tp_stack_texts_build_id(words, files[i].node);
        if (!id.len || is_name_skipped(places, files, i))
            continue;
        tp_json_key_str(&json, file_name(places, files[i].number));
        tp_json_str(&json, id);
    }
    tp_json_object_end(&json);
}
