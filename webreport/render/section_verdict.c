/* What bounds the steps, in words: one headline with the number that decides, one sentence with the best case. */
#include "webreport/render/section.h"

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

/* "Hiding all of it would take at most 59.3 ms off a 178 ms step." */
static const char *best_case(struct tp_arena *arena, const struct shares *shares, const char *what, unsigned part)
{
    double ns = shares->step_ns * shares->part[part] / 100;

    return tp_text_printf(
        arena,
        "%s takes %s of a %s step. Hiding all of it behind other work would save at most that much: %s per step.", what,
        time_text(arena, ns), time_text(arena, shares->step_ns), time_text(arena, shares->step_ns - ns));
}

static struct tp_verdict_words cpu_words(struct tp_arena *arena, const struct shares *shares,
                                         const struct tp_recommendations *found)
{
    struct tp_verdict_words words = {.tag = "CPU only", .tone = "low"};

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

static struct tp_verdict_words words_of(struct tp_arena *arena, enum tp_verdict verdict, const struct shares *shares)
{
    const char *idle = tp_text_of_percent(arena, shares->idle);

    switch (verdict) {
    case TP_VERDICT_INPUT_BOUND:
        return (struct tp_verdict_words){
            "Input-bound", "",
            shares->is_gpu
                ? tp_text_printf(arena, "The GPU idles %s of every step, mostly waiting for input data.", idle)
                : tp_text_printf(arena, "Data loading takes %s of every step.",
                                 tp_text_of_percent(arena, shares->part[TP_ROLE_DATALOADER])),
            best_case(arena, shares, "Data loading", TP_ROLE_DATALOADER)};
    case TP_VERDICT_COMMUNICATION_BOUND:
        return (struct tp_verdict_words){"Communication-bound", "",
                                         tp_text_printf(arena,
                                                        "%s of every step is communication that no computation hides.",
                                                        tp_text_of_percent(arena, shares->part[TP_ROLE_COMMUNICATION])),
                                         best_case(arena, shares, "Exposed communication", TP_ROLE_COMMUNICATION)};
    case TP_VERDICT_COPY_BOUND:
        return (struct tp_verdict_words){"Memory-copy-bound", "",
                                         tp_text_printf(arena,
                                                        "%s of every step is memory copies that no kernel hides.",
                                                        tp_text_of_percent(arena, shares->part[TP_ROLE_MEMCPY])),
                                         best_case(arena, shares, "Copying", TP_ROLE_MEMCPY)};
    case TP_VERDICT_LAUNCH_BOUND:
        return (struct tp_verdict_words){
            "Launch-bound", "",
            tp_text_printf(arena, "The GPU idles %s of every step, waiting for the host to launch work.", idle),
            tp_text_printf(
                arena, "A %s step keeps the GPU busy for %s. Launching early enough would save at most the other %s.",
                time_text(arena, shares->step_ns), time_text(arena, shares->step_ns * (1 - shares->idle / 100)),
                time_text(arena, shares->step_ns * shares->idle / 100))};
    case TP_VERDICT_GPU_BOUND:
        return (struct tp_verdict_words){
            "GPU-bound", "good",
            tp_text_printf(arena, "Kernels fill %s of every step.",
                           tp_text_of_percent(arena, shares->part[TP_ROLE_KERNEL])),
            tp_text_printf(arena,
                           "The GPU is idle for only %s of a %s step, so faster or fewer kernels are what shortens it.",
                           idle, time_text(arena, shares->step_ns))};
    case TP_VERDICT_CPU_BOUND:
        return (struct tp_verdict_words){
            "CPU-bound", "low",
            tp_text_printf(arena, "A step takes %s of host work.", time_text(arena, shares->step_ns)),
            "No device work was recorded."};
    default:
        return (struct tp_verdict_words){
            "Unclear", "low",
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

struct tp_verdict_words tp_section_verdict(struct tp_arena *arena, const struct tp_views *views,
                                           const struct tp_advice *advice)
{
    struct shares shares = shares_of(&views->overview);
    enum tp_verdict verdict = verdict_of(&views->overview, &shares);

    if (strcmp(advice->recommendations.program, "empty") == 0 || shares.step_ns <= 0)
        return (struct tp_verdict_words){"No data", "low", "This trace holds no work to judge.",
                                         "See the trace quality section for what was read."};
    if (views->facts.device_time_ns <= 0 && verdict != TP_VERDICT_INPUT_BOUND &&
        verdict != TP_VERDICT_COMMUNICATION_BOUND)
        return cpu_words(arena, &shares, &advice->recommendations);
    return words_of(arena, verdict, &shares);
}
