/* Shares of peaks: see work_rates.h. */
#include "webreport/measure/work_rates.h"

#include <math.h>

#include "writer/base/interval.h"

/* A sum over operations of which this share of the time is not known would mislead. */
static const double LEAST_KNOWN_PERCENT = 80;

static const char NO_DEVICE[] = "no device events in the trace";
static const char NO_PEAKS[] = "no peaks are known of this device (--peaks FILE gives them)";
static const char NO_COSTS[] = "the trace has no shapes of matrix products (record_shapes=True)";
static const char FEW_COSTS[] = "the trace has the shapes of too few matrix products";
static const char NO_TYPE[] = "no peak is known of the type of these products (--peaks FILE gives it)";

struct sums {
    double floor_ns, product_floor_ns; /* least time at the peak */
    double product_ns, untyped_ns;     /* of kernels: of products with a floor; of those whose type has no peak */
    double known_ns, all_ns;           /* of products, attention and convolutions */
    size_t near;                       /* as tp_intervals_contain_near has it, of the window */
};

static bool is_matrix_work(unsigned work)
{
    return work == TP_WORK_GEMM || work == TP_WORK_ATTENTION || work == TP_WORK_CONVOLUTION;
}

static bool is_used(struct sums *sums, const struct tp_model *model, uint32_t device)
{
    return tp_intervals_contain_near(model->window, tp_device_event(model, device)->ts_ns, &sums->near);
}

static void add_unit(struct sums *sums, const struct tp_work_kinds *kinds, const struct tp_work_units *units,
                     const struct tp_work_unit *unit)
{
    const struct tp_model *model = kinds->model;
    const struct tp_cost *cost = &units->costs[unit->cost];
    const struct tp_peaks *peaks = units->peaks[model->devices.gpu[unit->main]];
    const struct tp_event *kernel = tp_device_event(model, unit->main);
    bool is_tf32 = model->marks[kernel->name] & TP_MARK_TF32;
    double tflops = peaks ? tp_peaks_tflops(peaks, cost->type, is_tf32) : 0;
    bool is_product = kinds->of_device[unit->main] == TP_WORK_GEMM;
    if (!cost->flops || !is_used(sums, model, unit->main))
        return;
    if (tflops <= 0) {
        sums->untyped_ns += (double)unit->ns;
        return;
    }
    double floor_ns = (double)cost->exact_flops / (tflops * 1e3);
    sums->floor_ns += floor_ns;
    sums->product_floor_ns += is_product ? floor_ns : 0;
    sums->product_ns += is_product ? (double)unit->ns : 0;
}

static void add_times(struct sums *sums, const struct tp_work_kinds *kinds, const struct tp_work_units *units)
{
    const struct tp_model *model = kinds->model;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        if (!is_matrix_work(kinds->of_device[k]) || !is_used(sums, model, k))
            continue;
        double ns = (double)tp_device_event(model, k)->dur_ns;
        sums->all_ns += ns;
        sums->known_ns += tp_work_unit_of(units, k) ? ns : 0;
    }
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static const char *why_not(const struct tp_work_rates *rates, const struct sums *sums)
{
    if (!rates->peaks)
        return NO_PEAKS;
    if (!(sums->known_ns > 0))
        return NO_COSTS;
    if (rates->known_percent < LEAST_KNOWN_PERCENT)
        return FEW_COSTS;
    return sums->untyped_ns > (1 - LEAST_KNOWN_PERCENT / 100) * sums->all_ns ? NO_TYPE : NULL;
}

void tp_work_rates_none(struct tp_work_rates *rates)
{
    *rates = (struct tp_work_rates){NAN, NAN, NAN, NO_DEVICE, NO_DEVICE, NULL};
}

void tp_work_rates_build(struct tp_work_rates *rates, const struct tp_work_kinds *kinds,
                         const struct tp_work_units *units)
{
    const struct tp_model *model = kinds->model;
    struct sums sums = {0};
    tp_work_rates_none(rates);
    if (!model->gpu_count)
        return;
    for (uint32_t gpu = 0; gpu < model->gpu_count && !rates->peaks; gpu++)
        rates->peaks = units->peaks[gpu];
    for (uint32_t i = 0; i < units->count; i++)
        add_unit(&sums, kinds, units, &units->items[i]);
    add_times(&sums, kinds, units);
    rates->known_percent = percent(sums.known_ns, sums.all_ns);
    rates->why_products = rates->why_step = why_not(rates, &sums);
    if (!rates->why_step)
        rates->step_percent = percent(sums.floor_ns, (double)model->window_ns * model->gpu_count);
    if (!rates->why_products)
        rates->products_percent = percent(sums.product_floor_ns, sums.product_ns);
    if (!rates->why_products && isnan(rates->products_percent))
        rates->why_products = "no matrix products in the used steps";
}

void tp_work_rates_json(const struct tp_work_rates *rates, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_real(json, "gemm_percent_of_peak", rates->products_percent);
    tp_json_member_real(json, "step_percent_of_peak", rates->step_percent);
    tp_json_member_real(json, "known_percent", rates->known_percent);
    tp_json_member_text(json, "peaks", rates->peaks ? rates->peaks->device : NULL);
    tp_json_member_text(json, "source", rates->peaks ? rates->peaks->source : NULL);
    tp_json_member_bool(json, "is_measured", rates->peaks && rates->peaks->is_measured);
    tp_json_object_end(json);
}
