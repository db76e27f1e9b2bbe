/* Writes TensorBoard event files: the framing of records, and the values that all dashboards share. Messages of
 * plugins are in tfevents_plugins.c and tfevents_graph.c. */
#include "writer/tfevents.h"

#include <math.h>

#include "writer/base/crc32c.h"
#include "writer/proto/tb_event.pb-c.h"
#include "writer/tfevents_message.h"

enum { SCALARS_PER_EVENT = 64, BUCKETS = 30, STRING = 7 };
enum { CLASS_SCALAR = 1, CLASS_TENSOR = 2 };

/* ---- records ---- */

static void put_little_endian(unsigned char *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

static void add_crc(struct tp_buf *out, const void *bytes, size_t size)
{
    unsigned char crc[4];
    put_little_endian(crc, tp_crc32c_masked(tp_crc32c(bytes, size)), sizeof crc);
    tp_buf_add(out, crc, sizeof crc);
}

ProtobufCBinaryData tp_tfevents_pack(struct tp_buf *out, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    if (tp_buf_reserve(out, size))
        return (ProtobufCBinaryData){0};
    size_t start = out->size;
    protobuf_c_message_pack(message, (uint8_t *)out->data + start);
    out->size += size;
    out->data[out->size] = '\0';
    return (ProtobufCBinaryData){.len = size, .data = (uint8_t *)out->data + start};
}

void tp_tfevents_end_pack(struct tp_tfevents *events, struct tp_buf *packed)
{
    if (packed->failed && !events->out.failed)
        events->out.failed = packed->failed;
    tp_buf_release(packed);
}

void tp_tfevents_put(struct tp_tfevents *events, const ProtobufCMessage *event)
{
    unsigned char length[8];
    size_t size = protobuf_c_message_get_packed_size(event);
    /* reserves room for the whole record, so that no record is partial */
    if (tp_buf_reserve(&events->out, size + 16))
        return;
    put_little_endian(length, size, sizeof length);
    tp_buf_add(&events->out, length, sizeof length);
    add_crc(&events->out, length, sizeof length);
    ProtobufCBinaryData data = tp_tfevents_pack(&events->out, event);
    add_crc(&events->out, data.data, data.len);
}

void tp_tfevents_init(struct tp_tfevents *events, size_t max_bytes)
{
    tp_buf_init(&events->out, max_bytes);
}

void tp_tfevents_release(struct tp_tfevents *events)
{
    tp_buf_release(&events->out);
}

void tp_tfevents_begin(struct tp_tfevents *events, double wall_s)
{
    Tp__SourceMetadata source = TP__SOURCE_METADATA__INIT;
    Tp__Event event = TP__EVENT__INIT;
    source.writer = tp_tfevents_chars("tracepress");
    event.wall_time = wall_s;
    event.what_case = TP__EVENT__WHAT_FILE_VERSION;
    event.file_version = tp_tfevents_chars("brain.Event:2");
    event.source_metadata = &source;
    tp_tfevents_put(events, &event.base);
}

/* ---- values ---- */

static void put_summary(struct tp_tfevents *events, struct tp_tfevents_at at, Tp__Value **values, size_t count)
{
    Tp__Summary summary = TP__SUMMARY__INIT;
    Tp__Event event = TP__EVENT__INIT;
    summary.n_value = count;
    summary.value = values;
    event.wall_time = at.wall_s;
    event.step = at.step;
    event.what_case = TP__EVENT__WHAT_SUMMARY;
    event.summary = &summary;
    tp_tfevents_put(events, &event.base);
}

void tp_tfevents_put_value(struct tp_tfevents *events, struct tp_tfevents_at at, void *value,
                           const struct tp_tfevents_plugin *plugin)
{
    Tp__PluginData data = TP__PLUGIN_DATA__INIT;
    Tp__SummaryMetadata metadata = TP__SUMMARY_METADATA__INIT;
    Tp__Value *only = value;
    data.plugin_name = tp_tfevents_chars(plugin->name);
    data.content = plugin->content;
    metadata.plugin_data = &data;
    metadata.summary_description = tp_tfevents_chars(plugin->description);
    metadata.data_class = plugin->data_class;
    only->metadata = &metadata;
    put_summary(events, at, &only, 1);
    only->metadata = NULL;
}

/* Writes one event with at most SCALARS_PER_EVENT scalars. */
static void put_scalars(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_scalar *scalars,
                        size_t count)
{
    Tp__Value values[SCALARS_PER_EVENT], *list[SCALARS_PER_EVENT];
    Tp__SummaryMetadata metadata[SCALARS_PER_EVENT];
    Tp__PluginData data = TP__PLUGIN_DATA__INIT;
    size_t used = 0;
    data.plugin_name = tp_tfevents_chars("scalars");
    for (size_t i = 0; i < count; i++) {
        if (isnan(scalars[i].value))
            continue;
        tp__value__init(&values[used]);
        values[used].tag = tp_tfevents_chars(scalars[i].tag);
        values[used].value_case = TP__VALUE__VALUE_SIMPLE_VALUE;
        values[used].simple_value = (float)scalars[i].value;
        if (scalars[i].is_first) {
            tp__summary_metadata__init(&metadata[used]);
            metadata[used].plugin_data = &data;
            metadata[used].data_class = CLASS_SCALAR;
            metadata[used].summary_description = tp_tfevents_chars(scalars[i].description);
            values[used].metadata = &metadata[used];
        }
        list[used] = &values[used];
        used++;
    }
    if (used)
        put_summary(events, at, list, used);
}

void tp_tfevents_put_scalars(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_scalar *scalars,
                             size_t count)
{
    for (size_t i = 0; i < count; i += SCALARS_PER_EVENT)
        put_scalars(events, at, scalars + i, count - i < SCALARS_PER_EVENT ? count - i : SCALARS_PER_EVENT);
}

/* ---- histograms ---- */

/* Fills the right edges of the buckets between lowest and highest. The last edge is `highest` itself. Returns the
 * number of edges. */
static size_t make_edges(double *edges, double lowest, double highest)
{
    bool has_ratio = lowest > 0;
    double from = has_ratio ? log(lowest) : lowest, to = has_ratio ? log(highest) : highest;
    if (lowest >= highest) {
        edges[0] = highest;
        return 1;
    }
    for (int i = 1; i < BUCKETS; i++) {
        double edge = from + (to - from) * i / BUCKETS;
        edges[i - 1] = has_ratio ? exp(edge) : edge;
    }
    edges[BUCKETS - 1] = highest;
    return BUCKETS;
}

static size_t find_bucket(const double *edges, size_t count, double value)
{
    size_t low = 0, high = count - 1;
    while (low < high) { /* finds the first edge that is not below the value */
        size_t middle = (low + high) / 2;
        if (edges[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tp_tfevents_put_histogram(struct tp_tfevents *events, struct tp_tfevents_at at, const char *tag,
                               const char *description, const double *values, size_t count)
{
    double edges[BUCKETS], counts[BUCKETS] = {0};
    Tp__Histogram histogram = TP__HISTOGRAM__INIT;
    Tp__Value value = TP__VALUE__INIT;
    if (count == 0)
        return;
    histogram.min = histogram.max = values[0];
    histogram.num = (double)count;
    for (size_t i = 0; i < count; i++) {
        histogram.min = fmin(histogram.min, values[i]);
        histogram.max = fmax(histogram.max, values[i]);
        histogram.sum += values[i];
        histogram.sum_squares += values[i] * values[i];
    }
    histogram.n_bucket = histogram.n_bucket_limit = make_edges(edges, histogram.min, histogram.max);
    for (size_t i = 0; i < count; i++)
        counts[find_bucket(edges, histogram.n_bucket, values[i])]++;
    histogram.bucket_limit = edges;
    histogram.bucket = counts;
    value.tag = tp_tfevents_chars(tag);
    value.value_case = TP__VALUE__VALUE_HISTO;
    value.histo = &histogram;
    tp_tfevents_put_value(events, at, &value,
                          &(struct tp_tfevents_plugin){"histograms", description, CLASS_TENSOR, {0}});
}

/* ---- text ---- */

void tp_tfevents_put_text(struct tp_tfevents *events, struct tp_tfevents_at at, const char *tag,
                          const char *description, struct tp_str markdown)
{
    ProtobufCBinaryData text = tp_tfevents_bytes(markdown);
    Tp__TensorShape scalar = TP__TENSOR_SHAPE__INIT;
    Tp__Tensor tensor = TP__TENSOR__INIT;
    Tp__Value value = TP__VALUE__INIT;
    tensor.dtype = STRING;
    tensor.tensor_shape = &scalar;
    tensor.n_string_val = 1;
    tensor.string_val = &text;
    value.tag = tp_tfevents_chars(tag);
    value.value_case = TP__VALUE__VALUE_TENSOR;
    value.tensor = &tensor;
    tp_tfevents_put_value(events, at, &value, &(struct tp_tfevents_plugin){"text", description, CLASS_TENSOR, {0}});
}
