# instructions.awk FUNCTIONS CALLGRIND SAMPLES: checks that samples fall on the functions whose instructions were counted.
#
# FUNCTIONS has sorted lines "begin end" in hex, which readelf reads from .eh_frame. CALLGRIND is a dump by instruction
# (--dump-instr=yes --compress-pos=no --compress-strings=no). SAMPLES has a line per sample of the object's own code, with
# the name NAME+0xBEGIN. -v object is the path of the object. -v stubs is the start of its sections of stubs (.plt), in
# hex. Callgrind does not count instructions of stubs, so samples in them are ignored. Neither does it count code outside
# of functions (.fini), which may have a hundredth of the samples. Prints a line per function, and the faults.
#
# Instructions are not time: a function that waits for memory takes several times as long per instruction. So the largest
# function must be the same. Its share may differ as if other instructions took half to twice as long as its own. The share
# of each other function with 5 % must be right within a factor of 4. No sample may be in a function that never ran.
function hex(text) {
    sub(/^0x/, "", text)
    text = sprintf("%16s", text)
    gsub(/ /, "0", text)
    return text
}
function find(at, low, high, middle) {
    low = 1
    high = count
    while (low < high) {
        middle = int((low + high + 1) / 2)
        if (begin[middle] <= at) low = middle
        else high = middle - 1
    }
    return low
}
BEGIN {
    stub_count = split(stubs, named)
    for (i = 1; i <= stub_count; i++) is_stub[hex(named[i])] = 1
}
FNR == 1 { file++ }
file == 1 { begin[++count] = hex($1); end[count] = hex($2); is_function[begin[count]] = 1; next }
file == 2 && /^ob=/ { is_in = substr($0, 4) == object; next }
file == 2 && /^calls=/ { getline; next } # skips the cost of the called function
file == 2 && is_in && /^0x/ {
    at = hex($1)
    if (at < begin[f] || at >= end[f]) f = find(at)
    if (at >= begin[f] && at < end[f]) { ran[begin[f]] += $3; all += $3 }
    next
}
file == 3 {
    sub(/.*\+/, "")
    at = hex($1)
    if (at in is_stub) next
    if (!(at in is_function)) { outside[at]++; outside_count++; next }
    seen[at]++
    samples++
}
END {
    for (f in ran) if (ran[f] > ran[top]) top = f
    for (f in seen) {
        if (seen[f] > seen[most]) most = f
        if (!(f in ran)) { print "never run, but sampled:", f; is_wrong = 1 }
    }
    for (at in outside) print outside[at], "samples in no function:", at
    is_wrong = is_wrong || outside_count * 100 > samples
    for (f in ran) {
        counted = ran[f] / all
        sampled = seen[f] / samples
        if (counted < .05 && sampled < .05) continue
        print f, counted, "of instructions,", sampled, "of samples"
        least = f == top ? counted / (counted + (1 - counted) * 2) : counted / 4
        most_of_it = f == top ? counted / (counted + (1 - counted) / 2) : counted * 4
        is_wrong = is_wrong || (counted >= .05 && (sampled < least || sampled > most_of_it))
    }
    print samples, "samples"
    exit !(samples >= 100 && top == most && !is_wrong)
}
