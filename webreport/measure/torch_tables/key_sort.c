/* Sorts the rows of key_averages. See key_averages.h. */
#include "webreport/measure/torch_tables/key_averages.h"

#include "writer/base/sort.h"

/* The number by which a row is sorted, as an int64 or a double; the unused member is 0. Large int64 values do not fit
 * in a double. */
struct number {
    int64_t whole;
    double real;
};
typedef struct number (*number)(const struct tp_key_row *row);

static double average(double us, int64_t count)
{
    return count ? us / (double)count : 0;
}

#define NUMBER(name, type, expression)                                                                                 \
    static struct number name(const struct tp_key_row *row)                                                            \
    {                                                                                                                  \
        return (struct number){.type = expression};                                                                    \
    }
NUMBER(cpu_time, real, average(row->cpu.us, row->count))
NUMBER(cpu_time_total, real, row->cpu.us)
NUMBER(self_cpu_time_total, real, row->self_cpu.us)
NUMBER(device_time, real, average(row->device.us, row->count))
NUMBER(device_time_total, real, row->device.us)
NUMBER(self_device_time_total, real, row->self_device.us)
NUMBER(cpu_memory_usage, whole, row->cpu_bytes)
NUMBER(self_cpu_memory_usage, whole, row->self_cpu_bytes)
NUMBER(device_memory_usage, whole, row->device_bytes)
NUMBER(self_device_memory_usage, whole, row->self_device_bytes)
NUMBER(count, whole, row->count)
NUMBER(flops, whole, row->flops)

#define KEY(name)                                                                                                      \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
static const struct {
    const char *name;
    number number;
} keys[] = {KEY(cpu_time),
            KEY(cpu_time_total),
            KEY(self_cpu_time_total),
            KEY(device_time),
            KEY(device_time_total),
            KEY(self_device_time_total),
            KEY(cpu_memory_usage),
            KEY(self_cpu_memory_usage),
            KEY(device_memory_usage),
            KEY(self_device_memory_usage),
            KEY(count),
            KEY(flops)};
enum { KEYS = sizeof keys / sizeof *keys };

/* Returns whether `key` equals `name`, with "cuda", "xpu" or "privateuse1" allowed in place of "device". */
static bool is_sort_key(const char *key, const char *name)
{
    static const char *const devices[] = {"cuda", "xpu", "privateuse1"};
    const char *at = strstr(name, "device");
    if (strcmp(key, name) == 0)
        return true;
    for (size_t i = 0; at && i < sizeof devices / sizeof *devices; i++) {
        size_t before = (size_t)(at - name), n = strlen(devices[i]);
        if (strncmp(key, name, before) == 0 && strncmp(key + before, devices[i], n) == 0 &&
            strcmp(key + before + n, at + strlen("device")) == 0)
            return true;
    }
    return false;
}

struct by {
    const struct tp_key_row *rows;
    number number;
};

static int compare_larger_first(const void *context, uint32_t x, uint32_t y)
{
    const struct by *by = context;
    struct number a = by->number(&by->rows[x]), b = by->number(&by->rows[y]);
    return (a.whole < b.whole) - (a.whole > b.whole) + (a.real < b.real) - (a.real > b.real);
}

static bool is_no_order_key(const char *key)
{
    return !key || strcmp(key, "none") == 0;
}

static number number_of_key(const char *key)
{
    for (size_t i = 0; i < KEYS; i++)
        if (is_sort_key(key, keys[i].name))
            return keys[i].number;
    return NULL;
}

bool tp_key_averages_can_sort(const char *key)
{
    return is_no_order_key(key) || number_of_key(key);
}

uint32_t *tp_key_averages_sort(const struct tp_key_averages *averages, const char *key, struct tp_arena *arena)
{
    struct by by = {.rows = averages->rows, .number = is_no_order_key(key) ? NULL : number_of_key(key)};
    if (!is_no_order_key(key) && !by.number)
        return NULL;
    uint32_t *order = tp_arena_array(arena, averages->count, sizeof *order);
    for (uint32_t i = 0; i < averages->count; i++)
        order[i] = i;
    if (by.number)
        tp_sort_rows(order, averages->count, compare_larger_first, &by, arena);
    return order;
}
