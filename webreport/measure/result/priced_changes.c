/* Implements priced_changes.h. */
#include "webreport/measure/result/priced_changes.h"

#include "webreport/measure/views/trace_quality.h"
#include "webreport/measure/work/peaks.h"
#include "webreport/what_if/what_if_view_build.h"

/* Fills the peak rates of a device that the user names with one word. Of several variants, takes the fastest. */
static bool find_rates(struct tp_str name, struct tp_device_rates *rates)
{
    static const char *const rows[][2] = {{"V100", "NVIDIA V100 SXM2"},
                                          {"A100", "NVIDIA A100 80GB SXM"},
                                          {"H100", "NVIDIA H100 SXM"},
                                          {"H200", "NVIDIA H200 SXM"},
                                          {"B200", "NVIDIA B200"}};
    const struct tp_peaks *peaks = tp_peaks_by_name(name, TP_NULL_INT);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; tp_str_equal(name, tp_str_of(rows[i][0])) && tp_peaks_row(k); k++)
            if (strcmp(tp_peaks_row(k)->device, rows[i][1]) == 0)
                peaks = tp_peaks_row(k);
    if (!peaks)
        return false;
    *rates = (struct tp_device_rates){(int64_t)peaks->tflops[TP_PEAK_FP16], (int64_t)peaks->memory_gb_s};
    return true;
}

/* Context of price_in_guards. */
struct pricing {
    struct tp_what_if_view *result;
    const struct tp_model *model;
    const struct tp_rank_model *ranks;
    uint32_t rank_count;
    const struct tp_asked_changes *asked;
    struct tp_arena *keep, temporary;
};

static int price_in_guards(void *context, struct tp_error *err)
{
    struct pricing *pricing = context;
    const struct tp_what_if_question question = {
        .model = pricing->model,
        .ranks = pricing->ranks,
        .rank_count = pricing->rank_count,
        .changes = pricing->asked->texts,
        .change_count = pricing->asked->count,
        .most_nodes = pricing->asked->most_nodes,
        .fixes = pricing->asked->fixes,
        .wants_times = pricing->asked->wants_times,
        .is_host_slowed = tp_is_host_slowed_by_recording(pricing->model, &pricing->temporary),
        .rates = find_rates};
    return tp_what_if_view_build(pricing->result, &question, pricing->keep, &pricing->temporary, err);
}

static int price(struct pricing *pricing, struct tp_error *err)
{
    tp_arena_init(&pricing->temporary, 0);
    int code = tp_arena_run_both(pricing->keep, &pricing->temporary, price_in_guards, pricing, err);
    bool has_failed = pricing->keep->code || pricing->temporary.code;
    tp_arena_release(&pricing->temporary);
    if (has_failed)
        tp_arena_fail(pricing->keep, code);
    return code;
}

int tp_changes_price(struct tp_what_if_view *result, const struct tp_model *model, const struct tp_asked_changes *asked,
                     struct tp_arena *arena, struct tp_error *err)
{
    struct pricing pricing = {.result = result, .model = model, .asked = asked, .keep = arena};
    return price(&pricing, err);
}

int tp_changes_price_ranks(struct tp_what_if_view *result, const struct tp_rank_model *ranks, uint32_t count,
                           const struct tp_asked_changes *asked, struct tp_arena *arena, struct tp_error *err)
{
    struct pricing pricing = {
        .result = result, .model = ranks[0].model, .ranks = ranks, .rank_count = count, .asked = asked, .keep = arena};
    return price(&pricing, err);
}

/* Prices the changes of an array in which the first is TP_CHANGE_HOST_FREE. */
static int price_with_first(struct tp_what_if_view *view, const struct tp_model *model, const struct tp_str *texts,
                            size_t count, struct tp_arena *arena, struct tp_error *err)
{
    return tp_changes_price(view, model, &(struct tp_asked_changes){.texts = texts, .count = count}, arena, err);
}

/* Sets the gain from the answer at `at`. A withheld trace has answers without value. */
static void take_gain(struct tp_change_gain *gain, const struct tp_what_if_view *view, uint32_t at)
{
    gain->low_ns = !view->withheld && at < view->answer_count ? view->answers[at].gain_low_ns : TP_NULL_INT;
}

void tp_change_gains_build(struct tp_change_gains *gains, struct tp_what_if_view *view, const struct tp_model *model,
                           const struct tp_asked_changes *asked, struct tp_arena *arena)
{
    struct tp_str *texts = tp_arena_array(arena, asked->count + 1, sizeof *texts);
    texts[0] = TP_STR(TP_CHANGE_HOST_FREE);
    gains->items = tp_arena_array(arena, asked->count, sizeof *gains->items);
    gains->count = (uint32_t)asked->count;
    for (size_t i = 0; i < asked->count; i++)
        texts[i + 1] = gains->items[i].change = asked->texts[i];
    if (price_with_first(view, model, texts, asked->count + 1, arena, NULL) == 0) {
        for (uint32_t i = 0; i < gains->count; i++)
            take_gain(&gains->items[i], view, i + 1);
        return;
    }
    /* one of the changes cannot be read: prices each one alone */
    for (uint32_t i = 0; i < gains->count; i++) {
        struct tp_str pair[] = {texts[0], texts[i + 1]};
        struct tp_error why = {0};
        int code = price_with_first(view, model, pair, 2, arena, &why);
        gains->items[i].low_ns = TP_NULL_INT;
        if (code < 0)
            gains->items[i].why = tp_arena_copy(arena, why.text, strlen(why.text));
        else
            take_gain(&gains->items[i], view, 1);
    }
    price_with_first(view, model, texts, 1, arena, NULL);
}
