/* Access to the recorded program of a profile, for the sections and charts about programs recorded from outside. */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_SECTION_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PROGRAM_SECTION_H

#include "webreport/document/report/sections.h"

/* Returns whether the profile contains only a program recorded from outside. */
static inline bool tp_section_is_program(const struct tp_section *section)
{
    return tp_advice_is_for_program(section->profile->advice, section->profile->model);
}

/* Returns the data of the recorded program, which the profile must have. */
static inline const struct tp_program_view *tp_section_program(const struct tp_section *section)
{
    return &section->profile->advice->program;
}

#endif
