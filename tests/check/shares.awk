# shares.awk -v known="NS NS": events of a recorded `split`, a line each; known: what it has printed. Prints the number of
# samples, the share of one_quarter that is known, the share that its samples have, by processor time, how far that is off
# in percent of all, and how far it may be off by chance (5 sigma).
/"cat":"cpu_sample"/ {
    match($0, /"cpu ns":[0-9]+/)
    ns = substr($0, RSTART + 9, RLENGTH - 9)
    quarter = /one_quarter/
    if (!quarter && !/three_quarters/) next
    count++
    all += ns
    squares += ns * ns
    part += quarter * ns
}
END {
    split(known, told, " ")
    share = told[1] / (told[1] + told[2])
    seen = all ? part / all : 0
    chance = all ? 5 * sqrt(share * (1 - share) * squares) / all : 1
    off = seen > share ? seen - share : share - seen
    printf "%d %.4f %.4f %.2f %.2f\n", count, share, seen, 100 * off, 100 * chance
}
