/* Walks stacks by call frame information: see complete_stacks.h.
 *
 * One session of libdw serves all processes, because each file has its own range in a shared address space
 * (code_space.h). When libdw reads a word of the copied stack that is a code address, the word is translated to that
 * space. Other words that only look like a code address are translated too. They do no harm, because they are saved
 * registers that are not used. */
#include "collector/outside/stacks/complete_stacks.h"

#include <string.h>
#include <unistd.h>

#include "collector/outside/code/code_space.h"
#include "collector/outside/code/movable_copy.h"
#include "writer/base/input.h"
#include "writer/base/mapped.h"

enum { MOST_FRAMES = 256 };

/* State of the walk through one stack. */
struct tp_complete_walk {
    const struct tp_code_maps *maps;
    const struct tp_code_places *places;
    const struct tp_perf_record *sample;
    uint64_t frames[MOST_FRAMES];
    size_t count;
    bool is_cut;
};

/* ---- callbacks of libdw ---- */

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
    (void)dwfl;
    if (*thread)
        return 0;
    *thread = context;
    return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
    (void)dwfl, (void)tid;
    *thread = context;
    return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context)
{
    struct tp_complete_walk *walk = ((struct tp_complete_stacks *)context)->walk;
    const struct tp_perf_record *sample = walk->sample;
    uint64_t start = sample->registers[TP_PERF_STACK_POINTER], value;
    (void)dwfl;
    if (address < start)
        return false;
    if (sample->dump_bytes < sizeof value || address - start > sample->dump_bytes - sizeof value) {
        walk->is_cut = walk->is_cut || (sample->is_stack_longer_than_dump && address - start < 64u << 20);
        return false;
    }
    memcpy(&value, sample->dump + (address - start), sizeof value);
    *word = tp_code_space_address(walk->maps, walk->places, value);
    return true;
}

/* Passes the registers to libdw, converted from the kernel's register numbers to DWARF's. */
static bool set_registers(Dwfl_Thread *thread, void *context)
{
    const struct tp_complete_walk *walk = ((struct tp_complete_stacks *)context)->walk;
    const uint64_t *given = walk->sample->registers;
    Dwarf_Word registers[TP_PERF_REGISTERS] = {0};
#if defined(__x86_64__)
    static const uint8_t order[TP_PERF_REGISTERS] = {0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8};
#else
    static const uint8_t order[TP_PERF_REGISTERS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                                     17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
#endif
    for (size_t i = 0; i < TP_PERF_REGISTERS; i++)
        registers[i] = given[order[i]];
    uint64_t place = tp_code_space_address(walk->maps, walk->places, given[TP_PERF_PLACE]);
#if defined(__aarch64__)
    registers[30] = tp_code_space_address(walk->maps, walk->places, registers[30]); /* on arm64, a function that calls
                                                                                     * no other has its return address
                                                                                     * only in the link register */
#endif
    registers[TP_PERF_REGISTERS - 1] = place;
    tp_libdw()->dwfl_thread_state_register_pc(thread, place);
    return tp_libdw()->dwfl_thread_state_registers(thread, 0, TP_PERF_REGISTERS - (TP_PERF_PLACE == 32), registers);
}

static int store_walked_frame(Dwfl_Frame *frame, void *context)
{
    struct tp_complete_walk *walk = context;
    Dwarf_Addr place;
    bool is_exact;
    if (!tp_libdw()->dwfl_frame_pc(frame, &place, &is_exact) || walk->count == MOST_FRAMES)
        return DWARF_CB_ABORT;
    walk->frames[walk->count++] = place - (is_exact ? 0 : 1);
    return DWARF_CB_OK;
}

/* ---- files ---- */

static int find_no_elf_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **path, Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)path, (void)elf;
    return -1;
}

// NOLINTNEXTLINE(readability-function-size): the library defines the parameters
static int find_no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                              const char *link, GElf_Word crc, char **path)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)path;
    return -1;
}

static void begin_session(struct tp_complete_stacks *stacks)
{
    static Dwfl_Callbacks callbacks = {.find_elf = find_no_elf_file, .find_debuginfo = find_no_debug_file};
    stacks->was_tried = true;
    if (!tp_libdw())
        return;
    callbacks.section_address = tp_libdw()->dwfl_offline_section_address;
    stacks->session = tp_libdw()->dwfl_begin(&callbacks);
    stacks->file_count = TP_CODE_FIRST_FILE;
}

/* Reports files that are new in `places` to libdw. */
static void add_files(struct tp_complete_stacks *stacks, const struct tp_code_places *places)
{
    static const Dwfl_Thread_Callbacks calls = {.next_thread = next_thread,
                                                .get_thread = get_thread,
                                                .memory_read = read_memory,
                                                .set_initial_registers = set_registers};
    tp_libdw()->dwfl_report_begin_add(stacks->session);
    for (; stacks->file_count < places->files.count; stacks->file_count++) {
        const struct tp_code_file *file = TP_AT(&places->files, struct tp_code_file, stacks->file_count);
        struct tp_input input;
        if (!file->segment_count || tp_input_open(&input, file->path.ptr, TP_INPUT_FILE, NULL) < 0)
            continue;
        int movable = file->has_fixed_address ? tp_movable_copy_make(input.fd) : input.fd;
        if (movable != input.fd)
            close(input.fd);
        if (movable >= 0 && !tp_libdw()->dwfl_report_elf(stacks->session, file->path.ptr, file->path.ptr, movable,
                                                         tp_code_space_start(stacks->file_count), true))
            close(movable); /* closed here after a failure; otherwise libdw closes the descriptor */
    }
    tp_libdw()->dwfl_report_end(stacks->session, NULL, NULL);
    tp_libdw()->dwfl_attach_state(stacks->session, NULL, 1, &calls, stacks); /* dwfl_attach_state has an effect only in
                                                                              * its first call */
}

void tp_complete_stacks_release(struct tp_complete_stacks *stacks)
{
    tp_mapped_replace_lost_pages(stacks->session != NULL);
    if (stacks->session)
        tp_libdw()->dwfl_end(stacks->session);
    tp_mapped_replace_lost_pages(false);
    *stacks = (struct tp_complete_stacks){0};
}

/* ---- stacks ---- */

static size_t user_frames_in_chain(const struct tp_perf_record *sample)
{
    size_t at = 0;
    while (at < sample->chain_entry_count && sample->chain[at] != (uint64_t)PERF_CONTEXT_USER)
        at++;
    return at < sample->chain_entry_count ? sample->chain_entry_count - at - 1 : 0;
}

/* Returns whether Go built the code of the frame. Go uses frame pointers and has no call frame information. */
static bool is_go_code(const struct tp_complete_walk *w)
{
    uint32_t file;
    uint64_t place = tp_code_space_address(w->maps, w->places, w->sample->registers[TP_PERF_PLACE]), address;
    return tp_code_space_split(w->places, place, &file, &address) &&
           TP_AT(&w->places->files, struct tp_code_file, file)->is_built_by_go;
}

static uint32_t add_frame_of_address(const struct tp_complete_walk *w, struct tp_code_places *places, uint32_t outer,
                                     uint64_t place)
{
    uint32_t file;
    uint64_t address;
    if (tp_code_space_split(places, place, &file, &address))
        return tp_code_add_node(places, outer, file, address);
    return tp_code_maps_add_frame(w->maps, places, outer, place);
}

uint32_t tp_complete_stack_of_sample(struct tp_complete_stacks *stacks, const struct tp_code_maps *maps,
                                     struct tp_code_places *places, const struct tp_perf_record *sample, bool *is_cut)
{
    struct tp_complete_walk walk = {.maps = maps, .places = places, .sample = sample};
    uint32_t node = 0;
    *is_cut = false;
    if (!sample->dump_bytes || is_go_code(&walk))
        return 0;
    tp_mapped_replace_lost_pages(true); /* replaces lost pages of mapped files during the walk, because libdw maps files
                                         * that can be truncated at any time */
    if (!stacks->was_tried)
        begin_session(stacks);
    if (stacks->session && stacks->file_count < places->files.count)
        add_files(stacks, places);
    stacks->walk = &walk;
    bool is_whole =
        stacks->session && tp_libdw()->dwfl_getthread_frames(stacks->session, 1, store_walked_frame, &walk) == 0;
    stacks->walk = NULL;
    tp_mapped_replace_lost_pages(false);
    if (!is_whole && !walk.is_cut && walk.count <= user_frames_in_chain(sample))
        return 0;
    *is_cut = walk.is_cut; /* set from the walk, because libdw reports a stack as complete even if the copy is too
                            * short */
    stacks->cut_count += *is_cut;
    for (size_t i = walk.count; i-- > 0;)
        node = add_frame_of_address(&walk, places, node, walk.frames[i]);
    return node;
}
