/* Finds the longest common run: see pair_run.h.
 *
 * If a run of some length exists, runs of all smaller lengths exist, so that the length is found by halving. For one
 * length, the hashes of all windows of the first sequence are stored, and those of the second one are looked up. */
#include "webreport/measure/snapshot/pair_run.h"

#include <stdbool.h>
#include <string.h>

#include "writer/base/sort.h"

/* multiplier of the hash of a window (from Knuth's MMIX) */
#define FACTOR 6364136223846793005ull

struct search {
    const struct tp_pair *const *pairs;
    const size_t *counts;
    struct tp_arena *arena;
    uint64_t *slots; /* hash table of hashes; 0 is a free slot */
    size_t slot_mask;
    size_t length; /* length of the windows */
    uint64_t drop; /* FACTOR to the power of `length` */
};

/* The hash of a window that moves along a sequence. */
struct window {
    const struct tp_pair *pairs;
    uint64_t hash;
};

/* Mixes the bits of a key. */
static uint64_t mix(uint64_t key)
{
    key = (key ^ key >> 33) * 0xFF51AFD7ED558CCDull;
    key = (key ^ key >> 33) * 0xC4CEB9FE1A85EC53ull;
    return key ^ key >> 33;
}

static struct window first_window(const struct search *search, unsigned side)
{
    struct window window = {.pairs = search->pairs[side]};
    for (size_t i = 0; i < search->length; i++)
        window.hash = window.hash * FACTOR + mix(window.pairs[i].key);
    return window;
}

/* Moves a window from `first` to first + 1. */
static void move_window(struct window *window, const struct search *search, size_t first)
{
    window->hash = window->hash * FACTOR + mix(window->pairs[first + search->length].key) -
                   search->drop * mix(window->pairs[first].key);
}

static void set_length(struct search *search, size_t length)
{
    search->length = length;
    search->drop = 1;
    for (size_t i = 0; i < length; i++)
        search->drop *= FACTOR;
}

static size_t window_count(const struct search *search, unsigned side)
{
    return search->counts[side] >= search->length ? search->counts[side] - search->length + 1 : 0;
}

/* Returns the slot with a hash, or the free slot for it. */
static uint64_t *slot_of(const struct search *search, uint64_t hash)
{
    size_t at = (size_t)(hash >> 20 ^ hash) & search->slot_mask;
    while (search->slots[at] && search->slots[at] != hash)
        at = (at + 1) & search->slot_mask;
    return &search->slots[at];
}

/* Returns whether both sequences have a window of this length with the same hash. */
static bool has_run(struct search *search, size_t length)
{
    set_length(search, length);
    memset(search->slots, 0, (search->slot_mask + 1) * sizeof *search->slots);
    size_t count = window_count(search, 0);
    struct window window = first_window(search, 0);
    for (size_t i = 0; i < count; i++) {
        *slot_of(search, window.hash | 1) = window.hash | 1;
        if (i + 1 < count)
            move_window(&window, search, i);
    }
    count = window_count(search, 1);
    window = first_window(search, 1);
    for (size_t i = 0; i < count; i++) {
        if (*slot_of(search, window.hash | 1))
            return true;
        if (i + 1 < count)
            move_window(&window, search, i);
    }
    return false;
}

/* ---- choice of one run ---- */

static uint64_t distance(int64_t x, int64_t y)
{
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

/* Returns the index of the first item whose key is at least `key`. */
static size_t lower_bound(const struct tp_keyed *items, size_t count, int64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the item of [from, to) whose pair is closest to a time. The items are in the order of time. */
static uint32_t closest(const struct search *search, const struct tp_keyed *items, size_t from, size_t to, int64_t time)
{
    size_t low = from, high = to - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (search->pairs[0][items[middle].item].time_ns < time)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_before = low > from && distance(search->pairs[0][items[low - 1].item].time_ns, time) <=
                                       distance(search->pairs[0][items[low].item].time_ns, time);
    return items[low - is_before].item;
}

static bool is_equal(const struct search *search, size_t first, size_t second)
{
    for (size_t i = 0; i < search->length; i++)
        if (search->pairs[0][first + i].key != search->pairs[1][second + i].key)
            return false;
    return true;
}

/* Chooses the run of the current length whose first pairs are closest in time. */
static void choose_run(struct tp_pair_run *run, const struct search *search)
{
    size_t count = window_count(search, 0), others = window_count(search, 1);
    struct tp_keyed *items = tp_arena_array(search->arena, count, sizeof *items);
    struct window window = first_window(search, 0);
    uint64_t best = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        items[i] = (struct tp_keyed){(int64_t)window.hash, (uint32_t)i, (uint32_t)i};
        if (i + 1 < count)
            move_window(&window, search, i);
    }
    tp_sort_keyed(items, count, search->arena);
    window = first_window(search, 1);
    for (size_t i = 0; i < others; i++) {
        int64_t hash = (int64_t)window.hash, time = search->pairs[1][i].time_ns;
        size_t from = lower_bound(items, count, hash);
        size_t to = hash == INT64_MAX ? count : lower_bound(items, count, hash + 1);
        if (from < to) {
            uint32_t first = closest(search, items, from, to, time);
            uint64_t apart = distance(search->pairs[0][first].time_ns, time);
            if (apart < best || !run->count) {
                best = apart;
                *run = (struct tp_pair_run){{first, i}, search->length};
            }
        }
        if (i + 1 < others)
            move_window(&window, search, i);
    }
    if (run->count && !is_equal(search, run->first[0], run->first[1]))
        run->count = 0; /* two windows with one hash, which does not happen by chance */
}

void tp_pair_run_find(struct tp_pair_run *run, const struct tp_pair *const pairs[2], const size_t counts[2],
                      struct tp_arena *arena)
{
    struct search search = {.pairs = pairs, .counts = counts, .arena = arena};
    size_t low = 0, high = counts[0] < counts[1] ? counts[0] : counts[1], slots = 2;
    *run = (struct tp_pair_run){.count = 0};
    while (slots < 2 * counts[0])
        slots *= 2;
    search.slots = tp_arena_array(arena, slots, sizeof *search.slots);
    search.slot_mask = slots - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (has_run(&search, middle))
            low = middle;
        else
            high = middle - 1;
    }
    set_length(&search, low);
    if (low)
        choose_run(run, &search);
    tp_arena_free_item(arena, search.slots, slots * sizeof *search.slots);
}
