/* Converts arbitrary bytes, as a trace, to an event file. Records must be complete with correct checksums, and equal
 * input must give equal bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/made_profile.h"
#include "webreport/export/tfevents/export_tfevents.h"
#include "webreport/session/trace_analysis.h"
#include "writer/base/crc32c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static uint64_t read_little_endian(const char *p, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)(unsigned char)p[i] << 8 * i;
    return value;
}

static void check_records(const struct tp_buf *out)
{
    for (size_t at = 0; at < out->size;) {
        abort_unless(out->size - at >= 16);
        uint64_t length = read_little_endian(out->data + at, 8);
        abort_unless(length <= out->size - at - 16);
        abort_unless(read_little_endian(out->data + at + 12 + length, 4) ==
                     tp_crc32c_masked(tp_crc32c_plain(out->data + at + 12, (size_t)length)));
        at += (size_t)length + 16;
    }
}

static void export_events(struct tp_analysis *a)
{
    struct tp_tfevents events[2];
    struct tp_profile profile = make_profile_of_analysis(a);
    const struct tp_export job = {
        .profile = &profile, .out = ".", .folder = ".", .run = "run", .worker = "w", .arena = &a->arena};
    tp_analysis_build(a, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        tp_tfevents_init(&events[i], 64u << 20);
        int code = tp_export_tfevents_build(&job, &events[i]);
        abort_unless(code == TP_OK || code == TP_ELIMIT || code == TP_ENOMEM);
        check_records(&events[i].out);
    }
    abort_unless(events[0].out.size == events[1].out.size &&
                 memcmp(events[0].out.data, events[1].out.data, events[0].out.size) == 0);
    tp_tfevents_release(&events[0]);
    tp_tfevents_release(&events[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_analysis analysis;
    struct tp_trace_options options = {.single_thread = true, .max_input_bytes = 16u << 20};
    tp_analysis_open(&analysis, NULL);
    if (setjmp(analysis.arena.guard) == 0 &&
        tp_trace_read_bytes(&analysis.trace, &analysis.arena, data, size, &options, NULL) == 0)
        export_events(&analysis);
    tp_analysis_close(&analysis);
    return 0;
}
