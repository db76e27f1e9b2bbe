/* The rows of the rules about several ranks: slow rank (E3) and slow links (E5). Files in measure/ranks evaluate
 * them. */
#include "webreport/measure/rules/rules.h"
#include "webreport/measure/rules/rules_texts.h"

const struct tp_rule tp_rule_E3 = {
    .id = "E3",
    .title = "Check the slow rank: the other ranks wait for it",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_late_pct", 66.0, false}, {"min_wait_pct", 5.0, false}},
    .advice = "Give all ranks equal work (batches of equal cost). If the work is equal, check the host and the device "
              "of the slow rank.",
    .doc_url = DOC_DIST,
    .cause = "comm.straggler",
    .gain = {.low = 0.6, .high = 1.0, .right = 1, .known = 1},
};

const struct tp_rule tp_rule_E5 = {
    .id = "E5",
    .title = "Check the link of the collectives: `nvidia-smi topo -m`",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"max_link_pct", 50.0, false}, {"min_floor_us", 100, true}, {"min_pct", 3.0, false}},
    .advice =
        "Check the path of the collectives (NCCL_DEBUG=INFO, nvidia-smi topo -m). Frequent causes are disabled "
        "peer-to-peer access, a path through the host, and kernels that use all multiprocessors at the same time.",
    .doc_url = DOC_DIST,
    .cause = "comm.exposed",
    .gain = {.low = 0.3, .high = 1.0},
    .native = {.title = "Check the path of the collectives between the devices",
               .advice = "Check the path of the collectives. Frequent causes are disabled peer-to-peer access and a "
                         "path through the host."},
    .rule_with_same_flaws = "E1",
};
