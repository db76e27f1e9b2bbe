/* Provides an arena for each case. `begin` and `end` are cmocka's setup and teardown of a case. Include cmocka's
 * headers first. Each test program includes this file once, so everything is static. */
#ifndef TP_TESTS_UNIT_ONE_ARENA_H
#define TP_TESTS_UNIT_ONE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "writer/base/arena.h"

static struct tp_arena arena;

/* First statement of a case: fails the case if the arena runs out of memory. */
#define GUARD                                                                                                          \
    (void)state;                                                                                                       \
    if (setjmp(arena.guard))                                                                                           \
    fail_msg("the arena failed")

static int begin(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

#endif
