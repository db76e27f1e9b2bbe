/* Stores files, frames and stacks: see code_places.h. */
#include "collector/outside/code/code_places.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "writer/base/input.h"
#include "writer/base/limits.h"

enum { HEAD_BYTES = 4096, FRAME_FILE_BITS = 16, ADDRESS_BITS = 47, MOST_IMAGES = (1 << 16) - 1 };

_Static_assert(TP_MAX_OUTSIDE_FILES <= 1u << FRAME_FILE_BITS, "files fit into the key of a frame");

static uint32_t add_code_file(struct tp_code_places *places, struct tp_str path)
{
    uint32_t number = tp_strings_add(&places->paths, path);
    if (number == places->files.count)
        *(struct tp_code_file *)tp_vec_push(&places->files) =
            (struct tp_code_file){.path = tp_strings_get(&places->paths, number)};
    return number;
}

void tp_code_places_init(struct tp_code_places *places, struct tp_arena *arena)
{
    static const char *const none[TP_CODE_FIRST_FILE] = {"[unknown]", "[kernel]", "[jit]", "[vdso]", "[Python]"};
    *places = (struct tp_code_places){.arena = arena,
                                      .files = TP_VEC(arena, struct tp_code_file),
                                      .frames = TP_VEC(arena, struct tp_code_frame),
                                      .nodes = TP_VEC(arena, struct tp_code_node),
                                      .made = TP_VEC(arena, struct tp_jit_place)};
    tp_strings_init(&places->paths, arena, 0);
    tp_strings_init(&places->python_texts, arena, 0);
    tp_strings_init(&places->jit_texts, arena, 0);
    tp_id_map_init(&places->jit_place_ids, arena);
    tp_id_map_init(&places->frame_ids, arena);
    tp_id_map_init(&places->node_ids, arena);
    for (int i = 0; i < TP_CODE_FIRST_FILE; i++)
        add_code_file(places, tp_str_of(none[i]));
    *(struct tp_code_node *)tp_vec_push(&places->nodes) = (struct tp_code_node){0};
}

/* ---- files ---- */

static void store_segments(struct tp_code_file *file, const unsigned char *bytes, size_t size)
{
    Elf64_Ehdr head;
    if (size < sizeof head || memcmp(bytes, ELFMAG, SELFMAG) != 0 || bytes[EI_CLASS] != ELFCLASS64)
        return;
    memcpy(&head, bytes, sizeof head);
    file->has_fixed_address = head.e_type == ET_EXEC;
    for (unsigned i = 0; i < head.e_phnum && file->segment_count < TP_CODE_SEGMENTS; i++) {
        Elf64_Phdr part;
        if (head.e_phoff > size || size - head.e_phoff < (i + 1) * sizeof part)
            return;
        memcpy(&part, bytes + head.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type != PT_LOAD)
            continue;
        file->segments[file->segment_count].address = part.p_vaddr;
        file->segments[file->segment_count].offset = part.p_offset;
        file->segments[file->segment_count++].size = part.p_filesz;
    }
}

/* Returns whether the ELF file contains the note "Go" of type 4, which Go's linker writes after the headers. */
static bool has_go_note(const unsigned char *bytes, size_t size)
{
    static const char note[] = "\4\0\0\0Go\0";
    return memmem(bytes, size, note, sizeof note) != NULL;
}

static void read_segments(struct tp_code_file *file)
{
    unsigned char bytes[HEAD_BYTES];
    struct tp_input input;
    size_t size = 0;
    if (tp_input_open(&input, file->path.ptr, TP_INPUT_FILE, NULL) < 0)
        return;
    int code = tp_input_read(&size, &input, bytes, sizeof bytes, 0, NULL);
    close(input.fd);
    if (code == TP_OK)
        store_segments(file, bytes, size);
    file->is_built_by_go = code == TP_OK && has_go_note(bytes, size);
}

/* Returns whether the path of a mapping denotes memory without a file, or a file without a name. */
static bool is_path_of_memory_without_file(struct tp_str path)
{
    static const char *const starts[] = {"//anon", "/memfd:", "/dev/zero", "/SYSV", "/anon_hugepage"};
    bool is_one = !tp_str_starts(path, "/");
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        is_one = is_one || tp_str_starts(path, starts[i]);
    return is_one;
}

uint32_t tp_code_file_number(struct tp_code_places *places, struct tp_str path)
{
    if (tp_str_equal(path, TP_STR("[vdso]")))
        return TP_CODE_VDSO;
    if (is_path_of_memory_without_file(path))
        return TP_CODE_JIT;
    size_t before = places->files.count;
    if (before >= TP_MAX_OUTSIDE_FILES && tp_strings_find(&places->paths, path) == TP_NO_ID)
        return TP_CODE_UNKNOWN;
    uint32_t number = add_code_file(places, path);
    if (places->files.count > before)
        read_segments(TP_AT(&places->files, struct tp_code_file, number));
    return number;
}

uint64_t tp_code_file_address(const struct tp_code_places *places, uint32_t number, uint64_t offset)
{
    const struct tp_code_file *file = TP_AT(&places->files, struct tp_code_file, number);
    for (uint32_t i = 0; i < file->segment_count; i++)
        if (offset >= file->segments[i].offset && offset - file->segments[i].offset < file->segments[i].size)
            return offset - file->segments[i].offset + file->segments[i].address;
    return number < TP_CODE_FIRST_FILE ? 0 : offset;
}

/* ---- frames and stacks ---- */

/* Returns the index of a key. A new key gets the next free index of `list`. */
static uint32_t find_or_add_number(struct tp_id_map *map, const struct tp_vec *list, uint64_t key)
{
    uint32_t *number = tp_id_map_find_or_add(map, key);
    if (*number == TP_NO_ID)
        *number = (uint32_t)list->count;
    return *number;
}

uint32_t tp_code_add_node(struct tp_code_places *places, uint32_t outer, uint32_t file, uint64_t address)
{
    uint32_t frame = find_or_add_number(&places->frame_ids, &places->frames, address << FRAME_FILE_BITS | file);
    if (frame == places->frames.count)
        *(struct tp_code_frame *)tp_vec_push(&places->frames) = (struct tp_code_frame){address, file};
    uint32_t node = find_or_add_number(&places->node_ids, &places->nodes, tp_id_pair(outer, frame));
    if (node == places->nodes.count)
        *(struct tp_code_node *)tp_vec_push(&places->nodes) = (struct tp_code_node){outer, frame};
    return node;
}

uint32_t tp_code_add_python_node(struct tp_code_places *places, uint32_t outer, uint32_t text, bool is_entry)
{
    return tp_code_add_node(places, outer, TP_CODE_PYTHON, (uint64_t)text << 1 | is_entry);
}

uint32_t tp_code_add_jit_node(struct tp_code_places *places, uint32_t outer, uint32_t image, uint64_t address)
{
    uint32_t made =
        find_or_add_number(&places->jit_place_ids, &places->made, (uint64_t)image << ADDRESS_BITS | address);
    if (made == places->made.count)
        *(struct tp_jit_place *)tp_vec_push(&places->made) = (struct tp_jit_place){address, image, TP_NO_ID};
    return tp_code_add_node(places, outer, TP_CODE_JIT, made);
}

uint32_t tp_code_add_image(struct tp_code_places *places)
{
    return places->image_count < MOST_IMAGES ? ++places->image_count : 0;
}
