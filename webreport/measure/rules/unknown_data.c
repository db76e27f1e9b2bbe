/* Implements unknown_data.h: the table of metrics and rules by the kind of data that they need. */
#include "webreport/measure/rules/unknown_data.h"

#include "webreport/trace/evidence.h"
#include "webreport/trace/input_facts.h"

#define OF_KERNELS "kernels.* kernel.* tensor_core.* graph.share gemm.* step.mfu "
#define KERNEL_RULES "A2 A3 C1 C2 C3 C10 C11 C13 C14 C15 C16 C17 C18 C19 C20 C21 C22 C23 C24 C25 "
#define OPERATOR_RULES                                                                                                 \
    "A5 A6 A13 C1 C2 C3 C10 C11 C15 C16 C17 C18 C19 C21 C25 H2 H4 H5 H6 H7 H14 H15 H16 H17 H18 H19 H20 H21 R6 "

/* metrics and rules: names separated by spaces; a name that ends with "*" stands for all names with this beginning.
 * affected: numbers that a comparison must not judge if only one side shows the data. */
static const struct {
    enum tp_unknown unknown;
    unsigned affected;
    const char *metrics, *rules;
} rows[] = {
    {TP_UNKNOWN_KERNELS, TP_NEED_DEVICE,
     OF_KERNELS "step.kernel.* step.communication.* step.runtime.* step.dataloader.* step.cpu.* step.other.* "
                "step.memcpy.time step.memcpy.share step.memset.time step.memset.share device.busy.share gpu.* "
                "communication.* collectives.* idle.* range[NAME].device critical.* whatif[*",
     KERNEL_RULES "A1 A4 A8 A12 B1 B2 B4 C6 C7 E1 E4 E6 E7 E8 E10 E11 R2 R3 R4"},
    {TP_UNKNOWN_GRAPH_KERNELS, TP_NEED_DEVICE,
     OF_KERNELS "gpu.sm_efficiency gpu.occupancy range[NAME].device critical.* whatif[*", KERNEL_RULES},
    {TP_UNKNOWN_COPIES, TP_NEED_DEVICE,
     "copies.* h2d.* d2h.* d2d.* step.memcpy.* device.busy.share idle.* count.copy "
     "critical.* whatif[*",
     "A5 B3 B4 B5 C11"},
    {TP_UNKNOWN_COPY_DIRECTION, TP_NEED_DEVICE, "h2d.* d2h.* d2d.* count.copy", "A5 B3 B4 B5 C11"},
    {TP_UNKNOWN_COPY_MEMORY_KIND, 0, "h2d.pageable.* d2h.pageable.*", "B3 B4"},
    {TP_UNKNOWN_COPY_BYTES, 0, "h2d.bytes d2h.bytes d2d.bytes h2d.pageable.bytes d2h.pageable.bytes", "B3 B5"},
    {TP_UNKNOWN_SETS, TP_NEED_DEVICE, "sets.* step.memset.*", "C7"},
    {TP_UNKNOWN_RUNTIME_CALLS, TP_NEED_RUNTIME,
     "runtime.* sync.* idle.host idle.launch idle.queue idle.unknown step.runtime.* count.wait "
     "range[NAME].device critical.* whatif[*",
     "A1 A2 A3 A4 A5 A6 A8 A12 A13 C6 C7 D2 E11 R3"},
    {TP_UNKNOWN_OPERATORS, TP_NEED_HOST, "operators.* op[NAME].calls count.* gemm.pct_of_peak step.mfu",
     OPERATOR_RULES},
    {TP_UNKNOWN_SHAPES, 0, "gemm.pct_of_peak step.mfu count.shape count.type",
     "C1 C3 C10 C15 C17 C18 C21 C25 H14 H16 H17 H19 H20"},
    {TP_UNKNOWN_DTYPES, 0, "gemm.pct_of_peak step.mfu count.type", "C1 C2 C10 C18 C21 C25 H14"},
    {TP_UNKNOWN_STACKS, TP_NEED_FRAMES, "count.loader", "C19 H9 H10 H11 H12 H13"},
    {TP_UNKNOWN_ALLOCATOR, TP_NEED_MEMORY, "memory.* count.kept", "D1 D3 D4"},
    {TP_UNKNOWN_OCCUPANCY, 0, "gpu.occupancy", ""},
    {TP_UNKNOWN_GRID, 0, "gpu.sm_efficiency", "C13"},
    {TP_UNKNOWN_DEVICE_PROPERTIES, 0, "gemm.pct_of_peak step.mfu", "C1 C2 C18 C25 D1 D3 E5"},
    {TP_UNKNOWN_RANKS, 0, "", "E5 E9"},
    {TP_UNKNOWN_STEPS, 0, "step.* *.per_step critical.step_if_host_free_us whatif[*",
     "A2 A12 D2 D4 E11 H18 H20 H21 R5 R6"},
    {TP_UNKNOWN_FORWARD_LINKS, 0, "", ""},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Returns whether a pattern names a metric. The pattern is a name, or a name with "*" at its start or end. */
static bool is_name_of_pattern(struct tp_str name, struct tp_str pattern)
{
    struct tp_str fixed = {pattern.ptr, pattern.len - 1};
    if (pattern.ptr[0] == '*')
        return name.len >= fixed.len && tp_str_equal((struct tp_str){name.ptr + name.len - fixed.len, fixed.len},
                                                     (struct tp_str){pattern.ptr + 1, fixed.len});
    if (pattern.ptr[fixed.len] == '*')
        return name.len >= fixed.len && tp_str_equal((struct tp_str){name.ptr, fixed.len}, fixed);
    return tp_str_equal(name, pattern);
}

static bool is_in_list(struct tp_str name, const char *list)
{
    while (*list) {
        size_t size = strcspn(list, " ");
        if (size && is_name_of_pattern(name, (struct tp_str){list, size}))
            return true;
        list += size + (list[size] == ' ');
    }
    return false;
}

uint32_t tp_unknown_needs_of_metric(const char *name)
{
    uint32_t needs = 0;
    for (unsigned i = 0; i < ROWS; i++)
        needs |= is_in_list(tp_str_of(name), rows[i].metrics) ? (uint32_t)rows[i].unknown : 0;
    return needs;
}

uint32_t tp_unknown_needs_of_rule(const char *id)
{
    uint32_t needs = 0;
    for (unsigned i = 0; i < ROWS; i++)
        needs |= is_in_list(tp_str_of(id), rows[i].rules) ? (uint32_t)rows[i].unknown : 0;
    return needs;
}

unsigned tp_unknown_affected_needs(uint32_t unknown)
{
    unsigned needs = 0;
    for (unsigned i = 0; i < ROWS; i++)
        needs |= unknown & (uint32_t)rows[i].unknown ? rows[i].affected : 0;
    return needs;
}
