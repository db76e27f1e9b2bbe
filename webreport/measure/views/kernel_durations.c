/* Implements kernel_durations.h. */
#include "webreport/measure/views/kernel_durations.h"

#include "writer/base/saturate.h"

static const struct tp_column_def defs[TP_DURATION_COLUMNS] = {
    {"from_us", "From", "us", "Shortest duration of the row; the next row has the longer kernels.", TP_COLUMN_NS},
    {"kernels", "Kernels", "", "Number of kernels with such a duration in the whole recording.", TP_COLUMN_INT},
    {"time_us", "Time", "us", "Sum of the durations of these kernels.", TP_COLUMN_NS},
    {"call_us", "Calls", "us", "Time of the host's calls that launched one of these kernels and nothing else.",
     TP_COLUMN_NS}};

/* Shortest duration of each row, ns. */
static const int64_t FROM[] = {0, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 1000000};
enum { ROWS = sizeof FROM / sizeof *FROM };

static unsigned row_of(int64_t dur_ns)
{
    unsigned row = ROWS - 1;
    while (dur_ns < FROM[row])
        row--;
    return row;
}

/* Returns the duration of the call that launched operation k and nothing else, ns; 0 if it launched more, or is
 * unknown. */
static int64_t own_call_ns(const struct tp_model *model, uint32_t k)
{
    uint32_t launch = model->devices.launch[k];
    if (launch == TP_NO_ID || model->launches.first_device_operation[launch] != k ||
        model->devices.next_in_launch[k] != TP_NO_ID)
        return 0;
    return tp_launch_event(model, launch)->dur_ns;
}

void tp_kernel_durations_build(struct tp_table *table, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_kernel_durations sums[ROWS] = {{0}};
    bool has_kernels = false;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        if (e->kind != TP_KIND_KERNEL)
            continue;
        struct tp_kernel_durations *sum = &sums[row_of(e->dur_ns)];
        has_kernels = true;
        sum->kernel_count++;
        sum->time_ns = tp_sat_add(sum->time_ns, e->dur_ns);
        sum->call_ns = tp_sat_add(sum->call_ns, own_call_ns(model, k));
    }
    tp_table_init(table, arena, "kernel_durations", defs, TP_DURATION_COLUMNS, has_kernels ? ROWS : 0);
    table->title = "Kernels by duration";
    for (size_t row = 0; row < table->row_count; row++) {
        tp_table_int(table, TP_DURATION_FROM)[row] = FROM[row];
        tp_table_int(table, TP_DURATION_KERNELS)[row] = sums[row].kernel_count;
        tp_table_int(table, TP_DURATION_TIME)[row] = sums[row].time_ns;
        tp_table_int(table, TP_DURATION_CALLS)[row] = sums[row].call_ns;
    }
}

struct tp_kernel_durations tp_kernel_durations_below(const struct tp_table *table, int64_t limit_ns)
{
    struct tp_kernel_durations sum = {0};
    for (size_t row = 0; row < table->row_count && tp_table_int(table, TP_DURATION_FROM)[row] < limit_ns; row++) {
        sum.kernel_count += tp_table_int(table, TP_DURATION_KERNELS)[row];
        sum.time_ns = tp_sat_add(sum.time_ns, tp_table_int(table, TP_DURATION_TIME)[row]);
        sum.call_ns = tp_sat_add(sum.call_ns, tp_table_int(table, TP_DURATION_CALLS)[row]);
    }
    return sum;
}
