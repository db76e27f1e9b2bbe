# Prints a page with 30 lines HELLO as a PGM picture, as input for programs that recognize text.
BEGIN {
    glyph["H"] = "10001 10001 10001 11111 10001 10001 10001"; glyph["E"] = "11111 10000 10000 11110 10000 10000 11111"
    glyph["L"] = "10000 10000 10000 10000 10000 10000 11111"; glyph["O"] = "01110 10001 10001 10001 10001 10001 01110"
    text = "HELLO"; scale = 6; lines = 30
    print "P2", (length(text) * 6 + 4) * scale, (lines * 10 + 4) * scale, 255
    for (y = 0; y < lines * 10 + 4; y++) {
        row = ""; r = (y - 2) % 10
        for (x = 0; x < length(text) * 6 + 4; x++) {
            c = int((x - 2) / 6); k = (x - 2) % 6; dot = 255
            if (x > 1 && y > 1 && r < 7 && k < 5 && c < length(text)) {
                split(glyph[substr(text, c + 1, 1)], rows, " "); dot = substr(rows[r + 1], k + 1, 1) == 1 ? 0 : 255
            }
            for (i = 0; i < scale; i++) row = row " " dot
        }
        for (i = 0; i < scale; i++) print row
    }
}
