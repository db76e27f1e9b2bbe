/* Finds the names of addresses in arbitrary bytes as a program or library, by symbols, debug information and the
 * function table. Input: ADDRESSES addresses of 3 bytes each, then the file. */
#include <string.h>

#include "tests/fuzz/scratch_files.h"
#include "writer/spool/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ADDRESSES = 8, ADDRESS_BYTES = 3 };

static void check_frames(struct tp_symbols *symbols, uint64_t address)
{
    const struct tp_symbol_frames frames = tp_symbols_frames(symbols, address, 1, address & 1);
    abort_unless(frames.text.len > 1 && frames.text.ptr[frames.text.len - 1] == ';');
    abort_unless(frames.first.len > 0 && frames.first.len < frames.text.len);
    abort_unless(frames.function.ptr >= frames.text.ptr &&
                 frames.function.ptr + frames.function.len <= frames.text.ptr + frames.text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct taken from = {data, data + size};
    struct tp_symbols symbols = {0};
    struct tp_arena arena;
    uint64_t addresses[ADDRESSES];
    char path[SCRATCH_PATH];
    for (size_t i = 0; i < ADDRESSES; i++)
        addresses[i] = take_number_from_input(&from, ADDRESS_BYTES);
    int fd = make_scratch_file(from.at, take_size_from_input(&from, size), path);
    tp_arena_init(&arena, 256u << 20);
    if (setjmp(arena.guard) == 0) {
        tp_symbols_init(&symbols, &arena);
        tp_symbols_add(&symbols, 0, UINT64_MAX, 0, 0, tp_str_of(path));
        for (size_t i = 0; i < ADDRESSES; i++)
            check_frames(&symbols, addresses[i]);
    }
    tp_symbols_release(&symbols);
    tp_arena_release(&arena);
    close(fd);
    return 0;
}
