/* Finds names for the producer of a trace and for its devices. phrases.h in the same folder has the phrases that depend
 * on the producer. */
#ifndef TP_WEBREPORT_MEASURE_AUDIENCE_WORDING_H
#define TP_WEBREPORT_MEASURE_AUDIENCE_WORDING_H

#include "webreport/model/facts.h"

/* Returns the producer as a word for JSON: "torch", "tracepress", "mpi" or "other". Static. */
const char *tp_producer_text(enum tp_producer producer);

/* Returns whether the program itself registered the device `id`. */
bool tp_is_device_of_program(const struct tp_model *model, int64_t id);

/* Returns whether the program itself registered all devices. Returns false if the trace has no device. */
bool tp_has_only_devices_of_program(const struct tp_model *model);

/* Returns the title of a device: its name if it has one, otherwise word and number ("NPU 0"). The text is in `arena` or
 * in the trace. */
struct tp_str tp_device_title(const struct tp_model *model, int64_t id, struct tp_arena *arena);

/* Returns the title of a stream of a device, such as "GPU 0 · stream 7", which rows of the timeline have. The title
 * lacks the device's name if the name has TP_MAX_SHOWN_NAME_BYTES or more. Returns the title of the device if `stream`
 * is below 0. The text is in `arena` or in the trace. */
struct tp_str tp_stream_title(const struct tp_model *model, int64_t device, int64_t stream, struct tp_arena *arena);

/* Returns the word for the devices of the trace, such as "GPU" or "NPU". Returns "Device" if the words differ or if the
 * program itself registered all devices. Static. */
const char *tp_devices_word(const struct tp_model *model);

#endif
