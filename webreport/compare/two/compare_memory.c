/* Compares the memory of both sides: peaks by device, and the owners of the bytes at the peak. See compare.h.
 *
 * Peaks hardly vary from run to run and therefore have no intervals. A peak is reported as changed if the peaks differ
 * by more than 2 %, or if the difference in growth, over the steps of NEW, exceeds 2 %. Owners are compared only on
 * devices whose memory changed. */
#include <math.h>

#include "webreport/compare/two/compare.h"
#include "webreport/trace/frame_pairs.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

enum { LEAST_BYTES = 64 << 10 };
/* smallest reported change, as a share of the peak; smaller changes may be rounding of the allocator */
static const double LEAST_SHARE = 0.02;
/* smallest reported change of an owner, as a share of the change of its device */
static const double LEAST_OWNER_SHARE = 0.1;

static const struct tp_column_def memory_defs[TP_MEMORY_DIFF_COLUMNS] = {
    {"device", "Device", "", "Device whose memory is compared.", TP_COLUMN_TEXT},
    {"base_peak_bytes", "Base peak", "bytes", "Largest amount of allocated memory in any run of the base.",
     TP_COLUMN_BYTES},
    {"new_peak_bytes", "New peak", "bytes", "Largest amount of allocated memory in any run of the new side.",
     TP_COLUMN_BYTES},
    {"change_bytes", "Change", "bytes", "New peak minus base peak.", TP_COLUMN_BYTES},
    {"base_reserved_bytes", "Base reserved", "bytes", "Largest amount of reserved memory in any run of the base.",
     TP_COLUMN_BYTES},
    {"new_reserved_bytes", "New reserved", "bytes", "Largest amount of reserved memory in any run of the new side.",
     TP_COLUMN_BYTES},
    {"base_growth_bytes_per_step", "Base growth per step", "bytes",
     "Largest mean growth of the allocated memory per step in any run of the base.", TP_COLUMN_REAL},
    {"new_growth_bytes_per_step", "New growth per step", "bytes",
     "Largest mean growth of the allocated memory per step in any run of the new side.", TP_COLUMN_REAL},
    {"verdict", "Verdict", "",
     "Whether the peak, or the growth over all steps, changed by more than 2 % of the base peak.", TP_COLUMN_TEXT},
};

static const struct tp_column_def owner_defs[TP_OWNER_DIFF_COLUMNS] = {
    {"device", "Device", "", "Device whose memory is compared.", TP_COLUMN_TEXT},
    {"owner_kind", "By", "",
     "Kind of owner: {operator}, module or line. Each kind is a separate breakdown of the same bytes.", TP_COLUMN_TEXT},
    {"owner", "Owner", "", "{Operator}, module or source line that allocated the memory.", TP_COLUMN_TEXT},
    {"base_bytes", "Base", "bytes", "Memory of the owner at the peak of the base.", TP_COLUMN_BYTES},
    {"new_bytes", "New", "bytes", "Memory of the owner at the peak of the new side.", TP_COLUMN_BYTES},
    {"change_bytes", "Change", "bytes", "Value on the new side minus value in the base.", TP_COLUMN_BYTES},
    {"base_blocks", "Base blocks", "", "Number of the owner's memory blocks at the peak of the base.", TP_COLUMN_INT},
    {"new_blocks", "New blocks", "", "Number of the owner's memory blocks at the peak of the new side.", TP_COLUMN_INT},
    {"verdict", "Verdict", "",
     "Verdict of the device if the owner causes at least 10 % of the device's change, otherwise neutral.",
     TP_COLUMN_TEXT},
};

struct device {
    struct tp_str name;
    int64_t peak[TP_SIDES], reserved[TP_SIDES]; /* highest value of the side's runs, bytes; TP_NULL_INT if unknown */
    int64_t least_peak[TP_SIDES];               /* lowest peak of the side's runs, bytes */
    double creep[TP_SIDES];
    enum tp_change_verdict verdict;
};

struct owner {
    uint32_t device;
    enum tp_summary_owner_kind kind;
    struct tp_str name;
    int64_t bytes[TP_SIDES], blocks[TP_SIDES];
};

struct memory {
    struct tp_compare *compare;
    struct tp_strings names;
    struct tp_strings lines[TP_SIDES]; /* source lines that own memory, by side */
    uint32_t *line_pairs;              /* pairs of the source lines of both sides, made by tp_frame_pairs */
    struct tp_vec devices;             /* elements: struct device */
    struct tp_keys keys;               /* keys (device, kind, name); the index of a key is the index in `owners` */
    struct tp_vec owners;              /* elements: struct owner */
};

static int64_t greater_of(int64_t a, int64_t b)
{
    return a == TP_NULL_INT || b > a ? b : a;
}

static uint32_t find_or_add_device(struct memory *m, struct tp_str name)
{
    for (uint32_t i = 0; i < m->devices.count; i++)
        if (tp_str_equal(TP_AT(&m->devices, struct device, i)->name, name))
            return i;
    *(struct device *)tp_vec_push(&m->devices) = (struct device){.name = name,
                                                                 .peak = {TP_NULL_INT, TP_NULL_INT},
                                                                 .reserved = {TP_NULL_INT, TP_NULL_INT},
                                                                 .least_peak = {INT64_MAX, INT64_MAX},
                                                                 .creep = {NAN, NAN}};
    return (uint32_t)m->devices.count - 1;
}

static void list_source_lines_of_side(struct memory *m, int side)
{
    const struct tp_side_input *input = m->compare->sides.side[side].input;
    tp_strings_init(&m->lines[side], m->compare->arena, 0);
    for (uint32_t r = 0; r < input->run_count; r++)
        for (uint32_t i = 0; i < input->runs[r].memory_count; i++) {
            const struct tp_summary_memory *from = &input->runs[r].memory[i];
            for (uint32_t k = 0; k < from->owner_count; k++)
                if (from->owners[k].kind == TP_OWNER_LINE)
                    tp_strings_add(&m->lines[side], from->owners[k].name);
        }
}

/* Returns the name of an owner. If a source line of BASE moved, the owner has the name of the new line. */
static struct tp_str owner_name(const struct memory *m, const struct tp_summary_owner *owner, int side)
{
    if (owner->kind != TP_OWNER_LINE || side != TP_BASE)
        return owner->name;
    return tp_frame_paired_text(m->line_pairs, &m->lines[TP_BASE], &m->lines[TP_NEW], owner->name);
}

/* Replaces the owners of a side by those of another run. The result has the owners of the run with the highest peak,
 * because owners of different peaks cannot be added. */
static void add_owners(struct memory *m, const struct tp_summary_memory *from, int side, uint32_t device)
{
    for (size_t i = 0; i < m->owners.count; i++) {
        struct owner *owner = TP_AT(&m->owners, struct owner, i);
        if (owner->device == device)
            owner->bytes[side] = owner->blocks[side] = 0;
    }
    for (uint32_t i = 0; i < from->owner_count; i++) {
        const struct tp_summary_owner *own = &from->owners[i];
        struct tp_str name = owner_name(m, own, side);
        uint32_t key[3] = {device, own->kind, tp_strings_add(&m->names, name)};
        uint32_t at = tp_keys_add(&m->keys, key);
        if (at == m->owners.count)
            *(struct owner *)tp_vec_push(&m->owners) =
                (struct owner){.device = device, .kind = own->kind, .name = name};
        struct owner *owner = TP_AT(&m->owners, struct owner, at);
        owner->bytes[side] = tp_sat_add(owner->bytes[side], own->bytes);
        owner->blocks[side] = tp_sat_add(owner->blocks[side], own->blocks);
    }
}

static void add_memory_of_side(struct memory *m, int side)
{
    const struct tp_side_input *input = m->compare->sides.side[side].input;
    for (uint32_t r = 0; r < input->run_count; r++)
        for (uint32_t i = 0; i < input->runs[r].memory_count; i++) {
            const struct tp_summary_memory *from = &input->runs[r].memory[i];
            uint32_t at = find_or_add_device(m, from->device);
            struct device *device = TP_AT(&m->devices, struct device, at);
            bool is_greatest = greater_of(device->peak[side], from->peak_allocated_bytes) != device->peak[side];
            device->peak[side] = greater_of(device->peak[side], from->peak_allocated_bytes);
            if (from->peak_allocated_bytes != TP_NULL_INT && from->peak_allocated_bytes < device->least_peak[side])
                device->least_peak[side] = from->peak_allocated_bytes;
            device->reserved[side] = greater_of(device->reserved[side], from->peak_reserved_bytes);
            device->creep[side] = fmax(device->creep[side], from->creep_bytes_per_step);
            if (is_greatest)
                add_owners(m, from, side, at);
        }
}

static int64_t difference_or_null(const int64_t values[TP_SIDES])
{
    if (values[TP_BASE] == TP_NULL_INT || values[TP_NEW] == TP_NULL_INT)
        return TP_NULL_INT;
    return tp_sat_sub(values[TP_NEW], values[TP_BASE]);
}

/* Returns the probability that all runs of one side are above, or below, all runs of the other side by chance. */
static double chance_of_separate_sides(const struct tp_compare *c)
{
    double base = c->sides.side[TP_BASE].input->run_count, new_count = c->sides.side[TP_NEW].input->run_count;
    return 2 * exp(lgamma(base + 1) + lgamma(new_count + 1) - lgamma(base + new_count + 1));
}

/* Returns whether chance can explain a difference of host peaks. The same work has different peaks in different runs,
 * because threads and the garbage collector decide when memory is freed. The gap between the sides must therefore be
 * wider than the range of each side's runs. If the runs of a side differ at all, a rare run may be far from the others.
 * Then there must be enough runs to make a separation by chance unlikely. */
static bool can_chance_explain_peak(const struct tp_compare *c, const struct device *device)
{
    int64_t up = tp_sat_sub(device->least_peak[TP_NEW], device->peak[TP_BASE]);
    int64_t down = tp_sat_sub(device->least_peak[TP_BASE], device->peak[TP_NEW]), gap = up > down ? up : down;
    if (!tp_str_equal(device->name, TP_STR("CPU")) || !c->work.is_known || !c->work.is_same)
        return false;
    for (int s = 0; s < TP_SIDES; s++) {
        int64_t range = tp_sat_sub(device->peak[s], device->least_peak[s]);
        if (gap <= range || (range > 0 && chance_of_separate_sides(c) > TP_RUN_ERROR_CHANCE))
            return true;
    }
    return tp_sides_allow_only_hints(&c->sides);
}

static enum tp_change_verdict peak_verdict(const struct memory *m, const struct device *device)
{
    const struct tp_compare *c = m->compare;
    int64_t change = difference_or_null(device->peak);
    double least = fmax(LEAST_BYTES, fmax(LEAST_SHARE, c->options.threshold) * (double)device->peak[TP_BASE]);
    double runs = c->sides.side[TP_NEW].input->run_count;
    double growth = (device->creep[TP_NEW] - device->creep[TP_BASE]) * (double)c->sides.side[TP_NEW].step_count / runs;
    double most = change == TP_NULL_INT || can_chance_explain_peak(c, device) ? 0 : (double)change;
    if (fabs(growth) > fabs(most)) /* the condition is false for NaN, so that unknown growth is ignored */
        most = growth;
    if (change == TP_NULL_INT || fabs(most) <= least)
        return TP_CHANGE_NEUTRAL;
    if (c->is_open)
        return TP_CHANGE_INCONCLUSIVE;
    return most > 0 ? TP_CHANGE_REGRESSED : TP_CHANGE_IMPROVED;
}

static void fill_devices(struct memory *m)
{
    struct tp_compare *c = m->compare;
    struct tp_table *table = &c->tables[TP_COMPARE_MEMORY];
    tp_table_init(table, c->arena, "memory", memory_defs, TP_MEMORY_DIFF_COLUMNS, m->devices.count);
    for (size_t i = 0; i < m->devices.count; i++) {
        struct device *device = TP_AT(&m->devices, struct device, i);
        device->verdict = peak_verdict(m, device);
        if (device->verdict == TP_CHANGE_REGRESSED || c->memory_verdict == TP_CHANGE_NEUTRAL)
            c->memory_verdict = device->verdict;
        tp_table_text(table, TP_MEMORY_DIFF_DEVICE)[i] = device->name;
        for (int s = 0; s < TP_SIDES; s++) {
            tp_table_int(table, TP_MEMORY_DIFF_BASE + (unsigned)s)[i] = device->peak[s];
            tp_table_int(table, TP_MEMORY_DIFF_BASE_RESERVED + (unsigned)s)[i] = device->reserved[s];
            tp_table_real(table, TP_MEMORY_DIFF_BASE_CREEP + (unsigned)s)[i] = device->creep[s];
        }
        tp_table_int(table, TP_MEMORY_DIFF_CHANGE)[i] = difference_or_null(device->peak);
        tp_table_text(table, TP_MEMORY_DIFF_VERDICT)[i] = tp_str_of(tp_change_verdict_name(device->verdict));
    }
}

static int compare_by_change(const void *x, const void *y, const void *context)
{
    const struct owner *a = x, *b = y;
    int64_t p = difference_or_null(a->bytes), q = difference_or_null(b->bytes);
    (void)context;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    p = p < 0 ? -p : p;
    q = q < 0 ? -q : q;
    if (p != q)
        return p > q ? -1 : 1;
    if (a->bytes[TP_NEW] != b->bytes[TP_NEW])
        return a->bytes[TP_NEW] > b->bytes[TP_NEW] ? -1 : 1;
    return tp_str_compare(a->name, b->name);
}

static enum tp_change_verdict owner_verdict(const struct memory *m, const struct owner *owner)
{
    const struct device *device = TP_AT(&m->devices, struct device, owner->device);
    double all = (double)difference_or_null(device->peak), own = (double)difference_or_null(owner->bytes);
    bool is_part = fabs(own) >= LEAST_OWNER_SHARE * fabs(all) && fabs(own) >= LEAST_BYTES && (own > 0) == (all > 0);
    return device->verdict != TP_CHANGE_NEUTRAL && is_part ? device->verdict : TP_CHANGE_NEUTRAL;
}

static void fill_owners(struct memory *m)
{
    static const char *const kinds[] = {"operator", "module", "line"};
    struct tp_compare *c = m->compare;
    struct tp_table *table = &c->tables[TP_COMPARE_OWNERS];
    tp_merge_sort(c->arena, m->owners.data, m->owners.count, sizeof(struct owner), compare_by_change, NULL);
    tp_table_init(table, c->arena, "memory_owners", owner_defs, TP_OWNER_DIFF_COLUMNS, m->owners.count);
    for (size_t i = 0; i < m->owners.count; i++) {
        const struct owner *owner = TP_AT(&m->owners, struct owner, i);
        tp_table_text(table, TP_OWNER_DIFF_DEVICE)[i] = TP_AT(&m->devices, struct device, owner->device)->name;
        tp_table_text(table, TP_OWNER_DIFF_KIND)[i] = tp_str_of(kinds[owner->kind]);
        tp_table_text(table, TP_OWNER_DIFF_NAME)[i] = owner->name;
        for (int s = 0; s < TP_SIDES; s++) {
            tp_table_int(table, TP_OWNER_DIFF_BASE + (unsigned)s)[i] = owner->bytes[s];
            tp_table_int(table, TP_OWNER_DIFF_BASE_BLOCKS + (unsigned)s)[i] = owner->blocks[s];
        }
        tp_table_int(table, TP_OWNER_DIFF_CHANGE)[i] = difference_or_null(owner->bytes);
        tp_table_text(table, TP_OWNER_DIFF_VERDICT)[i] = tp_str_of(tp_change_verdict_name(owner_verdict(m, owner)));
    }
}

void tp_compare_build_memory(struct tp_compare *compare)
{
    struct tp_arena *arena = compare->arena;
    struct memory m = {
        .compare = compare, .devices = TP_VEC(arena, struct device), .owners = TP_VEC(arena, struct owner)};
    tp_strings_init(&m.names, arena, 0);
    tp_keys_init(&m.keys, arena, 3);
    for (int s = 0; s < TP_SIDES; s++)
        list_source_lines_of_side(&m, s);
    m.line_pairs = tp_frame_pairs(&m.lines[TP_BASE], &m.lines[TP_NEW], arena);
    for (int s = 0; s < TP_SIDES; s++)
        add_memory_of_side(&m, s);
    fill_devices(&m);
    fill_owners(&m);
}
