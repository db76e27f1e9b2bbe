/* Words the answer: the headline of the first screen, and the grey sentences below it. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_ANSWER_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_ANSWER_WORDS_H

#include "webreport/measure/result/advice.h"

/* Returns the name of a part for the bar, such as "Loading data". is_gpu: the trace has a device. Static. */
const char *tp_answer_part_title(enum tp_answer_part_kind part, bool has_device);

/* Returns a segment of a part as text, such as "Matrix products"; "Other GPU work" for the rest. In `arena` or static.
 */
const char *tp_answer_segment_title(const struct tp_model *model, const struct tp_answer_segment *segment,
                                    struct tp_arena *arena);

/* Returns the short name of a host event for lanes and headlines: "forward" for "model.py(12): forward", "DataLoader"
 * for "enumerate(DataLoader)#..", "ResNet" for "nn.Module: ResNet_0". The result is part of `name`. */
struct tp_str tp_short_host_name(struct tp_str name);

/* Returns a time as a part of a whole, with one unit: "47 of 208 ms". In `arena`. */
const char *tp_part_of_time_text(struct tp_arena *arena, int64_t part_ns, int64_t whole_ns);

/* Returns two times with one unit: "141 instead of 178 ms". In `arena`. */
const char *tp_time_instead_text(struct tp_arena *arena, int64_t now_ns, int64_t before_ns);

/* Ends a headline with an instruction and a full stop. Leaves out the end of the instruction, or all of it, if the
 * headline would have more than 24 words. joint: words before the instruction, such as "; next, "; NULL: a colon, or a
 * semicolon if the sentence already has a colon. action: the instruction, or "". */
void tp_put_instruction(struct tp_buf *headline, const char *joint, const char *action);

/* Returns two times as "141 to 62 ms", with the unit and the decimals of the first. */
const char *tp_time_change_text(struct tp_arena *arena, int64_t before_ns, int64_t after_ns);

/* Returns a range of times with one unit: "38 to 47 ms", or "up to 47 ms" if low_ns is 0. In `arena`. */
const char *tp_range_of_time_text(struct tp_arena *arena, int64_t low_ns, int64_t high_ns);

#endif
