# Tests dumps of PyTorch's Flight Recorder. check/flight_dumps.py makes dumps with planted faults, and knows the answers. torch wrote
# the dumps in data/flight for this project (torch/flight_dumps.py). With ../shared, the answers also equal those of an independent
# implementation, for its dumps and for new ones of 16 to 1,024 ranks.
. tests/suites/case.sh
python=$(command -v python3)
script=$PWD/tests/check/flight_dumps.py
if [ -z "$python" ]; then
    skip "dumps of the Flight Recorder" "no python3"
    exit 0
fi
is_checked && export CHECKED=1
flight() { "$python" "$script" "$TP" "$WORK" "$@"; }
check "a job whose calls have all ended is healthy" flight healthy
check "a stage that sends nothing holds up the next one" flight pipeline_stalled
check "two ranks that hold up one rank each" flight two_culprits
check "the lines of a finding are those of waiting ranks" flight places
check "wrong calls are marked in their own group" flight marked_calls
check "a rank that left out a call" flight left_out
check "a full ring of calls hides whether a rank was in a call" flight ring
check "a missing dump gives no verdict if nothing waits" flight lost_file
check "pickles, JSON and gzip give one answer, and equal pages" flight forms
check "two recorders of one rank" flight two_recorders
check "the faults in dumps that torch wrote are found" flight planted "$DATA/flight"
check "hostile dumps run nothing and need little memory" flight hostile
check "commands, options and exit codes" flight usage
reference=$SHARED/oracle/flight/flight_ref.py
if [ -f "$reference" ]; then
    check "every value equals an independent implementation" flight reference "$reference" "$SHARED"/data/flight/fixtures/* "$SHARED"/data/flight/synthetic/* \
        "$SHARED"/data/flight/hostile/*
    made() { # SCENARIO STAGES TENSOR DATA: compares the answer for a made job
        "$python" "$SHARED/oracle/flight/fr_gen.py" "$WORK/made_$1_$2" "$1" "$2" "$3" "$4" && flight reference "$reference" "$WORK/made_$1_$2"
    }
    for scenario in healthy stall tp_order dp_size p2p_missing gpu_behind inside coalesced ring died slow two_faults; do
        check "64 ranks: $scenario" made $scenario 4 4 4
    done
    made_large() { made stall 8 8 16; }
    if is_checked; then
        skip "1,024 ranks" "programs with sanitizers are slow"
    else
        check "1,024 ranks" made_large
        second() { (ulimit -t 2 && timeout 5 "$TP" hang "$WORK/made_stall_8" -q >/dev/null; [ $? = 1 ]); }
        check "1,024 ranks need less than two seconds of processor time" second
    fi
else
    skip "every value equals an independent implementation" "no $reference"
fi
