/* Reads and prints a mangled name: see rust_name.h. */
#include "writer/text/rust_name.h"

#include <inttypes.h>
#include <stdio.h>

#include "writer/base/utf8.h"

void tp_rust_print(struct tp_rust_name *name, struct tp_str part)
{
    if (name->is_silent || name->is_wrong)
        return;
    name->is_wrong = part.len > TP_RUST_LONGEST - name->text.count;
    for (size_t i = 0; i < part.len && !name->is_wrong; i++)
        *(char *)tp_vec_push(&name->text) = part.ptr[i];
}

void tp_rust_print_text(struct tp_rust_name *name, const char *text)
{
    tp_rust_print(name, tp_str_of(text));
}

void tp_rust_print_number(struct tp_rust_name *name, uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    tp_rust_print_text(name, digits);
}

void tp_rust_print_character(struct tp_rust_name *name, uint32_t character)
{
    char bytes[4];
    tp_rust_print(name, (struct tp_str){bytes, tp_utf8_put(bytes, character)});
}

char tp_rust_next(struct tp_rust_name *name)
{
    if (name->at < name->end)
        return *name->at++;
    name->is_wrong = true;
    return '\0';
}

bool tp_rust_skip(struct tp_rust_name *name, char letter)
{
    bool is_it = name->at < name->end && *name->at == letter;
    name->at += is_it;
    return is_it;
}

size_t tp_rust_read_length(struct tp_rust_name *name)
{
    size_t length = 0;
    char c = tp_rust_next(name);
    name->is_wrong |= c < '0' || c > '9';
    for (length = (size_t)(c - '0');
         length && !name->is_wrong && name->at < name->end && *name->at >= '0' && *name->at <= '9'; name->at++)
        length = length < TP_RUST_LONGEST ? length * 10 + (size_t)(*name->at - '0') : length;
    name->is_wrong |= length > (size_t)(name->end - name->at);
    return name->is_wrong ? 0 : length;
}
