# shares.awk -v known="NS NS": checks the samples of a recorded `split`. The input has one event per line. `known` is
# the output of `split`. Prints the number of samples, the known share of one_quarter, the share of its samples by CPU
# time, the difference of the shares in percent, and the highest difference that may occur by chance (5 sigma).
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
