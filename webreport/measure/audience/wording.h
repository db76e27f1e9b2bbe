/* Returns who reads about a trace: the users of PyTorch or of another producer; and the names of its devices. The
 * phrases of page, digest and terminal for these readers are in webreport/measure/audience/phrases.h. */
#ifndef TP_WEBREPORT_MEASURE_AUDIENCE_WORDING_H
#define TP_WEBREPORT_MEASURE_AUDIENCE_WORDING_H

#include "webreport/model/facts.h"

/* Returns "torch", "tracepress", "mpi" or "other", for machines. Static. */
const char *tp_producer_text(enum tp_producer producer);

/* Returns whether the program uses PyTorch, so that PyTorch's words are right. */
static inline bool tp_speaks_torch(enum tp_producer producer)
{
    return producer == TP_PRODUCER_TORCH;
}

/* Returns whether the program itself registered this device. */
bool tp_is_own_device(const struct tp_model *model, int64_t id);

/* Returns whether the program itself registered all devices; false without a device. */
bool tp_has_only_own_devices(const struct tp_model *model);

/* Returns the title of a device: its name, else its word and number ("NPU 0"). In `arena` or the trace. */
struct tp_str tp_device_title(const struct tp_model *model, int64_t id, struct tp_arena *arena);

/* Returns the word for the devices of the trace: "GPU", "NPU" ..; "Device" if the program registered all of them itself
 * or if the words differ. Static. */
const char *tp_devices_word(const struct tp_model *model);

#endif
