/* Implements script_text.h. */
#include "templates/compact/script_text.h"

#include <string.h>

size_t tp_script_quoted_end(const char *text, size_t size, size_t at)
{
    char end = text[at++];
    bool is_in_class = false; /* a slash within brackets is an ordinary character */
    while (at < size) {
        char now = text[at++];
        if (now == '\\' && at < size)
            at++;
        else if (end == '/' && (now == '[' || now == ']'))
            is_in_class = now == '[';
        else if (now == end && !is_in_class)
            return at;
    }
    return size;
}

bool tp_script_slash_opens_expression(const char *text, size_t size, char last)
{
    static const char word[] = "return ";
    size_t length = sizeof word - 1;
    bool is_returned = size >= length && memcmp(text + size - length, word, length) == 0;
    return is_returned || (last && strchr("(,=:[!&|?{};<>*%~^", last));
}
