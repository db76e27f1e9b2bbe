/* Recognizes memory snapshots: see signs.h. */
#include <string.h>

#include "webreport/trace/inputs/signs.h"
#include "writer/base/str.h"

/* A pickle begins with the opcode PROTO and its number. */
static bool is_pickle(const struct tp_input_head *head)
{
    enum { PROTO = 0x80 };
    return head->size && (unsigned char)head->text[0] == PROTO;
}

bool tp_sign_is_snapshot(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    static const char flight_recorder[] = "pg_config";
    (void)sign;
    return is_pickle(head) && !memmem(head->text, head->size, flight_recorder, sizeof flight_recorder - 1);
}

bool tp_sign_has_pickle_name(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    (void)sign;
    return head->name && !is_pickle(head) && tp_sign_has_ending(head->name, ".pickle .pkl .pickle.gz .pkl.gz");
}

bool tp_sign_is_snapshot_page(const struct tp_input_head *head, const struct tp_input_sign *sign)
{
    static const char files[] = "local_files = ", base64[] = "\"base64\":", picture[] = "data:image/png;base64";
    if (!tp_sign_is_markup(head, sign))
        return false;
    return (memmem(head->text, head->size, files, sizeof files - 1) &&
            memmem(head->text, head->size, base64, sizeof base64 - 1)) ||
           memmem(head->text, head->size, picture, sizeof picture - 1);
}
