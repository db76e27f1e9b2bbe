/* Pixels in memory: see canvas.h. The letters are the 5x7 dot matrix of character displays: a byte per column, lowest
 * bit on top, the eighth row for descenders. */
#include "writer/canvas.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "writer/base/error.h"

enum { GLYPH_COLUMNS = 5, GLYPH_ROWS = 8, FIRST_GLYPH = ' ', LAST_GLYPH = '~' };

/* clang-format off */
static const uint8_t glyphs[LAST_GLYPH - FIRST_GLYPH + 1][GLYPH_COLUMNS] = {
    {0x00, 0x00, 0x00, 0x00, 0x00}, /*   */
    {0x00, 0x00, 0x5f, 0x00, 0x00}, /* ! */
    {0x00, 0x07, 0x00, 0x07, 0x00}, /* " */
    {0x14, 0x7f, 0x14, 0x7f, 0x14}, /* # */
    {0x24, 0x2a, 0x7f, 0x2a, 0x12}, /* $ */
    {0x23, 0x13, 0x08, 0x64, 0x62}, /* % */
    {0x36, 0x49, 0x56, 0x20, 0x50}, /* & */
    {0x00, 0x08, 0x07, 0x03, 0x00}, /* ' */
    {0x00, 0x1c, 0x22, 0x41, 0x00}, /* ( */
    {0x00, 0x41, 0x22, 0x1c, 0x00}, /* ) */
    {0x2a, 0x1c, 0x7f, 0x1c, 0x2a}, /* * */
    {0x08, 0x08, 0x3e, 0x08, 0x08}, /* + */
    {0x00, 0x80, 0x70, 0x30, 0x00}, /* , */
    {0x08, 0x08, 0x08, 0x08, 0x08}, /* - */
    {0x00, 0x00, 0x60, 0x60, 0x00}, /* . */
    {0x20, 0x10, 0x08, 0x04, 0x02}, /* / */
    {0x3e, 0x51, 0x49, 0x45, 0x3e}, /* 0 */
    {0x00, 0x42, 0x7f, 0x40, 0x00}, /* 1 */
    {0x72, 0x49, 0x49, 0x49, 0x46}, /* 2 */
    {0x21, 0x41, 0x49, 0x4d, 0x33}, /* 3 */
    {0x18, 0x14, 0x12, 0x7f, 0x10}, /* 4 */
    {0x27, 0x45, 0x45, 0x45, 0x39}, /* 5 */
    {0x3c, 0x4a, 0x49, 0x49, 0x31}, /* 6 */
    {0x41, 0x21, 0x11, 0x09, 0x07}, /* 7 */
    {0x36, 0x49, 0x49, 0x49, 0x36}, /* 8 */
    {0x46, 0x49, 0x49, 0x29, 0x1e}, /* 9 */
    {0x00, 0x00, 0x14, 0x00, 0x00}, /* : */
    {0x00, 0x40, 0x34, 0x00, 0x00}, /* ; */
    {0x00, 0x08, 0x14, 0x22, 0x41}, /* < */
    {0x14, 0x14, 0x14, 0x14, 0x14}, /* = */
    {0x00, 0x41, 0x22, 0x14, 0x08}, /* > */
    {0x02, 0x01, 0x59, 0x09, 0x06}, /* ? */
    {0x3e, 0x41, 0x5d, 0x59, 0x4e}, /* @ */
    {0x7c, 0x12, 0x11, 0x12, 0x7c}, /* A */
    {0x7f, 0x49, 0x49, 0x49, 0x36}, /* B */
    {0x3e, 0x41, 0x41, 0x41, 0x22}, /* C */
    {0x7f, 0x41, 0x41, 0x41, 0x3e}, /* D */
    {0x7f, 0x49, 0x49, 0x49, 0x41}, /* E */
    {0x7f, 0x09, 0x09, 0x09, 0x01}, /* F */
    {0x3e, 0x41, 0x41, 0x51, 0x73}, /* G */
    {0x7f, 0x08, 0x08, 0x08, 0x7f}, /* H */
    {0x00, 0x41, 0x7f, 0x41, 0x00}, /* I */
    {0x20, 0x40, 0x41, 0x3f, 0x01}, /* J */
    {0x7f, 0x08, 0x14, 0x22, 0x41}, /* K */
    {0x7f, 0x40, 0x40, 0x40, 0x40}, /* L */
    {0x7f, 0x02, 0x1c, 0x02, 0x7f}, /* M */
    {0x7f, 0x04, 0x08, 0x10, 0x7f}, /* N */
    {0x3e, 0x41, 0x41, 0x41, 0x3e}, /* O */
    {0x7f, 0x09, 0x09, 0x09, 0x06}, /* P */
    {0x3e, 0x41, 0x51, 0x21, 0x5e}, /* Q */
    {0x7f, 0x09, 0x19, 0x29, 0x46}, /* R */
    {0x26, 0x49, 0x49, 0x49, 0x32}, /* S */
    {0x03, 0x01, 0x7f, 0x01, 0x03}, /* T */
    {0x3f, 0x40, 0x40, 0x40, 0x3f}, /* U */
    {0x1f, 0x20, 0x40, 0x20, 0x1f}, /* V */
    {0x3f, 0x40, 0x38, 0x40, 0x3f}, /* W */
    {0x63, 0x14, 0x08, 0x14, 0x63}, /* X */
    {0x03, 0x04, 0x78, 0x04, 0x03}, /* Y */
    {0x61, 0x59, 0x49, 0x4d, 0x43}, /* Z */
    {0x00, 0x7f, 0x41, 0x41, 0x41}, /* [ */
    {0x02, 0x04, 0x08, 0x10, 0x20}, /* backslash */
    {0x00, 0x41, 0x41, 0x41, 0x7f}, /* ] */
    {0x04, 0x02, 0x01, 0x02, 0x04}, /* ^ */
    {0x40, 0x40, 0x40, 0x40, 0x40}, /* _ */
    {0x00, 0x03, 0x07, 0x08, 0x00}, /* ` */
    {0x20, 0x54, 0x54, 0x78, 0x40}, /* a */
    {0x7f, 0x28, 0x44, 0x44, 0x38}, /* b */
    {0x38, 0x44, 0x44, 0x44, 0x28}, /* c */
    {0x38, 0x44, 0x44, 0x28, 0x7f}, /* d */
    {0x38, 0x54, 0x54, 0x54, 0x18}, /* e */
    {0x00, 0x08, 0x7e, 0x09, 0x02}, /* f */
    {0x18, 0xa4, 0xa4, 0x9c, 0x78}, /* g */
    {0x7f, 0x08, 0x04, 0x04, 0x78}, /* h */
    {0x00, 0x44, 0x7d, 0x40, 0x00}, /* i */
    {0x20, 0x40, 0x40, 0x3d, 0x00}, /* j */
    {0x7f, 0x10, 0x28, 0x44, 0x00}, /* k */
    {0x00, 0x41, 0x7f, 0x40, 0x00}, /* l */
    {0x7c, 0x04, 0x78, 0x04, 0x78}, /* m */
    {0x7c, 0x08, 0x04, 0x04, 0x78}, /* n */
    {0x38, 0x44, 0x44, 0x44, 0x38}, /* o */
    {0xfc, 0x18, 0x24, 0x24, 0x18}, /* p */
    {0x18, 0x24, 0x24, 0x18, 0xfc}, /* q */
    {0x7c, 0x08, 0x04, 0x04, 0x08}, /* r */
    {0x48, 0x54, 0x54, 0x54, 0x24}, /* s */
    {0x04, 0x04, 0x3f, 0x44, 0x24}, /* t */
    {0x3c, 0x40, 0x40, 0x20, 0x7c}, /* u */
    {0x1c, 0x20, 0x40, 0x20, 0x1c}, /* v */
    {0x3c, 0x40, 0x30, 0x40, 0x3c}, /* w */
    {0x44, 0x28, 0x10, 0x28, 0x44}, /* x */
    {0x4c, 0x90, 0x90, 0x90, 0x7c}, /* y */
    {0x44, 0x64, 0x54, 0x4c, 0x44}, /* z */
    {0x00, 0x08, 0x36, 0x41, 0x00}, /* { */
    {0x00, 0x00, 0x77, 0x00, 0x00}, /* | */
    {0x00, 0x41, 0x36, 0x08, 0x00}, /* } */
    {0x02, 0x01, 0x02, 0x04, 0x02}, /* ~ */
};
/* clang-format on */

int tp_canvas_init(struct tp_canvas *canvas, unsigned width, unsigned height)
{
    *canvas = (struct tp_canvas){.width = width, .height = height};
    if (width == 0 || height == 0 || width > TP_CANVAS_MAX || height > TP_CANVAS_MAX)
        return TP_ELIMIT;
    canvas->rgb = malloc((size_t)width * height * 3);
    if (!canvas->rgb)
        return TP_ENOMEM;
    memset(canvas->rgb, 0xFF, (size_t)width * height * 3);
    return TP_OK;
}

void tp_canvas_release(struct tp_canvas *canvas)
{
    free(canvas->rgb);
    canvas->rgb = NULL;
}

static int clamp(int value, unsigned most)
{
    return value < 0 ? 0 : value > (int)most ? (int)most : value;
}

void tp_canvas_fill(struct tp_canvas *canvas, struct tp_box box, uint32_t colour)
{
    int x0 = clamp(box.x, canvas->width), x1 = clamp(box.x + box.width, canvas->width);
    int y0 = clamp(box.y, canvas->height), y1 = clamp(box.y + box.height, canvas->height);
    for (int y = y0; y < y1; y++) {
        uint8_t *pixel = canvas->rgb + ((size_t)y * canvas->width + (size_t)x0) * 3;
        for (int x = x0; x < x1; x++, pixel += 3) {
            pixel[0] = (uint8_t)(colour >> 16);
            pixel[1] = (uint8_t)(colour >> 8);
            pixel[2] = (uint8_t)colour;
        }
    }
}

int tp_canvas_text_width(const char *text, int scale)
{
    return (int)strlen(text) * (GLYPH_COLUMNS + 1) * scale;
}

/* Whether a letter has a dot there. */
static bool has_dot(const uint8_t *glyph, int column, int row)
{
    return column >= 0 && column < GLYPH_COLUMNS && row >= 0 && row < GLYPH_ROWS && (glyph[column] >> row & 1);
}

/* Square of the distance of (x, y) to the line from a dot to one beside it; in dots. */
static double squared_distance(double x, double y, int column, int row, int across, int down)
{
    double dx = x - column, dy = y - row, length = across * across + down * down;
    double share = length > 0 ? fmin(fmax((dx * across + dy * down) / length, 0), 1) : 0;
    dx -= share * across;
    dy -= share * down;
    return dx * dx + dy * dy;
}

/* Distance of a place to the strokes of a letter, where it is below 1.5 dots. A dot is joined to the dots beside it,
 * and across a corner to one that nothing else joins it to: strokes are round, and a slope has no stairs. */
static double distance_to(const uint8_t *glyph, double x, double y)
{
    static const struct {
        int across, down;
    } ways[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    double nearest = 4;
    for (int column = (int)x - 2; column <= (int)x + 2; column++)
        for (int row = (int)y - 2; row <= (int)y + 2; row++)
            for (size_t w = 0; w < sizeof ways / sizeof *ways && has_dot(glyph, column, row); w++) {
                int across = ways[w].across, down = ways[w].down;
                bool is_corner = across && down;
                if (has_dot(glyph, column + across, row + down) &&
                    !(is_corner && (has_dot(glyph, column + across, row) || has_dot(glyph, column, row + down))))
                    nearest = fmin(nearest, squared_distance(x, y, column, row, across, down));
            }
    return sqrt(nearest);
}

/* Lays a colour over a pixel: share 0 leaves it, 1 hides it. */
static void blend(const struct tp_canvas *canvas, int x, int y, uint32_t colour, double share)
{
    if (share <= 0 || x < 0 || y < 0 || x >= (int)canvas->width || y >= (int)canvas->height)
        return;
    uint8_t *pixel = canvas->rgb + ((size_t)y * canvas->width + (size_t)x) * 3;
    for (int part = 0; part < 3; part++) {
        double ink = colour >> (16 - 8 * part) & 0xFF;
        pixel[part] = (uint8_t)lround(pixel[part] + (ink - pixel[part]) * fmin(share, 1));
    }
}

void tp_canvas_text(struct tp_canvas *canvas, int x, int y, int scale, uint32_t colour, const char *text)
{
    const double radius = 0.44; /* of a stroke, in dots */
    for (; *text && x < (int)canvas->width; text++, x += (GLYPH_COLUMNS + 1) * scale) {
        const uint8_t *glyph = glyphs[(*text >= FIRST_GLYPH && *text <= LAST_GLYPH ? *text : '?') - FIRST_GLYPH];
        for (int down = 0; down < GLYPH_ROWS * scale; down++)
            for (int across = 0; across < GLYPH_COLUMNS * scale; across++) {
                double distance = distance_to(glyph, (across + 0.5) / scale - 0.5, (down + 0.5) / scale - 0.5);
                blend(canvas, x + across, y + down, colour, (radius - distance) * scale + 0.5);
            }
    }
}

/* ---- PNG ---- */

static void put_be(unsigned char *out, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void add_chunk(struct tp_buf *out, const char *type, const void *bytes, size_t size)
{
    unsigned char number[4];
    uLong crc = crc32(crc32(0, NULL, 0), (const Bytef *)type, 4);
    put_be(number, (uint32_t)size);
    tp_buf_add(out, number, sizeof number);
    tp_buf_add(out, type, 4);
    tp_buf_add(out, size ? bytes : "", size);
    put_be(number, (uint32_t)(size ? crc32(crc, bytes, (uInt)size) : crc));
    tp_buf_add(out, number, sizeof number);
}

/* Each row begins with its filter: 0, as it is. */
static unsigned char *make_rows(const struct tp_canvas *canvas)
{
    size_t row = (size_t)canvas->width * 3;
    unsigned char *rows = malloc((row + 1) * canvas->height);
    for (unsigned y = 0; rows && y < canvas->height; y++) {
        rows[y * (row + 1)] = 0;
        memcpy(rows + y * (row + 1) + 1, canvas->rgb + y * row, row);
    }
    return rows;
}

void tp_canvas_png(const struct tp_canvas *canvas, struct tp_buf *out)
{
    enum { BITS = 8, COLOUR_RGB = 2 };
    unsigned char header[13] = {0};
    size_t size = ((size_t)canvas->width * 3 + 1) * canvas->height;
    uLongf packed_size = compressBound(size);
    unsigned char *rows = make_rows(canvas), *packed = malloc(packed_size);
    if (!rows || !packed || compress2(packed, &packed_size, rows, size, Z_BEST_COMPRESSION) != Z_OK) {
        out->failed = out->failed ? out->failed : TP_ENOMEM;
    } else {
        put_be(header, canvas->width);
        put_be(header + 4, canvas->height);
        header[8] = BITS;
        header[9] = COLOUR_RGB;
        tp_buf_add(out, "\x89PNG\r\n\x1a\n", 8);
        add_chunk(out, "IHDR", header, sizeof header);
        add_chunk(out, "IDAT", packed, packed_size);
        add_chunk(out, "IEND", NULL, 0);
    }
    free(rows);
    free(packed);
}
