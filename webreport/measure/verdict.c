/* What bounds the steps: one class and the sentence with the numbers that decided, from the averages of the overview.
 *
 * Kernels that fill three quarters of the step: GPU-bound. Else the largest cause that leaves the device without
 * kernels, from a fifth of the step on: data loading, exposed communication, exposed copies, or the host (calls,
 * operators, unrecorded time). Without device work: data loading, communication, else the host itself. */
#include <stdio.h>

#include "webreport/measure/overview_parts.h"

enum { GPU_BOUND_PCT = 75, CAUSE_PCT = 20 };

struct cause {
    double pct;
    enum tp_verdict verdict;
    const char *what;
};

static struct tp_str verdict_name(enum tp_verdict verdict)
{
    switch (verdict) {
    case TP_VERDICT_INPUT_BOUND:
        return TP_STR("Input-bound");
    case TP_VERDICT_GPU_BOUND:
        return TP_STR("GPU-bound");
    case TP_VERDICT_LAUNCH_BOUND:
        return TP_STR("Launch-bound");
    case TP_VERDICT_COMMUNICATION_BOUND:
        return TP_STR("Communication-bound");
    case TP_VERDICT_COPY_BOUND:
        return TP_STR("Memory-copy-bound");
    case TP_VERDICT_CPU_BOUND:
        return TP_STR("CPU-bound");
    default:
        return TP_STR("Unclear");
    }
}

static double share_pct(const struct tp_overview *view, unsigned average)
{
    double total = view->average_us[TP_AVERAGE_TOTAL];
    return total > 0 ? 100 * view->average_us[average] / total : 0;
}

static void decide(struct tp_overview *view, struct cause cause, struct tp_arena *arena)
{
    char text[160];
    int n = snprintf(text, sizeof text, "%s %.1f %% of the average step; a device is busy for %.1f %% of it.",
                     cause.what, cause.pct, share_pct(view, TP_AVERAGE_DEVICE_BUSY));
    view->verdict = cause.verdict;
    view->verdict_text = verdict_name(cause.verdict);
    view->verdict_reason = (struct tp_str){tp_arena_copy(arena, text, (size_t)n), (size_t)n};
}

void tp_verdict_build(struct tp_overview *view, const struct tp_model *model, struct tp_arena *arena)
{
    double kernels = share_pct(view, TP_ROLE_KERNEL);
    double host =
        share_pct(view, TP_ROLE_RUNTIME) + share_pct(view, TP_ROLE_CPU_EXEC) + share_pct(view, TP_AVERAGE_OTHER);
    bool has_devices = model->devices.count > 0;
    const struct cause causes[] = {
        {share_pct(view, TP_ROLE_DATALOADER), TP_VERDICT_INPUT_BOUND, "Data loading takes"},
        {share_pct(view, TP_ROLE_COMMUNICATION), TP_VERDICT_COMMUNICATION_BOUND,
         "Communication that no kernel hides takes"},
        {share_pct(view, TP_ROLE_MEMCPY), TP_VERDICT_COPY_BOUND, "Copies that no kernel hides take"},
        {has_devices ? host : 0, TP_VERDICT_LAUNCH_BOUND,
         "Host work and time in which nothing was recorded leave the device idle for"}};
    struct cause best = {kernels, TP_VERDICT_UNCLEAR, "No cause takes a fifth of the step; kernels take"};
    double most = CAUSE_PCT;
    if (!has_devices)
        best = (struct cause){share_pct(view, TP_ROLE_CPU_EXEC), TP_VERDICT_CPU_BOUND,
                              "No device work was recorded; operators and annotations take"};
    for (unsigned i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].pct >= most) {
            most = causes[i].pct;
            best = causes[i];
        }
    if (kernels >= GPU_BOUND_PCT)
        best = (struct cause){kernels, TP_VERDICT_GPU_BOUND, "Kernels fill"};
    if (view->average_us[TP_AVERAGE_TOTAL] > 0)
        decide(view, best, arena);
    else
        view->verdict_text = verdict_name(TP_VERDICT_UNCLEAR);
    if (!view->verdict_reason.ptr)
        view->verdict_reason = TP_STR("");
}
