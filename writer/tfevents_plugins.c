/* Writes the layout of TensorBoard's Custom Scalars and the table of HParams. */
#include "writer/tfevents.h"

#include <string.h>

#include "writer/proto/tb_event.pb-c.h"
#include "writer/proto/tb_plugins.pb-c.h"
#include "writer/tfevents_message.h"

enum { FLOAT = 1, STRING = 7, CLASS_TENSOR = 2, TYPE_STRING = 1, TYPE_NUMBER = 3, STATUS_SUCCESS = 1 };

/* ---- Custom Scalars ---- */

struct layout {
    Tp__Chart charts[TP_TF_MAX_CHARTS], *chart_list[TP_TF_MAX_CHARTS];
    Tp__Multiline multilines[TP_TF_MAX_CHARTS];
    Tp__Margin margins[TP_TF_MAX_CHARTS];
    Tp__MarginSeries series[TP_TF_MAX_CHARTS], *series_list[TP_TF_MAX_CHARTS];
    char *tags[TP_TF_MAX_CHARTS];
    Tp__Category categories[TP_TF_MAX_CHARTS], *category_list[TP_TF_MAX_CHARTS];
};

static void fill_chart(struct layout *layout, size_t i, const struct tp_tf_chart *chart)
{
    Tp__Chart *out = layout->chart_list[i] = &layout->charts[i];
    tp__chart__init(out);
    out->title = tp_tfevents_chars(chart->title);
    if (chart->tags) {
        Tp__Multiline *lines = &layout->multilines[i];
        tp__multiline__init(lines);
        layout->tags[i] = tp_tfevents_chars(chart->tags);
        lines->n_tag = 1;
        lines->tag = &layout->tags[i];
        out->content_case = TP__CHART__CONTENT_MULTILINE;
        out->multiline = lines;
        return;
    }
    Tp__MarginSeries *series = layout->series_list[i] = &layout->series[i];
    tp__margin_series__init(series);
    series->value = tp_tfevents_chars(chart->middle);
    series->lower = tp_tfevents_chars(chart->low);
    series->upper = tp_tfevents_chars(chart->high);
    tp__margin__init(&layout->margins[i]);
    layout->margins[i].n_series = 1;
    layout->margins[i].series = &layout->series_list[i];
    out->content_case = TP__CHART__CONTENT_MARGIN;
    out->margin = &layout->margins[i];
}

void tp_tfevents_put_layout(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_chart *charts,
                            size_t count)
{
    struct layout layout;
    Tp__Layout message = TP__LAYOUT__INIT;
    struct tp_buf packed;
    message.category = layout.category_list;
    for (size_t i = 0; i < count && i < TP_TF_MAX_CHARTS; i++) {
        Tp__Category *category = message.n_category ? layout.category_list[message.n_category - 1] : NULL;
        fill_chart(&layout, i, &charts[i]);
        if (!category || strcmp(category->title, charts[i].category) != 0) {
            category = layout.category_list[message.n_category] = &layout.categories[message.n_category];
            tp__category__init(category);
            category->title = tp_tfevents_chars(charts[i].category);
            category->chart = &layout.chart_list[i];
            message.n_category++;
        }
        category->n_chart++;
    }
    tp_buf_init(&packed, events->out.max_bytes);
    ProtobufCBinaryData text = tp_tfevents_pack(&packed, &message.base);
    Tp__TensorShape scalar = TP__TENSOR_SHAPE__INIT;
    Tp__Tensor tensor = TP__TENSOR__INIT;
    Tp__Value value = TP__VALUE__INIT;
    tensor.dtype = STRING;
    tensor.tensor_shape = &scalar;
    tensor.n_string_val = 1;
    tensor.string_val = &text;
    value.tag = tp_tfevents_chars("custom_scalars__config__");
    value.value_case = TP__VALUE__VALUE_TENSOR;
    value.tensor = &tensor;
    tp_tfevents_put_value(events, at, &value, &(struct tp_tfevents_plugin){"custom_scalars", NULL, CLASS_TENSOR, {0}});
    tp_tfevents_end_pack(events, &packed);
}

/* ---- HParams ---- */

/* Writes a value that has only metadata. An empty tensor is added, because the slow loader of TensorBoard fails without
 * a value. */
static void put_hparams(struct tp_tfevents *events, struct tp_tfevents_at at, const char *tag,
                        const Tp__HParamsPluginData *data)
{
    struct tp_buf packed;
    Tp__Dim none = TP__DIM__INIT, *dims = &none;
    Tp__TensorShape shape = TP__TENSOR_SHAPE__INIT;
    Tp__Tensor tensor = TP__TENSOR__INIT;
    Tp__Value value = TP__VALUE__INIT;
    tp_buf_init(&packed, events->out.max_bytes);
    shape.n_dim = 1;
    shape.dim = &dims;
    tensor.dtype = FLOAT;
    tensor.tensor_shape = &shape;
    value.tag = tp_tfevents_chars(tag);
    value.value_case = TP__VALUE__VALUE_TENSOR;
    value.tensor = &tensor;
    struct tp_tfevents_plugin plugin = {"hparams", NULL, CLASS_TENSOR, tp_tfevents_pack(&packed, &data->base)};
    tp_tfevents_put_value(events, at, &value, &plugin);
    tp_tfevents_end_pack(events, &packed);
}

void tp_tfevents_put_experiment(struct tp_tfevents *events, struct tp_tfevents_at at,
                                const struct tp_tf_hparam *hparams, size_t hparam_count,
                                const struct tp_tf_metric *metrics, size_t metric_count)
{
    Tp__HParamInfo infos[TP_TF_MAX_HPARAMS], *info_list[TP_TF_MAX_HPARAMS];
    Tp__MetricInfo columns[TP_TF_MAX_HPARAMS], *column_list[TP_TF_MAX_HPARAMS];
    Tp__MetricName names[TP_TF_MAX_HPARAMS];
    Tp__Experiment experiment = TP__EXPERIMENT__INIT;
    Tp__HParamsPluginData data = TP__HPARAMS_PLUGIN_DATA__INIT;
    for (size_t i = 0; i < hparam_count && i < TP_TF_MAX_HPARAMS; i++) {
        tp__hparam_info__init(&infos[i]);
        infos[i].name = tp_tfevents_chars(hparams[i].name);
        infos[i].display_name = tp_tfevents_chars(hparams[i].title);
        infos[i].type = hparams[i].text ? TYPE_STRING : TYPE_NUMBER;
        info_list[experiment.n_hparam_infos++] = &infos[i];
    }
    for (size_t i = 0; i < metric_count && i < TP_TF_MAX_HPARAMS; i++) {
        tp__metric_name__init(&names[i]);
        names[i].tag = tp_tfevents_chars(metrics[i].tag);
        tp__metric_info__init(&columns[i]);
        columns[i].name = &names[i];
        columns[i].display_name = tp_tfevents_chars(metrics[i].title);
        columns[i].description = tp_tfevents_chars(metrics[i].description);
        column_list[experiment.n_metric_infos++] = &columns[i];
    }
    experiment.hparam_infos = info_list;
    experiment.metric_infos = column_list;
    data.data_case = TP__HPARAMS_PLUGIN_DATA__DATA_EXPERIMENT;
    data.experiment = &experiment;
    put_hparams(events, at, "_hparams_/experiment", &data);
}

void tp_tfevents_put_session_start(struct tp_tfevents *events, struct tp_tfevents_at at,
                                   const struct tp_tf_hparam *hparams, size_t count)
{
    Tp__HParamEntry entries[TP_TF_MAX_HPARAMS], *list[TP_TF_MAX_HPARAMS];
    Tp__GValue values[TP_TF_MAX_HPARAMS];
    Tp__SessionStartInfo start = TP__SESSION_START_INFO__INIT;
    Tp__HParamsPluginData data = TP__HPARAMS_PLUGIN_DATA__INIT;
    for (size_t i = 0; i < count && i < TP_TF_MAX_HPARAMS; i++) {
        tp__gvalue__init(&values[i]);
        if (hparams[i].text) {
            values[i].kind_case = TP__GVALUE__KIND_STRING_VALUE;
            values[i].string_value = tp_tfevents_chars(hparams[i].text);
        } else {
            values[i].kind_case = TP__GVALUE__KIND_NUMBER_VALUE;
            values[i].number_value = hparams[i].number;
        }
        tp__hparam_entry__init(&entries[i]);
        entries[i].key = tp_tfevents_chars(hparams[i].name);
        entries[i].value = &values[i];
        list[start.n_hparams++] = &entries[i];
    }
    start.hparams = list;
    start.start_time_secs = at.wall_s;
    data.data_case = TP__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO;
    data.session_start_info = &start;
    put_hparams(events, at, "_hparams_/session_start_info", &data);
}

void tp_tfevents_put_session_end(struct tp_tfevents *events, struct tp_tfevents_at at)
{
    Tp__SessionEndInfo end = TP__SESSION_END_INFO__INIT;
    Tp__HParamsPluginData data = TP__HPARAMS_PLUGIN_DATA__INIT;
    end.status = STATUS_SUCCESS;
    end.end_time_secs = at.wall_s;
    data.data_case = TP__HPARAMS_PLUGIN_DATA__DATA_SESSION_END_INFO;
    data.session_end_info = &end;
    put_hparams(events, at, "_hparams_/session_end_info", &data);
}
