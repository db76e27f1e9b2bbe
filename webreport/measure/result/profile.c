/* Implements profile.h: writes the members of a profile in the report's JSON. */
#include "webreport/measure/result/profile.h"

#include "webreport/measure/program/program_steps.h"

static struct tp_json_value views_value(const struct tp_record *record)
{
    const struct tp_profile *profile = record->at;
    return tp_json_value_record(&tp_views_fields, (struct tp_record){.at = profile->views});
}

static struct tp_json_value advice_value(const struct tp_record *record)
{
    const struct tp_profile *profile = record->at;
    return tp_json_value_record(&tp_advice_fields, (struct tp_record){.at = profile->advice});
}

static struct tp_json_value steps_value(const struct tp_record *record)
{
    const struct tp_profile *profile = record->at;
    if (!profile->steps)
        return tp_json_value_absent();
    return tp_json_value_record(&tp_program_steps_fields, (struct tp_record){.at = profile->steps});
}

static struct tp_json_value evidence_value(const struct tp_record *record)
{
    const struct tp_profile *profile = record->at;
    return tp_json_value_record(&tp_evidence_fields,
                                (struct tp_record){.at = &profile->trace->evidence, .arena = record->arena});
}

static struct tp_json_value input_value(const struct tp_record *record)
{
    const struct tp_profile *profile = record->at;
    const struct tp_input_facts *facts = &profile->trace->input;
    if (!facts->producer.ptr && !facts->unknown)
        return tp_json_value_absent();
    return tp_json_value_record(&tp_input_facts_fields, (struct tp_record){.at = facts});
}

static const struct tp_json_field fields[] = {
    {NULL, TP_COMPUTED(TP_AS_RECORD, views_value), .fields = &tp_views_fields},
    {NULL, TP_COMPUTED(TP_AS_RECORD, advice_value), .fields = &tp_advice_fields},
    {"program_steps", TP_COMPUTED(TP_AS_RECORD, steps_value), .fields = &tp_program_steps_fields,
     TP_DEFINITION("states of the main thread during the steps, from a recording of the whole program (record "
                   "--outside); absent without this recording")},
    {"evidence", TP_COMPUTED(TP_AS_RECORD, evidence_value), .fields = &tp_evidence_fields,
     TP_DEFINITION("whether the file is complete and consistent")},
    {"input", TP_COMPUTED(TP_AS_RECORD, input_value), .fields = &tp_input_facts_fields,
     TP_DEFINITION("what the input cannot show; absent for traces of torch.profiler and tracepress that can show "
                   "everything")},
};
const struct tp_fields tp_profile_fields = TP_FIELDS("A profile", fields);
