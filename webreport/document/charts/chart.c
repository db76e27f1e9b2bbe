/* Parts shared by all charts: categories, percentages, ticks, and the 100 % bar. */
#include "webreport/document/charts/chart.h"

#include <math.h>

#include "writer/base/utf8.h"
#include "writer/text/format.h"

static const struct {
    /* gpu_label, cpu_label: labels for programs with and without a GPU; NULL if the label depends on the producer */
    const char *name, *fill, *ink, *gpu_label, *cpu_label;
    unsigned average;
} KINDS[TP_CHART_KINDS] = {
    [TP_CHART_KERNEL] = {"kernel", "#2160B8", "#FFFFFF", "{GPU} kernels", "Kernels", TP_CATEGORY_KERNEL},
    [TP_CHART_COMM] = {"comm", "#6F3F86", "#FFFFFF", "Communication", "Communication", TP_CATEGORY_COMMUNICATION},
    [TP_CHART_MEMCPY] = {"memcpy", "#0C8F63", "#FFFFFF", "Memory copies", "Memory copies", TP_CATEGORY_MEMCPY},
    [TP_CHART_MEMSET] = {"memset", "#E3C62B", "#14181D", "Memory sets", "Memory sets", TP_CATEGORY_MEMSET},
    [TP_CHART_RUNTIME] = {"runtime", "#CB8017", "#14181D", NULL, NULL, TP_CATEGORY_RUNTIME},
    [TP_CHART_DATA] = {"data", "#B92B27", "#FFFFFF", NULL, NULL, TP_CATEGORY_DATALOADER},
    [TP_CHART_CPU] = {"cpu", "#67C7E8", "#14181D", "CPU work", NULL, TP_CATEGORY_CPU_EXEC},
    [TP_CHART_OTHER] = {"other", "#8C949E", "#14181D", "Other", "Other", TP_AVERAGE_OTHER},
};

const char *tp_chart_label(enum tp_chart_kind kind, bool is_gpu, const struct tp_model *model, struct tp_arena *arena)
{
    if (kind == TP_CHART_DATA)
        return tp_phrase(TP_PHRASE_INPUT, model->producer);
    if (kind == TP_CHART_RUNTIME)
        return tp_phrase(TP_PHRASE_CALLS, model->producer);
    if (kind == TP_CHART_CPU && !is_gpu)
        return tp_phrase(TP_PHRASE_HOST_WORK, model->producer);
    return is_gpu ? tp_words_for_trace(model, KINDS[kind].gpu_label, arena) : KINDS[kind].cpu_label;
}

unsigned tp_chart_average_index_of_kind(enum tp_chart_kind kind)
{
    return KINDS[kind].average;
}

void tp_chart_put_kind(struct tp_object *object, enum tp_chart_kind kind)
{
    tp_object_add_text(object, "kind", KINDS[kind].name);
    tp_object_add_text(object, "fill", KINDS[kind].fill);
    tp_object_add_text(object, "ink", KINDS[kind].ink);
}

struct tp_str tp_chart_label_of_box(struct tp_arena *arena, struct tp_str name, double percent)
{
    static const double LETTER = 0.58, MARGIN = 0.8;
    enum { LEAST_LETTERS = 3 };
    double letters = (percent - MARGIN) / LETTER;
    if (letters >= (double)name.len)
        return name;
    if (letters < LEAST_LETTERS + 1)
        return TP_STR("");
    size_t size = tp_utf8_fitting_bytes(name.ptr, name.len, (size_t)letters - 1);
    return tp_str_of(tp_text_printf(arena, "%.*s\xe2\x80\xa6", (int)size, name.ptr));
}

void tp_chart_put_percent(struct tp_object *object, const char *name, double percent)
{
    if (!(percent > 0)) /* the condition is also true for NaN */
        percent = 0;
    if (percent > 100)
        percent = 100;
    tp_object_add_formatted(object, name, "%.6g%%", round(percent * 1000) / 1000);
}

void tp_chart_put_split_bar(struct tp_object *object, struct tp_arena *arena, const struct tp_chart_part *parts,
                            size_t count)
{
    struct tp_list *list = tp_object_add_list(object, "parts");
    double total = 0, x = 0;

    for (size_t i = 0; i < count; i++)
        total += parts[i].ns > 0 ? parts[i].ns : 0;
    for (size_t i = 0; i < count && total > 0; i++) {
        const struct tp_chart_part *part = &parts[i];
        double share = 100 * part->ns / total;
        const char *amount, *percent;
        struct tp_object *box;

        if (!(part->ns > 0))
            continue;
        amount = tp_text_of_time(arena, (int64_t)llround(part->ns));
        percent = tp_text_of_percent(arena, share);
        box = tp_list_add_object(list);
        tp_chart_put_kind(box, part->kind);
        tp_chart_put_percent(box, "x", x);
        tp_chart_put_percent(box, "w", share);
        tp_object_add_text(box, "label", part->label);
        tp_object_add_text(box, "amount", amount);
        tp_object_add_text(box, "share", percent);
        tp_object_add_text(box, "definition", part->definition);
        tp_object_add_text(box, "tip", tp_text_printf(arena, "%s: %s, %s", part->label, amount, percent));
        tp_object_add_bool(box, "is_wide", share >= 16);
        x += share;
    }
}

double tp_chart_tick_distance(double max, double *top)
{
    double power = pow(10, floor(log10(max / 4))), ratio = max / 4 / power;
    double step = power * (ratio > 5 ? 10 : ratio > 2.5 ? 5 : ratio > 2 ? 2.5 : ratio > 1 ? 2 : 1);

    *top = step * ceil(max / step - 1e-9);
    return step;
}

double tp_chart_byte_tick_distance(double max, double *top)
{
    double unit = 1;

    while (unit * 1024 <= max)
        unit *= 1024;
    double tick = tp_chart_tick_distance(max / unit, top) * unit;
    *top *= unit;
    return tick;
}
