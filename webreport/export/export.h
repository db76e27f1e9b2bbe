/* Declares the table of export formats. A format writes an analyzed profile as a file for another tool.
 *
 * A new format needs a file in a folder of webreport/export, a row in export.c, a declaration in export_formats.h and a
 * paragraph in templates/help/export.txt. */
#ifndef TP_WEBREPORT_EXPORT_EXPORT_H
#define TP_WEBREPORT_EXPORT_EXPORT_H

#include "webreport/export/export_formats.h"

/* all formats; the last entry has the name NULL */
extern const struct tp_export_format tp_export_formats[];

/* Returns the format with this name, or NULL. name: must not be NULL. */
const struct tp_export_format *tp_export_find(const char *name);

#endif
