/* Compares the map of addresses with a plain array, for random operations. */
#include "webreport/model/allocator/address_map.h"

#include <string.h>

#include "tests/unit/one_arena.h"

enum { PLACES = 3000, OPERATIONS = 60000, NONE = UINT32_MAX };

/* The address of each place. Addresses use the whole range, so that 0 and 2^64 - 1 are among them. */
static uint64_t address_of(uint32_t place)
{
    return place == PLACES - 1 ? UINT64_MAX : place * (UINT64_MAX / PLACES);
}

/* The model: the value of each place; NONE without an entry. */
struct model {
    uint32_t values[PLACES];
    size_t count;
};

static void set(struct model *model, uint32_t place, uint32_t value)
{
    model->count += (value != NONE) - (size_t)(model->values[place] != NONE);
    model->values[place] = value;
}

static void check_neighbors(const struct tp_address_map *map, const struct model *model, uint32_t place)
{
    struct tp_address_entry entry;
    int64_t before = (int64_t)place - 1, from = place;
    while (before >= 0 && model->values[before] == NONE)
        before--;
    while (from < PLACES && model->values[from] == NONE)
        from++;
    assert_int_equal(tp_address_map_before(map, address_of(place), &entry), before >= 0);
    if (before >= 0)
        assert_int_equal(tp_address_entry_value(&entry), model->values[before]);
    assert_int_equal(tp_address_map_from(map, address_of(place), &entry), from < PLACES);
    if (from < PLACES)
        assert_int_equal(tp_address_entry_address(&entry), address_of((uint32_t)from));
}

static void check_all(const struct tp_address_map *map, const struct model *model)
{
    struct tp_address_entry entry;
    bool has_entry = tp_address_map_from(map, 0, &entry);
    size_t seen = 0;
    for (uint32_t place = 0; place < PLACES; place++) {
        if (model->values[place] == NONE)
            continue;
        assert_true(has_entry);
        assert_int_equal(tp_address_entry_address(&entry), address_of(place));
        assert_int_equal(tp_address_entry_value(&entry), model->values[place]);
        has_entry = tp_address_entry_next(&entry);
        seen++;
    }
    assert_false(has_entry);
    assert_int_equal(map->count, seen);
}

/* Runs random operations. A phase mostly adds, and the next phase mostly removes. */
static void run_operations(struct tp_address_map *map, struct model *model, uint64_t seed)
{
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t place = (uint32_t)(seed >> 33) % PLACES, die = (uint32_t)(seed >> 20) % 100;
        bool adds = i / 9000 % 2 == 0 ? die < 80 : die < 20;
        if (adds) {
            tp_address_map_put(map, address_of(place), i);
            set(model, place, i);
        } else {
            assert_int_equal(tp_address_map_remove(map, address_of(place)), model->values[place] != NONE);
            set(model, place, NONE);
        }
        const uint32_t *found = tp_address_map_find(map, address_of(place));
        assert_int_equal(found ? *found : NONE, model->values[place]);
        assert_int_equal(map->count, model->count);
        check_neighbors(map, model, (place * 7 + i) % PLACES);
        if (i % 5000 == 0)
            check_all(map, model);
    }
}

static void equals_a_plain_array(void **state)
{
    GUARD;
    struct tp_address_map map;
    static struct model model;
    tp_address_map_init(&map, &arena);
    for (uint64_t seed = 1; seed < 4; seed++) {
        tp_address_map_clear(&map);
        memset(model.values, 0xFF, sizeof model.values);
        model.count = 0;
        check_all(&map, &model);
        run_operations(&map, &model, seed);
    }
}

static void orders_of_insertion_do_not_matter(void **state)
{
    GUARD;
    struct tp_address_map up, down;
    struct tp_address_entry a, b;
    tp_address_map_init(&up, &arena);
    tp_address_map_init(&down, &arena);
    for (uint32_t i = 0; i < PLACES; i++) {
        tp_address_map_put(&up, address_of(i), i);
        tp_address_map_put(&down, address_of(PLACES - 1 - i), PLACES - 1 - i);
    }
    assert_true(tp_address_map_from(&up, 0, &a) && tp_address_map_from(&down, 0, &b));
    for (uint32_t i = 0; i < PLACES; i++) {
        assert_int_equal(tp_address_entry_value(&a), i);
        assert_int_equal(tp_address_entry_value(&b), i);
        assert_int_equal(tp_address_entry_next(&a), i + 1 < PLACES);
        assert_int_equal(tp_address_entry_next(&b), i + 1 < PLACES);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equals_a_plain_array, begin, end),
        cmocka_unit_test_setup_teardown(orders_of_insertion_do_not_matter, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
