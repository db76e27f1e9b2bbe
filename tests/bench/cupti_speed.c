/* cupti_bench [MILLION]: measures the time per CUPTI record on the thread on which CUPTI calls the collector. Writes a
 * buffer of launches and their kernels, in the layout of release 13.0, into the spool. Also measures reading the buffer
 * without writing records, for comparison. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/source/cupti_pool.h"
#include "collector/source/cupti_records.h"
#include "collector/tracepress.h"

enum { CALL_BYTES = 40, KERNEL_BYTES = 216, KERNELS = 300, ROUNDS = 5, FEW = 10, FEW_ROUNDS = 2000 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int read_next_record(uint8_t *buffer, size_t valid, void **record)
{
    uint8_t *at = *record ? (uint8_t *)*record : buffer;
    if (*record)
        at += *(uint32_t *)(void *)at == TP_CUPTI_KERNEL ? KERNEL_BYTES : CALL_BYTES;
    if (at >= buffer + valid)
        return TP_CUPTI_MAX_LIMIT;
    *record = at;
    return TP_CUPTI_OK;
}

static int fake_callback_name(uint32_t domain, uint32_t function, const char **name)
{
    (void)domain;
    (void)function;
    *name = "cudaLaunchKernel_v7000";
    return 0;
}

/* Fills the buffer with launches, each followed by its kernel. Returns the number of bytes used. */
static size_t fill_buffer(uint8_t *bytes, size_t size, size_t *count)
{
    static char names[KERNELS][64];
    size_t used = 0;
    *count = 0;
    for (uint32_t i = 0; used + CALL_BYTES + KERNEL_BYTES <= size; i++, *count += 2) {
        char *name = names[i % KERNELS];
        snprintf(name, sizeof names[0], "_Z%08ukernel_with_a_usual_length_of_name", i % KERNELS);
        const struct tp_cupti_api call = {
            .kind = TP_CUPTI_RUNTIME, .function = 211, .start = i, .end = i, .correlation = i};
        const struct tp_cupti_kernel kernel = {
            .kind = TP_CUPTI_KERNEL, .start = i, .end = i + 1, .correlation = i, .name = name};
        memcpy(bytes + used, &call, sizeof call);
        memcpy(bytes + used + CALL_BYTES, &kernel, sizeof kernel);
        used += CALL_BYTES + KERNEL_BYTES;
    }
    return used;
}

static const struct tp_cupti cupti = {.next_record = read_next_record, .callback_name = fake_callback_name};
static uint8_t *buffer;
static size_t valid, record_count;

/* Returns the ns per record for reading the buffer alone. */
static double read_buffer_ns(size_t wanted)
{
    double start = now_ns();
    size_t seen = 0;
    while (seen < wanted)
        for (void *record = NULL; read_next_record(buffer, valid, &record) == TP_CUPTI_OK;)
            seen++;
    return (now_ns() - start) * 1e9 / (double)seen;
}

static double record(size_t bytes, size_t count, size_t wanted)
{
    size_t done = 0;
    double start = now_ns();
    for (; done < wanted; done += count)
        tp_cupti_convert_buffer(&cupti, buffer, bytes);
    return (now_ns() - start) * 1e9 / (double)done;
}

/* Returns ns per record in the fastest of `rounds` short rounds. Rounds are short, so that some of them touch no new
 * page. */
static double convert_few_records_ns(int rounds)
{
    double least = 1e9;
    for (int i = 0; i < rounds; i++) {
        double ns = record(FEW * (CALL_BYTES + KERNEL_BYTES), 2 * FEW, 2 * FEW);
        least = ns < least ? ns : least;
    }
    return least;
}

static void keep_smaller_ns(double *least, double ns)
{
    *least = *least == 0 || ns < *least ? ns : *least;
}

int main(int argc, char **argv)
{
    const size_t wanted = (size_t)(argc > 1 ? atol(argv[1]) : 1) * 1000000;
    char folder[] = "/tmp/tracepress-cupti-XXXXXX", command[96];
    double bare = 0, few = 0, many = 0;
    size_t size;
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    buffer = tp_cupti_pool_get_buffer(&size, false);
    if (!buffer || !mkdtemp(folder))
        return 1;
    valid = fill_buffer(buffer, size, &record_count);
    options.directory = folder;
    for (int round = 0; round < ROUNDS; round++) {
        keep_smaller_ns(&bare, read_buffer_ns(wanted));
        if (tracepress_start(&options) != 0)
            return 1;
        keep_smaller_ns(&few, convert_few_records_ns(FEW_ROUNDS));
        keep_smaller_ns(&many, record(valid, record_count, wanted));
        tracepress_stop();
        snprintf(command, sizeof command, "rm -f %s/.*.tpspool", folder);
        if (system(command) != 0)
            return 1;
    }
    printf("a record of CUPTI (launch or kernel): %.1f ns; with the fresh pages of the spool: %.1f ns; the bare walk: "
           "%.1f ns\n",
           few, many, bare);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}
