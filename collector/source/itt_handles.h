/* What ITT's programs hold of us: domains, string handles, counters. They last as long as the process, one per name, as
 * ITT wants it; finding one that is there takes no lock.
 *
 * Those that a program made before ITT was switched on come from its own static part. Their layout is ITT's, with two
 * members that belong to us: `number` holds the number of the name once it is known. */
#ifndef TP_COLLECTOR_SOURCE_ITT_HANDLES_H
#define TP_COLLECTOR_SOURCE_ITT_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

/* ITT's types of values. */
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

/* Layouts of ITT, versions 3. */
struct tp_itt_domain {
    volatile int flags; /* 0: the program's macros leave it out */
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
    int type; /* what follows differs between versions */
};

/* A handle of that name, for the program; NULL for NULL. Beyond a million, and when memory is short: one for all
 * others, no counter. */
struct tp_itt_domain *tp_itt_domain(const char *name);
struct tp_itt_string *tp_itt_string(const char *name);
struct tp_itt_counter *tp_itt_counter(const char *name, const char *domain, int type);

/* Numbers of names, 0 for NULL; of domains with TP_SPOOL_ITT. */
uint32_t tp_itt_domain_number(const struct tp_itt_domain *domain);
uint32_t tp_itt_string_number(struct tp_itt_string *string);

/* A value of the program as 8 bytes and its enum tp_spool_value; bytes of a value of ITT's type, 0 for no type. */
uint64_t tp_itt_value(uint8_t *type, int itt_type, const void *value);
uint32_t tp_itt_value_size(int itt_type);

/* The counter shows a value, or one that is more by `delta`. */
void tp_itt_counter_set(const struct tp_itt_counter *counter, const void *value);
void tp_itt_counter_add(const struct tp_itt_counter *counter, int64_t delta);

/* The same for the counter of a domain that has no handle. */
void tp_itt_counter_add_by_name(const struct tp_itt_domain *domain, struct tp_itt_string *name, int64_t delta);

#endif
