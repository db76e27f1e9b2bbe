# Adds the input format "null" with the reader of tests/unit/test_input_formats.c. Changes at most 3 files outside of
# tests.
{
    cat <<'C'
/* Reads the null format: a file that begins with NULL is a trace of one launch and one kernel. */
#include "webreport/trace/inputs/null_input.h"

C
    sed -n '/^static int read_null(/,/^}/p' tests/unit/test_input_formats.c | sed 's/^static int read_null/int tp_null_input_read/; s/^    return TP_OK/    return tp_source_drain(source)/'
} >webreport/trace/inputs/null_input.c
cat >webreport/trace/inputs/null_input.h <<'C'
/* Reads the null format, of the test of the recipe. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_NULL_INPUT_H
#define TP_WEBREPORT_TRACE_INPUTS_NULL_INPUT_H

#include "webreport/trace/source.h"

int tp_null_input_read(struct tp_source *source);

#endif
C
sed -i 's/^#include ".*spool_input.h"/#include "webreport\/trace\/inputs\/null_input.h"\n&/
s/^    {"spool", NULL.*/    {"null", NULL, BYTES("NULL", 0), .read = tp_null_input_read},\n&/' webreport/trace/inputs/input_formats.c
