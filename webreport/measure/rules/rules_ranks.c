/* The rows of the rules about several ranks: slow rank (E3) and slow links (E5). measure/ranks evaluates them. */
#include "webreport/measure/rules/rules.h"
#include "webreport/measure/rules/rules_texts.h"

const struct tp_rule tp_rule_E3 = {
    .id = "E3",
    .title = "The other ranks wait for one",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_late_pct", 66.0, false}, {"min_wait_pct", 5.0, false}},
    .advice = "Give all ranks equal work (batches of equal cost); else look at the host and the device of that rank.",
    .doc_url = DOC_DIST,
    .cause = "comm.straggler",
    .gain = {.low = 0.6, .high = 1.0, .right = 1, .known = 1},
};

const struct tp_rule tp_rule_E5 = {
    .id = "E5",
    .title = "Collectives use less than half of the link",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"max_link_pct", 50.0, false}, {"min_floor_us", 100, true}, {"min_pct", 3.0, false}},
    .advice = "See which way they go (NCCL_DEBUG=INFO, nvidia-smi topo -m): peer-to-peer access that is switched off, "
              "a path through the host, kernels that compute on all processors meanwhile.",
    .doc_url = DOC_DIST,
    .cause = "comm.exposed",
    .gain = {.low = 0.3, .high = 1.0},
    .native = {.advice = "See which way they go: peer-to-peer access that is switched off, a path through the host."},
    .weakened_like = "E1",
};
