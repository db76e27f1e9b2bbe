/* Builds sketches of durations. See sketch.h. Bucket numbers are computed with integers only, so that they are equal
 * on every machine. */
#include "webreport/measure/summary/sketch.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "writer/base/saturate.h"

enum { PARTS = 8 }; /* number of buckets between a duration and twice this duration */

uint32_t tp_sketch_bucket(int64_t ns)
{
    /* 2^63 * 2^(k/8), rounded up: lower limit of bucket k in the range from 2^63 to 2^64 */
    static const uint64_t begin[PARTS - 1] = {
        0x8B95C1E3EA8BD6E7, 0x9837F0518DB8A970, 0xA5FED6A9B15138EB, 0xB504F333F9DE6485,
        0xC5672A115506DADE, 0xD744FCCAD69D6AF5, 0xEAC0C6E7DD24392F,
    };
    if (ns <= 0)
        return 0;
    unsigned zeros = (unsigned)__builtin_clzll((uint64_t)ns), part = 0;
    uint64_t mantissa = (uint64_t)ns << zeros;
    while (part < PARTS - 1 && mantissa >= begin[part])
        part++;
    return (63 - zeros) * PARTS + part + 1;
}

void tp_sketch_build(struct tp_sketch *sketch, const int64_t *ns, size_t count, struct tp_arena *arena)
{
    uint32_t counts[TP_SKETCH_BUCKETS] = {0}, most = 0;
    memset(sketch, 0, sizeof *sketch);
    for (size_t i = 0; i < count; i++) {
        int64_t value = ns[i] < 0 ? 0 : ns[i];
        uint32_t bucket = tp_sketch_bucket(value);
        sketch->bucket_count += counts[bucket]++ == 0;
        most = bucket > most ? bucket : most;
        sketch->min_ns = i == 0 || value < sketch->min_ns ? value : sketch->min_ns;
        sketch->max_ns = value > sketch->max_ns ? value : sketch->max_ns;
        sketch->sum_ns = tp_sat_add(sketch->sum_ns, value);
        sketch->square_sum_ns2 += (double)value * (double)value;
    }
    sketch->count = (int64_t)count;
    sketch->buckets = tp_arena_array(arena, sketch->bucket_count, sizeof *sketch->buckets);
    uint32_t at = 0;
    for (uint32_t b = 0; b <= most && at < sketch->bucket_count; b++)
        if (counts[b])
            sketch->buckets[at++] = (struct tp_sketch_bucket){b, counts[b]};
}

/* Adds the buckets of `more` to those of `into`. Both lists are in ascending order. */
static void merge_buckets(struct tp_sketch *into, const struct tp_sketch *more, struct tp_arena *arena)
{
    struct tp_sketch_bucket *out = tp_arena_array(arena, (size_t)into->bucket_count + more->bucket_count, sizeof *out);
    uint32_t i = 0, k = 0, at = 0;
    while (i < into->bucket_count || k < more->bucket_count) {
        bool takes_first =
            k == more->bucket_count || (i < into->bucket_count && into->buckets[i].bucket <= more->buckets[k].bucket);
        struct tp_sketch_bucket next = takes_first ? into->buckets[i++] : more->buckets[k++];
        if (at && out[at - 1].bucket == next.bucket)
            out[at - 1].count = tp_sat_add(out[at - 1].count, next.count);
        else
            out[at++] = next;
    }
    into->buckets = out;
    into->bucket_count = at;
}

void tp_sketch_merge(struct tp_sketch *into, const struct tp_sketch *more, struct tp_arena *arena)
{
    if (more->count == 0)
        return;
    into->min_ns = into->count == 0 || more->min_ns < into->min_ns ? more->min_ns : into->min_ns;
    into->max_ns = more->max_ns > into->max_ns ? more->max_ns : into->max_ns;
    into->count = tp_sat_add(into->count, more->count);
    into->sum_ns = tp_sat_add(into->sum_ns, more->sum_ns);
    into->square_sum_ns2 += more->square_sum_ns2;
    merge_buckets(into, more, arena);
}

double tp_sketch_quantile(const struct tp_sketch *sketch, double q)
{
    int64_t passed = 0;
    if (sketch->count <= 0 || sketch->bucket_count == 0)
        return NAN;
    double wanted = ceil(q * (double)sketch->count);
    uint32_t at = 0;
    for (; at + 1 < sketch->bucket_count; at++) {
        passed = tp_sat_add(passed, sketch->buckets[at].count);
        if ((double)passed >= wanted)
            break;
    }
    uint32_t bucket = sketch->buckets[at].bucket;
    double middle = bucket ? exp2(((double)bucket - 0.5) / PARTS) : 0;
    return fmin(fmax(middle, (double)sketch->min_ns), (double)sketch->max_ns);
}

double tp_sketch_mean(const struct tp_sketch *sketch)
{
    return sketch->count > 0 ? (double)sketch->sum_ns / (double)sketch->count : NAN;
}

double tp_sketch_deviation(const struct tp_sketch *sketch)
{
    if (sketch->count < 2)
        return NAN;
    double n = (double)sketch->count, mean = tp_sketch_mean(sketch);
    return sqrt(fmax(sketch->square_sum_ns2 - n * mean * mean, 0) / (n - 1));
}
