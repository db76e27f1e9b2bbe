/* Implements tracepress_tensor: writes statistics to the spool, and values to separate files. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/recorder.h"
#include "collector/session.h"
#include "collector/tensor_file.h"
#include "writer/base/environment.h"
#include "writer/tensor.h"

static_assert((int)TRACEPRESS_FLOAT == TP_DTYPE_FLOAT32 && (int)TRACEPRESS_DOUBLE == TP_DTYPE_FLOAT64 &&
                  (int)TRACEPRESS_HALF == TP_DTYPE_FLOAT16 && (int)TRACEPRESS_BFLOAT16 == TP_DTYPE_BFLOAT16 &&
                  (int)TRACEPRESS_INT8 == TP_DTYPE_INT8 && (int)TRACEPRESS_UINT8 == TP_DTYPE_UINT8 &&
                  (int)TRACEPRESS_INT16 == TP_DTYPE_INT16 && (int)TRACEPRESS_INT32 == TP_DTYPE_INT32 &&
                  (int)TRACEPRESS_INT64 == TP_DTYPE_INT64 && (int)TRACEPRESS_BOOL == TP_DTYPE_BOOL,
              "one list of types");
static_assert((int)TP_NPY_MAX_RANK == (int)TP_SPOOL_MAX_RANK, "one greatest rank");
static_assert(sizeof(struct tp_spool_tensor) % TP_SPOOL_SLOT == 0, "whole slots");

/* maximum total size of the values in all files of a process, bytes, unless TRACEPRESS_TENSOR_MB is set */
static const uint64_t MAX_BYTES = 64ull << 30;

static _Atomic uint64_t kept_bytes;
static _Atomic uint32_t failed_recording; /* number of the recording that writes no more values after a failure */

static uint64_t max_value_bytes(void)
{
    const char *text = tp_environment("TRACEPRESS_TENSOR_MB");
    char *end;
    unsigned long long megabytes = text && *text ? strtoull(text, &end, 10) : 0;
    bool is_given = text && *text && *end == '\0' && megabytes < UINT64_MAX >> 20;
    return is_given ? (uint64_t)megabytes << 20 : MAX_BYTES;
}

/* Writes the values, unless an earlier file of this recording failed. Returns false if the values are not stored,
 * which is reported once. */
static bool store_values(const struct tp_session_place *place, const char *path, const struct tp_tensor_values *values)
{
    if (atomic_load(&failed_recording) == place->recording)
        return false;
    int code = atomic_fetch_add(&kept_bytes, values->size) + values->size > max_value_bytes()
                   ? EFBIG
                   : tp_tensor_write(place, path, values);
    if (code == 0)
        return true;
    atomic_fetch_sub(&kept_bytes, values->size);
    atomic_store(&failed_recording, place->recording);
    tp_session_print_message(TP_SEVERITY_DETAIL, "values of tensors are no longer stored; their statistics still are",
                             strerror(code));
    return false;
}

static void put_tensor(tracepress_name name, const struct tp_spool_tensor *tensor, const int64_t *dims,
                       const char *path)
{
    const uint32_t head = sizeof *tensor / TP_SPOOL_SLOT, shape = (tensor->rank + 1) / 2;
    uint32_t text = tensor->values == TP_SPOOL_VALUES_FILE ? (uint32_t)strlen(path) : 0;
    uint32_t slots = head + shape + (text + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT;
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (!record)
        return;
    memcpy(record + 1, tensor, sizeof *tensor);
    if (tensor->rank)
        memcpy(record + 1 + head, dims, tensor->rank * sizeof *dims);
    if (text)
        memcpy(record + 1 + head + shape, path, text);
    tp_record_finish(record, name, TP_SPOOL_TENSOR, slots, text);
}

void tracepress_record_tensor_(tracepress_name name, const struct tracepress_input *shape, const void *data,
                               enum tracepress_tensor_mode mode)
{
    struct tp_session_place place;
    struct tp_tensor_stats stats;
    char path[TP_TENSOR_PATH] = "";
    uint64_t count;
    size_t size = tp_dtype_size((uint32_t)shape->dtype);
    if (!size || shape->rank > TP_SPOOL_MAX_RANK || (shape->rank && !shape->dims) ||
        !tp_tensor_count_elements(&count, (uint32_t)shape->dtype, shape->rank, shape->dims) || (count && !data)) {
        tp_session_count_dropped();
        return;
    }
    if (!tp_session_place(&place, name))
        return;
    tp_tensor_stats(&stats, (uint32_t)shape->dtype, data, count);
    struct tp_spool_tensor tensor = {.count = stats.count,
                                     .zero_count = stats.zero_count,
                                     .nan_count = stats.nan_count,
                                     .inf_count = stats.inf_count,
                                     .min = stats.min,
                                     .max = stats.max,
                                     .mean = stats.mean,
                                     .std = stats.std,
                                     .l2 = stats.l2,
                                     .step = place.step,
                                     .dtype = (uint32_t)shape->dtype,
                                     .rank = shape->rank};
    if (mode == TRACEPRESS_VALUES) {
        const struct tp_tensor_values values = {tensor.dtype, shape->rank, shape->dims, data, (size_t)count * size};
        tp_tensor_path(path, &place);
        tensor.values = store_values(&place, path, &values) ? TP_SPOOL_VALUES_FILE : TP_SPOOL_VALUES_FAILED;
    }
    put_tensor(name, &tensor, shape->dims, path);
}
