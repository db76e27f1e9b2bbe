/* Manages handles of ITT: see itt_handles.h. Each table consists of lists, which grow only at their heads. Readers
 * need no lock, and a writer tries again if another thread was faster. */
#include "collector/source/itt_handles.h"

#include <stdlib.h>
#include <string.h>

#include "collector/source/mark.h"
#include "collector/tracepress.h"
#include "writer/base/str.h"

/* HEADS: number of lists in a table; the array is large, but only pages in use need memory */
enum { HEADS = 1 << 16, MAX_HANDLES = 1 << 20 };

struct entry {
    struct entry *next;
    uint64_t hash;
};

struct table {
    _Atomic(struct entry *) heads[HEADS];
    _Atomic uint32_t count; /* number of handles, at most MAX_HANDLES */
};

struct domain {
    struct entry entry;
    struct tp_itt_domain handle;
};

struct string {
    struct entry entry;
    struct tp_itt_string handle;
};

/* State of a counter. The key of the counter's entry is the address of the program's handle, or a hash of domain and
 * name. */
struct counter {
    struct entry entry;
    struct tp_itt_counter handle; /* handle for the program, if this recorder created the handle */
    uint32_t name;
    int type;
    _Atomic int64_t value; /* value of the counter so far, if the program adds to the counter */
};

static struct table domains, strings, counters;

/* Handles that names share if a program creates too many handles or memory is short. They are valid structs, because
 * programs may read them. */
static struct tp_itt_domain other_domain = {.flags = 1, .name = "other domains"};
static struct tp_itt_string other_string = {.name = "other names"};

/* ---- tables ---- */

static struct entry *find_in_list(struct entry *entry, const struct entry *end, uint64_t hash,
                                  bool (*is_it)(const struct entry *, const void *), const void *wanted)
{
    for (; entry != end; entry = entry->next)
        if (entry->hash == hash && is_it(entry, wanted))
            return entry;
    return NULL;
}

/* Returns the entry that fits `wanted`, or a new one. Returns NULL if memory is short or there are too many entries. */
static struct entry *find_or_make_entry(struct table *table, uint64_t hash,
                                        bool (*is_it)(const struct entry *, const void *),
                                        struct entry *(*make)(const void *), const void *wanted)
{
    _Atomic(struct entry *) *head = &table->heads[hash % HEADS];
    struct entry *seen = atomic_load_explicit(head, memory_order_acquire);
    struct entry *found = find_in_list(seen, NULL, hash, is_it, wanted);
    if (found || atomic_load_explicit(&table->count, memory_order_relaxed) >= MAX_HANDLES)
        return found;
    struct entry *fresh = make(wanted);
    if (!fresh)
        return NULL;
    fresh->hash = hash;
    fresh->next = seen;
    while (
        !atomic_compare_exchange_weak_explicit(head, &fresh->next, fresh, memory_order_acq_rel, memory_order_acquire)) {
        found = find_in_list(fresh->next, seen, hash, is_it, wanted);
        seen = fresh->next;
        if (found) {
            free(fresh);
            return found;
        }
    }
    atomic_fetch_add_explicit(&table->count, 1, memory_order_relaxed);
    return fresh;
}

static uint64_t text_hash(const char *text)
{
    return tp_hash_bytes(text, strnlen(text, TP_NAME_BYTES));
}

static bool is_same_text(const char *kept, const char *wanted)
{
    return strncmp(kept, wanted, TP_NAME_BYTES) == 0;
}

/* Returns memory for an entry of `size` bytes and, after it, a copy of the text. Returns NULL if memory is short. */
static void *allocate_with_text(size_t size, const char *text, const char **copy)
{
    size_t n = strnlen(text, TP_NAME_BYTES);
    char *memory = calloc(1, size + n + 1);
    if (memory)
        *copy = memcpy(memory + size, text, n);
    return memory;
}

static uint32_t intern_name_once(_Atomic int *kept, const char *name, const wchar_t *wide)
{
    int number = atomic_load_explicit(kept, memory_order_relaxed);
    if (number == 0 && (name || wide)) {
        number = (int)(name ? tp_mark_intern(name) : tp_mark_intern_wide(wide));
        atomic_store_explicit(kept, number, memory_order_relaxed);
    }
    return (uint32_t)number & ~TP_SPOOL_ITT;
}

/* ---- domains and strings ---- */

static bool is_wanted_domain(const struct entry *entry, const void *wanted)
{
    return is_same_text(((const struct domain *)(const void *)entry)->handle.name, wanted);
}

static struct entry *make_domain(const void *name)
{
    const char *copy = NULL;
    struct domain *domain = allocate_with_text(sizeof *domain, name, &copy);
    if (!domain)
        return NULL;
    domain->handle.flags = 1;
    domain->handle.name = copy;
    atomic_init(&domain->handle.number, (int)tp_mark_intern(copy));
    return &domain->entry;
}

struct tp_itt_domain *tp_itt_domain(const char *name)
{
    struct entry *entry =
        name ? find_or_make_entry(&domains, text_hash(name), is_wanted_domain, make_domain, name) : NULL;
    return entry ? &((struct domain *)(void *)entry)->handle : name ? &other_domain : NULL;
}

static bool is_wanted_string(const struct entry *entry, const void *wanted)
{
    return is_same_text(((const struct string *)(const void *)entry)->handle.name, wanted);
}

static struct entry *make_string(const void *name)
{
    const char *copy = NULL;
    struct string *string = allocate_with_text(sizeof *string, name, &copy);
    if (!string)
        return NULL;
    string->handle.name = copy;
    atomic_init(&string->handle.number, (int)tp_mark_intern(copy));
    return &string->entry;
}

struct tp_itt_string *tp_itt_string(const char *name)
{
    struct entry *entry =
        name ? find_or_make_entry(&strings, text_hash(name), is_wanted_string, make_string, name) : NULL;
    return entry ? &((struct string *)(void *)entry)->handle : name ? &other_string : NULL;
}

uint32_t tp_itt_domain_number(const struct tp_itt_domain *domain)
{
    /* the cast is safe, because ITT reserves the member `number` for the tool */
    struct tp_itt_domain *ours = (struct tp_itt_domain *)(uintptr_t)domain;
    return TP_SPOOL_ITT | (domain ? intern_name_once(&ours->number, domain->name, domain->wide) : 0);
}

uint32_t tp_itt_string_number(struct tp_itt_string *string)
{
    return string ? intern_name_once(&string->number, string->name, string->wide) : 0;
}

/* ---- values ---- */

uint32_t tp_itt_value_size(int itt_type)
{
    static const uint8_t sizes[] = {0, 8, 8, 4, 4, 2, 2, 4, 8};
    return itt_type >= 0 && itt_type < (int)(sizeof sizes) ? sizes[itt_type] : 0;
}

uint64_t tp_itt_convert_value(uint8_t *type, int itt_type, const void *value)
{
    union {
        uint64_t bits;
        double real;
        float small;
        int64_t s64;
        int32_t s32;
        int16_t s16;
        uint32_t u32;
        uint16_t u16;
    } v = {.bits = 0};
    memcpy(&v, value, tp_itt_value_size(itt_type));
    *type = itt_type == TP_ITT_FLOAT || itt_type == TP_ITT_DOUBLE                        ? TP_SPOOL_REAL
            : itt_type == TP_ITT_S64 || itt_type == TP_ITT_S32 || itt_type == TP_ITT_S16 ? TP_SPOOL_SIGNED
                                                                                         : TP_SPOOL_UNSIGNED;
    if (itt_type == TP_ITT_S32)
        v.s64 = v.s32;
    else if (itt_type == TP_ITT_S16)
        v.s64 = v.s16;
    else if (itt_type == TP_ITT_FLOAT)
        v.real = (double)v.small;
    return v.bits;
}

/* ---- counters ---- */

struct wanted_counter {
    const struct tp_itt_counter *handle;
    const char *name, *domain;
    const wchar_t *wide;
    int type;
    uint64_t key;
};

/* Returns the number of the name "DOMAIN: NAME". */
static uint32_t intern_counter_name(const struct wanted_counter *wanted)
{
    char text[TP_NAME_BYTES + 1];
    bool has_domain = wanted->domain && *wanted->domain;
    size_t n = has_domain ? strnlen(wanted->domain, TP_NAME_BYTES / 2) : 0;
    if (!wanted->name)
        return wanted->wide ? tp_mark_intern_wide(wanted->wide) : tp_mark_intern("");
    memcpy(text, has_domain ? wanted->domain : "", n);
    if (has_domain) {
        memcpy(text + n, ": ", 2);
        n += 2;
    }
    size_t rest = strnlen(wanted->name, TP_NAME_BYTES - n);
    memcpy(text + n, wanted->name, rest);
    text[n + rest] = '\0';
    return tp_mark_intern(text);
}

static uint64_t make_handle_key(const struct tp_itt_counter *handle)
{
    return tp_hash_mix((uint64_t)(uintptr_t)handle, 0x9E3779B97F4A7C15ull);
}

/* Returns whether the entry has the wanted key. Keys are unique, because they are addresses or hashes of names. */
static bool is_wanted_counter(const struct entry *entry, const void *wanted)
{
    return entry->hash == ((const struct wanted_counter *)wanted)->key;
}

static struct entry *make_counter(const void *given)
{
    const struct wanted_counter *wanted = given;
    struct counter *counter = calloc(1, sizeof *counter);
    if (!counter)
        return NULL;
    counter->name = intern_counter_name(wanted);
    counter->type = tp_itt_value_size(wanted->type) ? wanted->type : TP_ITT_U64;
    counter->handle.type = counter->type;
    return &counter->entry;
}

static struct counter *find_or_make_counter(const struct wanted_counter *wanted)
{
    return (struct counter *)(void *)find_or_make_entry(&counters, wanted->key, is_wanted_counter, make_counter,
                                                        wanted);
}

/* Creates a new handle even if a counter of the same name exists. Both handles then share one curve. */
struct tp_itt_counter *tp_itt_counter(const char *name, const char *domain, int type)
{
    struct wanted_counter wanted = {.name = name, .domain = domain, .type = type};
    if (!name)
        return NULL;
    wanted.key = tp_hash_mix(text_hash(name), domain ? text_hash(domain) | 1 : 2);
    struct counter *counter = find_or_make_counter(&wanted);
    return counter ? &counter->handle : NULL;
}

/* Returns the counter of a handle, which this recorder or the program's static part of ITT has created. */
static struct counter *counter_of_handle(const struct tp_itt_counter *handle)
{
    struct wanted_counter wanted = {.handle = handle, .key = make_handle_key(handle)};
    if (!handle)
        return NULL;
    if (!handle->name && !handle->wide) /* only handles that this recorder created have no text */
        return (struct counter *)(uintptr_t)((const char *)handle - offsetof(struct counter, handle));
    wanted.name = handle->name;
    wanted.wide = handle->wide;
    wanted.domain = handle->domain;
    wanted.type = handle->type;
    return find_or_make_counter(&wanted);
}

static double bits_to_real(uint8_t type, uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return type == TP_SPOOL_REAL ? real : type == TP_SPOOL_SIGNED ? (double)(int64_t)bits : (double)bits;
}

static void add_to_counter(struct counter *counter, int64_t delta)
{
    if (counter) /* the sum wraps around, as the program's own counter would */
        tracepress_counter(counter->name,
                           (double)(int64_t)((uint64_t)atomic_fetch_add(&counter->value, delta) + (uint64_t)delta));
}

void tp_itt_counter_set(const struct tp_itt_counter *handle, const void *value)
{
    struct counter *counter = counter_of_handle(handle);
    uint8_t type;
    if (!counter || !value)
        return;
    uint64_t bits = tp_itt_convert_value(&type, counter->type, value);
    atomic_store(&counter->value, (int64_t)bits);
    tracepress_counter(counter->name, bits_to_real(type, bits));
}

void tp_itt_counter_add(const struct tp_itt_counter *handle, int64_t delta)
{
    add_to_counter(counter_of_handle(handle), delta);
}

void tp_itt_counter_add_by_name(const struct tp_itt_domain *domain, struct tp_itt_string *name, int64_t delta)
{
    struct wanted_counter wanted = {.type = TP_ITT_U64};
    uint64_t numbers = (uint64_t)tp_itt_domain_number(domain) << 32 | tp_itt_string_number(name);
    wanted.name = name && name->name ? name->name : "";
    wanted.domain = domain ? domain->name : NULL;
    wanted.key = tp_hash_mix(numbers, 0xE7037ED1A0B428DBull);
    add_to_counter(find_or_make_counter(&wanted), delta);
}
