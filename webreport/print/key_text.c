/* _format_time and its like of torch/autograd/profiler_util.py: see key_text.h. */
#include "webreport/print/key_text.h"

#include <math.h>
#include <stdio.h>

void tp_key_text_time(char text[TP_KEY_TEXT], double us, enum tp_key_time_unit unit)
{
    const double second = 1000.0 * 1000.0, millisecond = 1000.0;
    if (unit == TP_KEY_UNIT_AUTO)
        unit = us >= second ? TP_KEY_UNIT_S : us >= millisecond ? TP_KEY_UNIT_MS : TP_KEY_UNIT_US;
    if (unit == TP_KEY_UNIT_S)
        snprintf(text, TP_KEY_TEXT, "%.3fs", us / second);
    else if (unit == TP_KEY_UNIT_MS)
        snprintf(text, TP_KEY_TEXT, "%.3fms", us / millisecond);
    else
        snprintf(text, TP_KEY_TEXT, "%.3fus", us);
}

void tp_key_text_share(char text[TP_KEY_TEXT], double us, double total_us)
{
    if (total_us == 0)
        snprintf(text, TP_KEY_TEXT, "NaN");
    else
        snprintf(text, TP_KEY_TEXT, "%.2f%%", us * 100.0 / total_us);
}

void tp_key_text_memory(char text[TP_KEY_TEXT], int64_t bytes, enum tp_torch_rules rules)
{
    static const struct {
        int64_t bytes;
        const char *text[2];
    } units[] = {{1 << 30, {"GB", "Gb"}}, {1 << 20, {"MB", "Mb"}}, {1 << 10, {"KB", "Kb"}}};
    bool is_old = rules == TP_TORCH_2_6;
    uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (size >= (uint64_t)units[i].bytes) {
            snprintf(text, TP_KEY_TEXT, "%.2f %s", (double)bytes / (double)units[i].bytes, units[i].text[is_old]);
            return;
        }
    snprintf(text, TP_KEY_TEXT, "%lld %s", (long long)bytes, is_old ? "b" : "B");
}

const char *tp_key_flops_unit(const struct tp_key_averages *averages, double *scale)
{
    static const char *const units[] = {"FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"};
    enum { LAST = sizeof units / sizeof *units - 1 };
    int64_t smallest = 0;
    for (uint32_t i = 0; i < averages->count; i++) {
        int64_t flops = averages->rows[i].flops;
        if (flops > 0 && (smallest == 0 || flops < smallest))
            smallest = flops;
    }
    if (smallest == 0)
        return NULL;
    double power = log10((double)smallest) / 3;
    power = power < 0 ? 0 : power > LAST ? LAST : power;
    *scale = pow(10, floor(power) * -3.0);
    return units[(int)power];
}
