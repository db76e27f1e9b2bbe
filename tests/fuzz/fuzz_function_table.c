/* Reads arbitrary bytes as the function table of a stripped file (.eh_frame_hdr, .eh_frame).
 *
 * Input: the code address to look up and the address of the table, four bytes each, relative to the address of the
 * segment; then the segment. */
#include <string.h>

#include "tests/fuzz/scratch_files.h"
#include "writer/spool/eh_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t ADDRESS = 0x1000;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct taken from = {data, data + size};
    struct tp_eh_function function;
    uint64_t pc = ADDRESS + take_number_from_input(&from, 4), header = ADDRESS + take_number_from_input(&from, 4);
    size_t left = take_size_from_input(&from, size);
    /* allocates the exact size, so that a sanitizer reports reads beyond the end */
    uint8_t *segment = malloc(left ? left : 1);
    abort_unless(segment != NULL);
    memcpy(segment, from.at, left);
    const struct tp_eh_frame frame = {.bytes = segment, .size = left, .address = ADDRESS, .header = header};
    if (tp_eh_frame_find_function(&function, &frame, pc))
        abort_unless(function.start <= pc && pc < function.end);
    free(segment);
    return 0;
}
