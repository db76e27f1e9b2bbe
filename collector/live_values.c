/* Stores values for the live event file: see live_values.h. */
#include "collector/live_values.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "collector/live.h"
#include "collector/session.h"
#include "writer/tfevents_file.h"

enum { TAG_BYTES = 96, PART_BYTES = 64, BYTES_PER_MIB = 1 << 20 };

/* One counter of the table of counters. An entry is never freed. */
struct counter {
    _Atomic uint32_t name; /* number of the counter's name; 0: the entry is free */
    _Atomic(const char *) text;
    _Atomic double value;
    _Atomic int is_set; /* 1: the counter was set since the last step */
    /* tag of the counter in the event file; used only by the thread that ends steps, like is_described */
    char tag[TAG_BYTES];
    /* is_described: the file describes the tag; is_duplicate_tag: another counter has the same tag */
    bool is_described, is_duplicate_tag;
};

/* A memory total and its maximum, each stored as bytes + 1, so that 0 means unknown. */
struct total {
    _Atomic int64_t now, highest; /* now: newest total plus 1; highest: highest total since the last step, plus 1 */
    char tag[TAG_BYTES];
    bool is_described;
};

struct device {
    _Atomic uint64_t key;   /* device type in the high half, device number + 2 in the low half; 0: the entry is free */
    struct total totals[2]; /* [0]: allocated memory; [1]: reserved memory */
};

static struct counter counters[TP_LIVE_COUNTERS];
static struct device devices[TP_LIVE_DEVICES];

static struct counter *find_or_add_counter(tracepress_name name)
{
    for (uint32_t i = 0; i < TP_LIVE_COUNTERS; i++) {
        struct counter *at = &counters[(name + i) % TP_LIVE_COUNTERS];
        uint32_t known = atomic_load_explicit(&at->name, memory_order_acquire);
        if (known == 0 && atomic_compare_exchange_strong(&at->name, &known, name)) {
            atomic_store(&at->text, tp_session_name_text(name));
            return at;
        }
        if (known == name)
            return at;
    }
    return NULL;
}

void tp_live_store_counter(tracepress_name name, double value)
{
    struct counter *counter = name ? find_or_add_counter(name) : NULL;
    if (!counter)
        return;
    atomic_store_explicit(&counter->value, value, memory_order_relaxed);
    atomic_store_explicit(&counter->is_set, 1, memory_order_release);
}

static struct device *find_or_add_device(uint64_t key)
{
    for (uint32_t i = 0; i < TP_LIVE_DEVICES; i++) {
        struct device *at = &devices[i];
        uint64_t known = atomic_load_explicit(&at->key, memory_order_acquire);
        if (known == 0 && atomic_compare_exchange_strong(&at->key, &known, key))
            return at;
        if (known == key)
            return at;
    }
    return NULL;
}

/* Stores bytes + 1, so that 0 means unknown and zeroed entries need no initialization. */
static void store_memory_total(struct total *total, int64_t bytes)
{
    if (bytes < 0 || bytes == INT64_MAX)
        return;
    int64_t kept = bytes + 1, highest = atomic_load_explicit(&total->highest, memory_order_relaxed);
    atomic_store_explicit(&total->now, kept, memory_order_relaxed);
    while (highest < kept && !atomic_compare_exchange_weak(&total->highest, &highest, kept))
        ;
}

void tp_live_store_memory(const struct tracepress_memory *note)
{
    struct device *device =
        find_or_add_device((uint64_t)(uint32_t)note->device_type << 32 | (uint32_t)((uint32_t)note->device_id + 2u));
    if (!device)
        return;
    store_memory_total(&device->totals[0], note->total_allocated);
    store_memory_total(&device->totals[1], note->total_reserved);
}

/* ---- reading the values; only one thread at a time ---- */

static void make_counter_tag(struct counter *counter, const char *text)
{
    char part[PART_BYTES + 1];
    snprintf(part, sizeof part, "%s", *text ? text : "_");
    tp_tfevents_clean_name(part);
    snprintf(counter->tag, sizeof counter->tag, "profile_counters/%s", part);
    for (const struct counter *other = counters; other < counters + TP_LIVE_COUNTERS; other++)
        counter->is_duplicate_tag |= other != counter && strcmp(other->tag, counter->tag) == 0;
}

static size_t take_counter_scalar(struct tp_tf_scalar *out, struct counter *counter)
{
    if (!atomic_load_explicit(&counter->is_set, memory_order_relaxed) ||
        !atomic_exchange_explicit(&counter->is_set, 0, memory_order_acquire))
        return 0;
    const char *text = atomic_load(&counter->text);
    double value = atomic_load_explicit(&counter->value, memory_order_relaxed);
    if (!text) /* another thread is still finding the text of the name */
        return 0;
    if (!counter->tag[0])
        make_counter_tag(counter, text);
    if (counter->is_duplicate_tag || isnan(value))
        return 0;
    *out =
        (struct tp_tf_scalar){counter->tag, "Last value of this counter in the step.", value, !counter->is_described};
    counter->is_described = true;
    return 1;
}

/* Sets the tag of a total, with the report's names of devices. */
static void make_total_tag(struct total *total, uint64_t key, const char *what)
{
    uint32_t type = (uint32_t)(key >> 32), number = (uint32_t)key - 2u;
    if (type == TRACEPRESS_CPU)
        snprintf(total->tag, sizeof total->tag, "profile_memory_mib/CPU_%s_peak", what);
    else
        snprintf(total->tag, sizeof total->tag, "profile_memory_mib/GPU%d_%s_peak", (int)number, what);
}

static size_t take_device_scalars(struct tp_tf_scalar *out, struct device *device)
{
    static const char *const names[] = {"allocated", "reserved"};
    static const char *const texts[] = {"Highest number of bytes in tensors during the step, in MiB.",
                                        "Highest number of bytes reserved by the allocator during the step, in MiB."};
    uint64_t key = atomic_load(&device->key);
    size_t count = 0;
    for (int i = 0; key && i < 2; i++) {
        struct total *total = &device->totals[i];
        int64_t now = atomic_load(&total->now), highest = atomic_exchange(&total->highest, now);
        highest = highest > now ? highest : now;
        /* highest is 1 for a reserved total of 0 bytes, which means that the allocator reserves no memory */
        if (highest <= 0 || (i == 1 && highest == 1 && !total->is_described))
            continue;
        if (!total->tag[0])
            make_total_tag(total, key, names[i]);
        out[count++] =
            (struct tp_tf_scalar){total->tag, texts[i], (double)(highest - 1) / BYTES_PER_MIB, !total->is_described};
        total->is_described = true;
    }
    return count;
}

size_t tp_live_values_fill(struct tp_tf_scalar *out)
{
    size_t count = 0;
    for (int i = 0; i < TP_LIVE_COUNTERS; i++)
        count += take_counter_scalar(out + count, &counters[i]);
    for (int i = 0; i < TP_LIVE_DEVICES; i++)
        count += take_device_scalars(out + count, &devices[i]);
    return count;
}

void tp_live_values_clear(void)
{
    for (int i = 0; i < TP_LIVE_COUNTERS; i++)
        atomic_store(&counters[i].is_set, 0);
    for (int i = 0; i < 2 * TP_LIVE_DEVICES; i++) {
        struct total *total = &devices[i / 2].totals[i % 2];
        atomic_store(&total->now, 0);
        atomic_store(&total->highest, 0);
    }
}

void tp_live_values_mark_undescribed(void)
{
    for (int i = 0; i < TP_LIVE_COUNTERS; i++)
        counters[i].is_described = false;
    for (int i = 0; i < TP_LIVE_DEVICES; i++)
        devices[i].totals[0].is_described = devices[i].totals[1].is_described = false;
}
