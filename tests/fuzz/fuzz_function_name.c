/* Decodes arbitrary bytes as a mangled name, after the prefix that each decoder expects. The result must be a name of
 * limited size, in UTF-8 if the input was ASCII, or no name. */
#include <string.h>

#include "tests/fuzz/scratch_files.h"
#include "webreport/document/name_text.h"
#include "writer/base/arena.h"
#include "writer/base/utf8.h"
#include "writer/text/cxx_name.h"
#include "writer/text/demangle_cxx.h"
#include "writer/text/demangle_rust.h"
#include "writer/text/punycode.h"
#include "writer/text/rust_name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { AS_IT_IS, V0, LEGACY, PUNYCODE, CXX, KERNEL, WAYS, ROOM = 64, SHORT_BYTES = 256 };

static void check_name(const char *begin, const char *end, struct tp_str rest, struct tp_arena *arena)
{
    struct tp_buf name;
    struct tp_str text = {NULL, 0};
    tp_buf_init(&name, 0);
    tp_buf_puts(&name, begin);
    tp_buf_add(&name, rest.ptr, rest.len);
    tp_buf_puts(&name, end);
    struct tp_str mangled = {tp_arena_copy(arena, name.data, name.size), name.size};
    tp_buf_release(&name);
    if (!tp_demangle_rust(mangled, &text, arena)) {
        abort_unless(text.ptr == NULL && text.len == 0);
        return;
    }
    bool is_ascii = tp_utf8_is_ascii(mangled.ptr, mangled.len);
    abort_unless(text.len > 0 && text.len <= TP_RUST_LONGEST);
    size_t cut = 0;
    abort_unless(!is_ascii || (tp_utf8_is_valid(text.ptr, text.len, &cut) && cut == 0));
}

/* Checks C++ names with and without "_Z". The name and its short form must have a limited size. */
static void check_kernel(const char *begin, struct tp_str rest, struct tp_arena *arena)
{
    struct tp_buf name;
    struct tp_str text = {NULL, 0};
    tp_buf_init(&name, 0);
    tp_buf_puts(&name, begin);
    tp_buf_add(&name, rest.ptr, rest.len);
    struct tp_str mangled = {tp_arena_copy(arena, name.data, name.size), name.size};
    tp_buf_release(&name);
    if (tp_demangle_cxx(mangled, &text, arena))
        abort_unless(text.len > 0 && text.len <= TP_CXX_LONGEST);
    else
        abort_unless(text.ptr == NULL && text.len == 0);
    struct tp_str short_name = tp_kernel_short_name(arena, mangled);
    abort_unless(short_name.len <= SHORT_BYTES && (short_name.len > 0 || mangled.len == 0));
}

static void check_punycode(struct tp_str rest)
{
    const char *line = memchr(rest.ptr, '_', rest.len);
    size_t ascii = line ? (size_t)(line - rest.ptr) : 0, code = line ? ascii + 1 : 0;
    uint32_t *text = calloc(ROOM, sizeof *text);
    abort_unless(text != NULL);
    size_t count =
        tp_punycode(text, ROOM, (struct tp_str){rest.ptr, ascii}, (struct tp_str){rest.ptr + code, rest.len - code});
    abort_unless(count <= ROOM);
    for (size_t i = 0; i < count; i++)
        abort_unless(text[i] <= 0x10FFFF && (text[i] < 0xD800 || text[i] >= 0xE000));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_arena arena;
    if (size == 0)
        return 0;
    struct tp_str rest = {(const char *)data + 1, size - 1};
    tp_arena_init(&arena, 64u << 20);
    if (setjmp(arena.guard) == 0)
        switch (*data % WAYS) {
        case AS_IT_IS:
            check_name("", "", rest, &arena);
            break;
        case V0:
            check_name("_R", "", rest, &arena);
            break;
        case LEGACY:
            check_name("_ZN", "17h0123456789abcdefE", rest, &arena);
            break;
        case CXX:
            check_kernel("_Z", rest, &arena);
            break;
        case KERNEL:
            check_kernel("", rest, &arena);
            break;
        default:
            check_punycode(rest);
        }
    tp_arena_release(&arena);
    return 0;
}
