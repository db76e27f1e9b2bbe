/* Implements the table of names (name_table.h) as a hash table with open addressing over a list of texts; both only
 * grow. */
#include "collector/name_table.h"

#include <stdlib.h>
#include <string.h>

static char **texts; /* text of each name; index: number of the name minus 1 */
static uint32_t count, capacity, *slots, slot_count;

static uint32_t text_hash(const char *text, size_t len)
{
    uint32_t hash = 2166136261u; /* initial value of the FNV-1a hash */
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static int grow_name_table(void)
{
    uint32_t bigger = capacity ? capacity * 2 : 64;
    char **moved = realloc(texts, bigger * sizeof *texts);
    if (moved)
        texts = moved;
    uint32_t *fresh = calloc((size_t)bigger * 2, sizeof *fresh);
    if (!moved || !fresh) {
        free(fresh);
        return -1;
    }
    free(slots);
    slots = fresh;
    slot_count = bigger * 2;
    capacity = bigger;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t i = text_hash(texts[n], strlen(texts[n])) & (slot_count - 1);
        while (slots[i])
            i = (i + 1) & (slot_count - 1);
        slots[i] = n + 1;
    }
    return 0;
}

uint32_t tp_names_add(const char *name, int *is_new)
{
    size_t len = strnlen(name, TP_NAME_BYTES);
    *is_new = 0;
    if (count == capacity && grow_name_table() != 0)
        return 0;
    uint32_t i = text_hash(name, len) & (slot_count - 1);
    for (; slots[i]; i = (i + 1) & (slot_count - 1))
        if (strncmp(texts[slots[i] - 1], name, len) == 0 && texts[slots[i] - 1][len] == '\0')
            return slots[i];
    char *copy = strndup(name, len);
    if (!copy)
        return 0;
    texts[count++] = copy;
    slots[i] = count;
    *is_new = 1;
    return count;
}

uint32_t tp_names_count(void)
{
    return count;
}

const char *tp_names_text(uint32_t number)
{
    return texts[number - 1];
}
