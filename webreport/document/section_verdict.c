/* What bounds the steps, in words: one headline with the number that decides, one sentence with the best case. */
#include "webreport/document/section.h"

#include <math.h>
#include <string.h>

/* Numbers every wording needs; shares are of the average step. */
struct shares {
    double step_ns, idle, part[TP_AVERAGE_COUNT];
    bool is_gpu;
};

static struct shares shares_of(const struct tp_overview *overview)
{
    struct shares shares = {.step_ns = overview->average_us[TP_AVERAGE_TOTAL] * 1000};

    shares.is_gpu = strcmp(overview->device_type, "GPU") == 0;
    for (unsigned i = 0; i < TP_AVERAGE_COUNT && shares.step_ns > 0; i++)
        shares.part[i] = 100 * overview->average_us[i] * 1000 / shares.step_ns;
    shares.idle = fmax(0, 100 - shares.part[TP_AVERAGE_DEVICE_BUSY]);
    return shares;
}

static const char *time_text(struct tp_arena *arena, double ns)
{
    return tp_text_of_time(arena, (int64_t)llround(ns));
}

/* Ceiling per step of the first of the findings named (two ids at most); NaN when none was found. */
static double ceiling_us(const struct tp_recommendations *found, const char *id, const char *other)
{
    for (uint32_t i = 0; i < found->finding_count; i++)
        if (strcmp(found->findings[i].rule->id, id) == 0 || strcmp(found->findings[i].rule->id, other) == 0)
            return found->findings[i].ceiling_us_per_step;
    return NAN;
}

/* "Data loading takes 59.3 ms of a 177.6 ms step; hiding it would save at most 47.3 ms per step." The bound is that of
 * the finding, which knows what the device did meanwhile; without one, all of it. */
static const char *best_case(struct tp_arena *arena, const struct shares *shares, const char *what, unsigned part,
                             double finding_us)
{
    double ns = shares->step_ns * shares->part[part] / 100,
           bound = isnan(finding_us) ? ns : fmin(ns, finding_us * 1000);

    return tp_text_printf(arena,
                          "%s takes %s of a %s step; hiding it behind other work would save at most %s per step.", what,
                          time_text(arena, ns), time_text(arena, shares->step_ns), time_text(arena, bound));
}

static struct tp_verdict_block cpu_words(struct tp_arena *arena, const struct shares *shares,
                                         const struct tp_recommendations *found)
{
    struct tp_verdict_block words = {.class = "CPU only", .tone = TP_TONE_UNSURE};

    words.headline =
        tp_text_printf(arena, "A step takes %s; no device work was recorded.", time_text(arena, shares->step_ns));
    if (strcmp(found->program, "device_missing") == 0)
        words.headline = "Kernels were launched, but the trace holds no device work.";
    words.text =
        tp_text_printf(arena, "Operators and annotated code cover %s of it, data loading %s, communication %s.",
                       tp_text_of_percent(arena, shares->part[TP_ROLE_CPU_EXEC]),
                       tp_text_of_percent(arena, shares->part[TP_ROLE_DATALOADER]),
                       tp_text_of_percent(arena, shares->part[TP_ROLE_COMMUNICATION]));
    return words;
}

/* Whether most of the idle time had its next operation queued already: then launching earlier would gain nothing. */
static bool is_held_on_device(const struct tp_idle_view *idle)
{
    double total = 0, host = 0;

    for (uint32_t i = 0; i < idle->device_count; i++) {
        total += (double)idle->devices[i].idle.total_ns;
        host += (double)idle->devices[i].idle.host_ns;
    }
    return total > 0 && host < total / 2;
}

static struct tp_verdict_block held_words(struct tp_arena *arena, const struct shares *shares,
                                          const struct tp_idle_view *idle)
{
    double total = 0, held = 0, unknown = 0;

    for (uint32_t i = 0; i < idle->device_count; i++) {
        total += (double)idle->devices[i].idle.total_ns;
        held += (double)idle->devices[i].idle.dependency_ns;
        unknown += (double)idle->devices[i].idle.unknown_ns;
    }
    if (unknown > held)
        return (struct tp_verdict_block){
            TP_TONE_UNSURE, "Unclear",
            tp_text_printf(arena, "The GPU idles %s of every step; what it waits for was not recorded.",
                           tp_text_of_percent(arena, shares->idle)),
            tp_text_printf(arena, "The launches after %s of its idle time are not in the trace.",
                           tp_text_of_percent(arena, 100 * unknown / total))};
    return (struct tp_verdict_block){
        TP_TONE_UNSURE, "Unclear",
        tp_text_printf(arena, "The GPU idles %s of every step, and launching earlier would not help.",
                       tp_text_of_percent(arena, shares->idle)),
        tp_text_printf(
            arena, "In %s of its idle time the next operation was queued already and something on the device held it.",
            tp_text_of_percent(arena, 100 * held / total))};
}

static struct tp_verdict_block words_of(struct tp_arena *arena, enum tp_verdict verdict, const struct shares *shares,
                                        const struct tp_recommendations *found)
{
    const char *idle = tp_text_of_percent(arena, shares->idle);

    switch (verdict) {
    case TP_VERDICT_INPUT_BOUND:
        return (struct tp_verdict_block){
            TP_TONE_PLAIN, "Input-bound",
            shares->is_gpu
                ? tp_text_printf(arena, "The GPU idles %s of every step, mostly waiting for input data.", idle)
                : tp_text_printf(arena, "Data loading takes %s of every step.",
                                 tp_text_of_percent(arena, shares->part[TP_ROLE_DATALOADER])),
            best_case(arena, shares, "Data loading", TP_ROLE_DATALOADER, ceiling_us(found, "B1", "H1"))};
    case TP_VERDICT_COMMUNICATION_BOUND:
        return (struct tp_verdict_block){
            TP_TONE_PLAIN, "Communication-bound",
            tp_text_printf(arena, "%s of every step is communication that no computation hides.",
                           tp_text_of_percent(arena, shares->part[TP_ROLE_COMMUNICATION])),
            best_case(arena, shares, "Exposed communication", TP_ROLE_COMMUNICATION, ceiling_us(found, "E1", "H8"))};
    case TP_VERDICT_COPY_BOUND:
        return (struct tp_verdict_block){TP_TONE_PLAIN, "Memory-copy-bound",
                                         tp_text_printf(arena,
                                                        "%s of every step is memory copies that no kernel hides.",
                                                        tp_text_of_percent(arena, shares->part[TP_ROLE_MEMCPY])),
                                         best_case(arena, shares, "Copying", TP_ROLE_MEMCPY, NAN)};
    case TP_VERDICT_LAUNCH_BOUND:
        return (struct tp_verdict_block){
            TP_TONE_PLAIN, "Launch-bound",
            tp_text_printf(arena, "The GPU idles %s of every step, waiting for the host to launch work.", idle),
            tp_text_printf(
                arena, "A %s step keeps the GPU busy for %s. Launching early enough would save at most the other %s.",
                time_text(arena, shares->step_ns), time_text(arena, shares->step_ns * (1 - shares->idle / 100)),
                time_text(arena, shares->step_ns * shares->idle / 100))};
    case TP_VERDICT_GPU_BOUND:
        return (struct tp_verdict_block){
            TP_TONE_GOOD, "GPU-bound",
            tp_text_printf(arena, "Kernels fill %s of every step.",
                           tp_text_of_percent(arena, shares->part[TP_ROLE_KERNEL])),
            tp_text_printf(arena,
                           "The GPU is idle for only %s of a %s step, so faster or fewer kernels are what shortens it.",
                           idle, time_text(arena, shares->step_ns))};
    case TP_VERDICT_CPU_BOUND:
        return (struct tp_verdict_block){
            TP_TONE_UNSURE, "CPU-bound",
            tp_text_printf(arena, "A step takes %s of host work.", time_text(arena, shares->step_ns)),
            "No device work was recorded."};
    default:
        return (struct tp_verdict_block){
            TP_TONE_UNSURE, "Unclear",
            tp_text_printf(arena, "No single cause dominates: the GPU is busy for %s of a step.",
                           tp_text_of_percent(arena, 100 - shares->idle)),
            tp_text_printf(arena, "Kernels take %s, data loading %s, copies %s, communication %s of a %s step.",
                           tp_text_of_percent(arena, shares->part[TP_ROLE_KERNEL]),
                           tp_text_of_percent(arena, shares->part[TP_ROLE_DATALOADER]),
                           tp_text_of_percent(arena, shares->part[TP_ROLE_MEMCPY]),
                           tp_text_of_percent(arena, shares->part[TP_ROLE_COMMUNICATION]),
                           time_text(arena, shares->step_ns))};
    }
}

/* The view's own class; where it has none, the largest share that leaves the device idle, from a fifth of the step on.
 */
static enum tp_verdict verdict_of(const struct tp_overview *overview, const struct shares *shares)
{
    static const struct {
        unsigned role;
        enum tp_verdict verdict;
    } CAUSES[] = {{TP_ROLE_DATALOADER, TP_VERDICT_INPUT_BOUND},
                  {TP_ROLE_COMMUNICATION, TP_VERDICT_COMMUNICATION_BOUND},
                  {TP_ROLE_MEMCPY, TP_VERDICT_COPY_BOUND}};
    enum tp_verdict best = TP_VERDICT_UNCLEAR;
    double most = 20, host;

    if (overview->verdict_reason.len)
        return overview->verdict;
    host = shares->part[TP_ROLE_RUNTIME] + shares->part[TP_ROLE_CPU_EXEC] + shares->part[TP_AVERAGE_OTHER];
    for (unsigned i = 0; i < sizeof(CAUSES) / sizeof(CAUSES[0]); i++)
        if (shares->part[CAUSES[i].role] >= most) {
            most = shares->part[CAUSES[i].role];
            best = CAUSES[i].verdict;
        }
    if (shares->is_gpu && host > most)
        best = TP_VERDICT_LAUNCH_BOUND;
    if (shares->is_gpu && shares->part[TP_ROLE_KERNEL] >= 75)
        best = TP_VERDICT_GPU_BOUND;
    return best;
}

struct tp_verdict_block tp_section_verdict(const struct tp_naming *naming, const struct tp_profile *profile)
{
    struct tp_arena *arena = naming->arena;
    const struct tp_views *views = profile->views;
    const struct tp_advice *advice = profile->advice;
    struct shares shares = shares_of(&views->overview);
    enum tp_verdict verdict = verdict_of(&views->overview, &shares);

    if (strcmp(advice->recommendations.program, "empty") == 0 || shares.step_ns <= 0)
        return (struct tp_verdict_block){TP_TONE_UNSURE, "No data", "This trace holds no work to judge.",
                                         "See the trace quality section for what was read."};
    if (views->facts.device_time_ns <= 0 && verdict != TP_VERDICT_INPUT_BOUND &&
        verdict != TP_VERDICT_COMMUNICATION_BOUND)
        return cpu_words(arena, &shares, &advice->recommendations);
    if (verdict == TP_VERDICT_LAUNCH_BOUND && is_held_on_device(&advice->idle))
        return held_words(arena, &shares, &advice->idle);
    return words_of(arena, verdict, &shares, &advice->recommendations);
}
