/* Manages the handles that ITT programs get from this recorder: domains, strings and counters. As ITT requires, there
 * is one handle per name for the life of the process. Finding an existing handle takes no lock.
 *
 * Handles that a program created before ITT was switched on come from the program's own static part of ITT. Their
 * layout is ITT's, which reserves two members for the tool. The member `number` stores the number of the name as soon
 * as the number is known. */
#ifndef TP_COLLECTOR_SOURCE_ITT_HANDLES_H
#define TP_COLLECTOR_SOURCE_ITT_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

/* Types of a value, with ITT's numbers. */
enum tp_itt_type {
    TP_ITT_UNKNOWN,
    TP_ITT_U64,
    TP_ITT_S64,
    TP_ITT_U32,
    TP_ITT_S32,
    TP_ITT_U16,
    TP_ITT_S16,
    TP_ITT_FLOAT,
    TP_ITT_DOUBLE
};

/* Handle of a domain, in the layout of ITT version 3. */
struct tp_itt_domain {
    volatile int flags; /* 0: the program's macros skip calls for this domain */
    const char *name;
    const wchar_t *wide;
    _Atomic int number;
    void *unused;
    struct tp_itt_domain *next;
};

struct tp_itt_string {
    const char *name;
    const wchar_t *wide;
    _Atomic int number;
    void *unused;
    struct tp_itt_string *next;
};

struct tp_itt_counter {
    const char *name;
    const wchar_t *wide;
    const char *domain;
    const wchar_t *wide_domain;
    int type; /* type of the values, enum tp_itt_type; members after it differ between versions */
};

/* tp_itt_domain, tp_itt_string and tp_itt_counter return the handle for a name, or NULL if the name is NULL. If there
 * are already a million handles, or when memory is short, the first two return a shared handle, and tp_itt_counter
 * returns NULL. */
struct tp_itt_domain *tp_itt_domain(const char *name);
struct tp_itt_string *tp_itt_string(const char *name);
struct tp_itt_counter *tp_itt_counter(const char *name, const char *domain, int type);

/* tp_itt_*_number return the number of the name of a handle, or 0 for NULL. The number of a domain includes the bit
 * TP_SPOOL_ITT. */
uint32_t tp_itt_domain_number(const struct tp_itt_domain *domain);
uint32_t tp_itt_string_number(struct tp_itt_string *string);

/* tp_itt_convert_value returns a value of the program as 8 bytes, and sets *type to its enum tp_spool_value.
 * tp_itt_value_size returns the size in bytes of a value of ITT's type, or 0 for an unknown type. */
uint64_t tp_itt_convert_value(uint8_t *type, int itt_type, const void *value);
uint32_t tp_itt_value_size(int itt_type);

/* tp_itt_counter_set records the given value of a counter. tp_itt_counter_add records the counter's last value plus
 * `delta`. */
void tp_itt_counter_set(const struct tp_itt_counter *counter, const void *value);
void tp_itt_counter_add(const struct tp_itt_counter *counter, int64_t delta);

/* Records the last value plus `delta` of the domain's counter `name`, which has no handle. */
void tp_itt_counter_add_by_name(const struct tp_itt_domain *domain, struct tp_itt_string *name, int64_t delta);

#endif
