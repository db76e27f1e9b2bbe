/* Describes layouts of Python interpreters: see python_layouts.h. */
#include "collector/outside/python/python_layouts.h"

#include <stddef.h>
#include <string.h>

enum { ABSENT = TP_PYTHON_ABSENT };

/* Layouts of Python versions that do not describe themselves. The values are in the order of the struct's members. */
static const struct tp_python_layout known[] = {
    {9, 32, 0, 8, 8, ABSENT, 176, 24, ABSENT, 32, 24, 104, ABSENT, 104, 112, ABSENT, 120, 40, 32, 16, 48, 72, 16, 32},
    {10, 32, 0, 8, 8, ABSENT, 176, 24, ABSENT, 32, 24, 96, ABSENT, 104, 112, ABSENT, 120, 40, 32, 16, 48, 72, 16, 32},
    {11, 40, 0, 16, 8, 160, 152, 56, 8, 32, 48, 56, 69, 112, 128, 184, 136, 72, 32, 16, 48, 72, 16, 32},
    {12, 40, 0, 72, 8, 144, 136, 56, 0, 0, 8, 56, 70, 112, 128, 192, 136, 68, 32, 16, 40, 56, 16, 32},
};

const struct tp_python_layout *tp_python_layout_of_version(int minor)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].minor == minor)
            return &known[i];
    return NULL;
}

/* Entry AT(member): which word at the start of _PyRuntime contains this value of the layout. Each value must be inside
 * its struct, whose size is in another word. */
#define AT(field) offsetof(struct tp_python_layout, field)

struct described_word {
    uint32_t field;
    uint8_t word[2]; /* index of the word that contains the value, in 3.13 and in 3.14 */
    uint8_t size[2]; /* index of the word that contains the size of the struct; 0: not checked */
    int32_t most;    /* maximum offset of the end of the value, bytes */
};

static const struct described_word described_words[] = {
    {AT(first_interpreter), {5, 5}, {3, 3}, 1 << 20},
    {AT(next_interpreter), {8, 8}, {6, 6}, 1 << 20},
    {AT(first_thread), {9, 9}, {6, 6}, 1 << 20},
    {AT(next_thread), {21, 24}, {19, 22}, TP_PYTHON_THREAD_BYTES},
    {AT(thread_frame), {23, 26}, {19, 22}, TP_PYTHON_THREAD_BYTES},
    {AT(thread_id), {24, 27}, {19, 22}, TP_PYTHON_THREAD_BYTES},
    {AT(native_id), {25, 28}, {19, 22}, TP_PYTHON_THREAD_BYTES},
    {AT(frame_outer), {29, 32}, {28, 31}, TP_PYTHON_FRAME_BYTES},
    {AT(frame_code), {30, 33}, {28, 31}, TP_PYTHON_FRAME_BYTES},
    {AT(frame_instruction), {31, 34}, {28, 31}, TP_PYTHON_FRAME_BYTES},
    {AT(frame_owner), {33, 36}, {28, 31}, TP_PYTHON_FRAME_BYTES},
    {AT(code_file), {35, 40}, {34, 39}, TP_PYTHON_CODE_BYTES},
    {AT(code_name), {37, 42}, {34, 39}, TP_PYTHON_CODE_BYTES},
    {AT(code_lines), {38, 43}, {34, 39}, TP_PYTHON_CODE_BYTES},
    {AT(code_first_line), {39, 44}, {34, 39}, TP_PYTHON_CODE_BYTES},
    {AT(code_bytes), {43, 48}, {0, 0}, 1024},
    {AT(bytes_size), {65, 75}, {64, 74}, TP_PYTHON_TEXT_BYTES},
    {AT(bytes_at), {66, 76}, {0, 0}, TP_PYTHON_TEXT_BYTES},
    {AT(text_state), {68, 78}, {67, 77}, TP_PYTHON_TEXT_BYTES},
    {AT(text_size), {69, 79}, {67, 77}, TP_PYTHON_TEXT_BYTES},
    {AT(text_ascii), {70, 80}, {67, 77}, TP_PYTHON_TEXT_BYTES},
};

enum { COMPACT_HEAD_BYTES = 16 }; /* bytes of the extra fields of strings that are not ASCII */

bool tp_python_layout_read_words(struct tp_python_layout *layout, const uint64_t *words, int minor)
{
    int version = minor - 13;
    if (version < 0 || version > 1 || memcmp(words, "xdebugpy", 8) != 0 ||
        words[1] >> 16 != (0x0300u | (unsigned)minor) || words[2] != 0)
        return false;
    *layout = (struct tp_python_layout){.minor = minor, .inner_frame = ABSENT};
    for (size_t i = 0; i < sizeof described_words / sizeof *described_words; i++) {
        const struct described_word *t = &described_words[i];
        uint64_t value = words[t->word[version]], size = t->size[version] ? words[t->size[version]] : UINT64_MAX;
        if (value + sizeof(uint64_t) > (uint64_t)t->most || value >= size)
            return false;
        memcpy((char *)layout + t->field, &(int32_t){(int32_t)value}, sizeof(int32_t));
    }
    layout->text_non_ascii = layout->text_ascii + COMPACT_HEAD_BYTES;
    return true;
}
