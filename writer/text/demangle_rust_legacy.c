/* Demangles the older mangling of rustc, which resembles that of C++: see demangle_rust.h. */
#include <string.h>

#include "writer/text/rust_name.h"

/* Prints the character for an escape such as "$LT$" at the start of `text`. Returns the length of the escape, or 0 if
 * `text` does not start with an escape. */
static size_t print_escape(struct tp_rust_name *name, struct tp_str text)
{
    static const struct {
        const char *escape, *meaning;
    } escapes[] = {{"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"},
                   {"$GT$", ">"}, {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","}};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (tp_str_starts(text, escapes[i].escape)) {
            tp_rust_print_text(name, escapes[i].meaning);
            return strlen(escapes[i].escape);
        }
    uint32_t character = 0;
    size_t at = 2;
    for (; at < text.len && at < 8 && text.ptr[at] != '$'; at++) {
        char c = text.ptr[at];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return 0;
        character = character << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    bool is_one = tp_str_starts(text, "$u") && at > 2 && at < text.len && text.ptr[at] == '$';
    if (!is_one || character < ' ' || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
        return 0;
    tp_rust_print_character(name, character);
    return at + 1;
}

static void print_legacy_identifier(struct tp_rust_name *name, struct tp_str id)
{
    if (tp_str_starts(id, "_$"))
        id = (struct tp_str){id.ptr + 1, id.len - 1};
    while (id.len && !name->is_wrong) {
        size_t used = id.ptr[0] == '$' ? print_escape(name, id) : 0;
        if (tp_str_starts(id, "..")) {
            tp_rust_print_text(name, "::");
            used = 2;
        } else if (!used) {
            tp_rust_print(name, (struct tp_str){id.ptr, 1});
            used = 1;
        }
        id = (struct tp_str){id.ptr + used, id.len - used};
    }
}

/* Returns whether the identifier is "h" and 16 random-looking digits, as at the end of rustc's names. Names of C++
 * functions hardly ever contain such an identifier. */
static bool is_hash_of_rustc(struct tp_str id)
{
    uint32_t seen = 0, kinds = 0;
    if (id.len != 17 || id.ptr[0] != 'h')
        return false;
    for (size_t i = 1; i < id.len; i++) {
        char c = id.ptr[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
        seen |= 1u << (c <= '9' ? c - '0' : c - 'a' + 10);
    }
    for (; seen; seen &= seen - 1)
        kinds++;
    return kinds >= 5;
}

void tp_rust_read_legacy(struct tp_rust_name *name)
{
    struct tp_str last = {0};
    size_t count = 0;
    for (; !name->is_wrong && !tp_rust_skip(name, 'E'); count++) {
        size_t length = tp_rust_read_length(name);
        if (count > 1)
            tp_rust_print_text(name, "::");
        print_legacy_identifier(name, last);
        last = (struct tp_str){name->at, length};
        name->at += length;
    }
    name->is_wrong |= count < 2 || !is_hash_of_rustc(last);
}
