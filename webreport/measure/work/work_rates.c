/* Implements work_rates.h: computes shares of peaks. */
#include "webreport/measure/work/work_rates.h"

#include <math.h>

#include "writer/base/interval.h"
#include "writer/base/saturate.h"

/* minimum percentage of kernel time with a known cost; with less, the share of the peak would mislead */
static const double LEAST_KNOWN_PERCENT = 80;

struct sums {
    /* least time at the peak, ns. floor_ns: sum over all units; product_floor_ns: sum over products only */
    double floor_ns, product_floor_ns;
    /* kernel time, ns. product_ns: products with a known least time; untyped_ns: units whose type has no known peak */
    double product_ns, untyped_ns;
    /* kernel time of products, attention and convolutions, ns. known_ns: the part with a known cost; all_ns: all */
    double known_ns, all_ns;
    size_t near; /* position of the last search in the analysed steps, for tp_intervals_contain_near */
};

static bool is_matrix_work(unsigned work)
{
    return work == TP_WORK_GEMM || work == TP_WORK_ATTENTION || work == TP_WORK_CONVOLUTION;
}

static bool is_in_used_step(struct sums *sums, const struct tp_model *model, uint32_t device)
{
    return tp_intervals_contain_near(model->window, tp_device_event(model, device)->ts_ns, &sums->near);
}

static void add_unit(struct sums *sums, const struct tp_work_kinds *kinds, const struct tp_work_units *units,
                     const struct tp_work_unit *unit)
{
    const struct tp_model *model = kinds->model;
    const struct tp_peaks *peaks = units->peaks[model->devices.gpu[unit->main]];
    double floor_ns = peaks ? tp_work_floor_of_unit(model, units, unit, peaks).compute_ns : -1;
    bool is_product = kinds->of_device[unit->main] == TP_WORK_GEMM;
    if (!units->costs[unit->cost].flops || !is_in_used_step(sums, model, unit->main))
        return;
    if (floor_ns < 0) {
        sums->untyped_ns += (double)unit->ns;
        return;
    }
    floor_ns = floor_ns < (double)unit->ns ? floor_ns : (double)unit->ns;
    sums->floor_ns += floor_ns;
    sums->product_floor_ns += is_product ? floor_ns : 0;
    sums->product_ns += is_product ? (double)unit->ns : 0;
}

static void add_times(struct sums *sums, const struct tp_work_kinds *kinds, const struct tp_work_units *units)
{
    const struct tp_model *model = kinds->model;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        if (!is_matrix_work(kinds->of_device[k]) || !is_in_used_step(sums, model, k))
            continue;
        double ns = (double)tp_device_event(model, k)->dur_ns;
        sums->all_ns += ns;
        sums->known_ns += tp_work_unit_of(units, k) ? ns : 0;
    }
}

static double percent_or_nan(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static double matrix_work_ns(const int64_t *ns)
{
    return (double)ns[TP_WORK_GEMM] + (double)ns[TP_WORK_ATTENTION] + (double)ns[TP_WORK_CONVOLUTION];
}

static enum tp_rate_reason reason_for_no_rate(const struct tp_work_rates *rates, const struct sums *sums,
                                              const struct tp_work_units *units)
{
    double lost_ns = matrix_work_ns(units->impossible_ns);
    if (!rates->peaks)
        return TP_RATE_NO_PEAKS;
    if (lost_ns > (1 - LEAST_KNOWN_PERCENT / 100) * (lost_ns + matrix_work_ns(units->known_ns)))
        return TP_RATE_IMPOSSIBLE;
    if (!(sums->known_ns > 0))
        return units->untyped_count ? TP_RATE_NO_TYPES : TP_RATE_NO_COSTS;
    if (rates->known_percent < LEAST_KNOWN_PERCENT)
        return units->untyped_count ? TP_RATE_NO_TYPES : TP_RATE_FEW_COSTS;
    return sums->untyped_ns > (1 - LEAST_KNOWN_PERCENT / 100) * sums->all_ns ? TP_RATE_NO_TYPE : TP_RATE_KNOWN;
}

void tp_work_rates_init_empty(struct tp_work_rates *rates)
{
    *rates = (struct tp_work_rates){NAN, NAN, NAN, TP_RATE_NO_DEVICE, TP_RATE_NO_DEVICE, 0, false, NULL};
}

void tp_work_rates_build(struct tp_work_rates *rates, const struct tp_work_kinds *kinds,
                         const struct tp_work_units *units)
{
    const struct tp_model *model = kinds->model;
    struct sums sums = {0};
    tp_work_rates_init_empty(rates);
    if (!model->gpu_count)
        return;
    for (uint32_t gpu = 0; gpu < model->gpu_count && !rates->peaks; gpu++)
        rates->peaks = units->peaks[gpu];
    for (uint32_t i = 0; i < units->count; i++)
        add_unit(&sums, kinds, units, &units->items[i]);
    add_times(&sums, kinds, units);
    for (unsigned kind = 0; kind < TP_WORK_COUNT; kind++)
        rates->impossible_ns = tp_sat_add(rates->impossible_ns, units->impossible_ns[kind]);
    rates->known_percent = percent_or_nan(sums.known_ns, sums.all_ns);
    rates->products_reason = rates->step_reason = reason_for_no_rate(rates, &sums, units);
    if (rates->step_reason == TP_RATE_KNOWN)
        rates->step_percent = percent_or_nan(sums.floor_ns, (double)model->window_ns * model->gpu_count);
    if (rates->products_reason == TP_RATE_KNOWN)
        rates->products_percent = percent_or_nan(sums.product_floor_ns, sums.product_ns);
    if (rates->products_reason == TP_RATE_KNOWN && isnan(rates->products_percent))
        rates->products_reason = TP_RATE_NO_PRODUCTS;
    if (rates->step_percent > 100) {
        rates->step_percent = NAN;
        rates->step_reason = TP_RATE_IMPOSSIBLE;
    }
    rates->has_wrong_inputs = rates->step_reason == TP_RATE_NO_TYPES || rates->step_reason == TP_RATE_IMPOSSIBLE;
}

static struct tp_json_value peaks_device(const struct tp_record *record)
{
    const struct tp_work_rates *rates = record->at;
    return tp_json_value_text(rates->peaks ? rates->peaks->device : NULL);
}

static struct tp_json_value peaks_source(const struct tp_record *record)
{
    const struct tp_work_rates *rates = record->at;
    return tp_json_value_text(rates->peaks ? rates->peaks->source : NULL);
}

static struct tp_json_value peaks_are_measured(const struct tp_record *record)
{
    const struct tp_work_rates *rates = record->at;
    return tp_json_value_bool(rates->peaks && rates->peaks->is_measured);
}

#define F struct tp_work_rates
static const struct tp_json_field fields[] = {
    {"gemm_percent_of_peak", TP_PLAIN(F, products_percent),
     TP_DEFINITION("rate of floating-point operations that the matrix products reach, in percent of the device's peak; "
                   "null: unknown")},
    {"step_percent_of_peak", TP_PLAIN(F, step_percent),
     TP_DEFINITION(
         "rate of floating-point operations over the step time, in percent of the device's peak; null: unknown")},
    {"known_percent", TP_PLAIN(F, known_percent),
     TP_DEFINITION("share of the kernel time of matrix products, attention and convolutions whose number of operations "
                   "is known")},
    {"peaks", TP_COMPUTED(TP_AS_TEXT, peaks_device),
     TP_DEFINITION("name of the device whose peak rates are used; null: no peak rates are known")},
    {"source", TP_COMPUTED(TP_AS_TEXT, peaks_source),
     TP_DEFINITION("source of the peak rates: a publication or a measurement")},
    {"is_measured", TP_COMPUTED(TP_AS_BOOL, peaks_are_measured),
     TP_DEFINITION("true if the peak rates were measured instead of published")},
};
#undef F

const struct tp_fields tp_work_rates_fields = TP_FIELDS("Use of the device's peak", fields);
