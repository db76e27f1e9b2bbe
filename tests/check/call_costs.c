/* call_costs: computes the minimum work of operator calls.
 *
 * Each line of standard input is a call. Its fields are separated by tabs: the name, then as compact JSON dims, types,
 * concrete inputs, and the shapes of a convolution's result, weight and input ("" if unknown). Prints a line per call:
 * FLOPs, exact FLOPs, bytes, type, and whether types are assumed. Prints "none" for a call without a known cost. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "webreport/measure/work/cost.h"

enum { NAME, DIMS, TYPES, CONCRETE, OUT, WEIGHT, INPUT, FIELDS };

static struct tp_shape parse_shape(struct tp_str json)
{
    struct tp_shape shape = {.rank = 0};
    return json.len ? tp_shape_parse(json) : shape;
}

static void print_cost(const struct tp_str *fields)
{
    struct tp_op_call call = {fields[DIMS], fields[TYPES], fields[CONCRETE]};
    struct tp_cost_hint hint = {
        .out = parse_shape(fields[OUT]), .weight = parse_shape(fields[WEIGHT]), .input = parse_shape(fields[INPUT])};
    struct tp_cost cost;
    if (tp_cost_of_call(&cost, fields[NAME], &call, &hint))
        printf("%" PRId64 " %" PRId64 " %" PRId64 " %s\n", cost.flops, cost.flops_without_masked, cost.bytes,
               tp_number_type_text(cost.type));
    else
        puts("none");
}

int main(void)
{
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin)) {
        struct tp_str fields[FIELDS];
        char *at = line;
        line[strcspn(line, "\n")] = '\0';
        for (unsigned i = 0; i < FIELDS; i++) {
            size_t length = strcspn(at, "\t");
            fields[i] = (struct tp_str){at, length};
            at += length + (at[length] == '\t');
        }
        print_cost(fields);
    }
    return 0;
}
