/* Parses arbitrary bytes as a budget file. The file must be accepted, or refused with a message that gives the position
 * of the mistake. */
#include <setjmp.h>
#include <stdlib.h>

#include "webreport/compare/gate/budget.h"
#include "webreport/measure/metrics/metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_arena arena;
    struct tp_budget budget;
    struct tp_error err = {0};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard) == 0) {
        int code = tp_budget_parse(&budget, "budget", (const char *)data, size, &arena, &err);
        abort_unless(code == 0 || err.text[0]);
        for (size_t i = 0; code == 0 && i < budget.count; i++) {
            const struct tp_budget_line *line = &budget.lines[i];
            abort_unless(line->metric >= 0 && line->metric < TP_METRIC_COUNT && line->number && line->text.len);
            abort_unless(line->limit == line->limit && line->text.len <= size);
        }
    }
    tp_arena_release(&arena);
    return 0;
}
