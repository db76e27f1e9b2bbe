/* Constants that were fitted to recordings, with the number of recordings and the measured costs.
 *
 * All constants are costs that recording adds to a program. They are defaults for thresholds of rule H6
 * (rules_python.c), so a user can replace them with --rule, except the cost of small blocks. docs/definitions.md ("What
 * recording changes") describes their use.
 *
 * The recordings are from programs of PyTorch 1.8 to 2.13 on the CPU. Each program was timed in the same process before
 * and after the recording.
 *
 * | constant        | recordings | measured                                                     |
 * |-----------------|------------|--------------------------------------------------------------|
 * | frame_ns        | 93         | 150 ns per Python frame                                      |
 * | operator_ns     | 93         | 300 ns per operator                                          |
 * | shapes_ns       | 16         | 150 ns more per operator with shapes, in most operators      |
 * | memory_ns       | 93         | 200 ns per record of a block that returns, up to 2 us if new |
 * | (small blocks)  | 24         | 100 to 150 ns per record of a block of at most 64 bytes      |
 * | python_times    | 26         | Python 3.11: 1.3 to 2.1 times as long; 1.65 fits best        |
 *
 * Other versions of Python: 3.10 takes 1.13 times as long; 3.8, 3.9, 3.12 and 3.13 take as long as without recording.
 * After subtracting these costs and those of new pages, the 93 recordings took 1.07 times as long as the programs
 * (median). 24 later recordings took 1.12 times as long (median); AdamW steps of 90 tensors took 0.95 times as long,
 * and 0.67 times as long with memory_ns for all records.
 *
 * shapes_ns is the median cost, not the mean of 300 ns. The recorder rarely takes 30 to 250 us to enlarge its memory,
 * in any operator. With the mean, the shares of 16 functions full of short operators were 5.3 points below their shares
 * of the time without recording (mean); with the median, they are 3.0 points below.
 */
#ifndef TP_WEBREPORT_MEASURE_RULES_FITTED_COSTS_H
#define TP_WEBREPORT_MEASURE_RULES_FITTED_COSTS_H

#define TP_FITTED_FRAME_NS 150
#define TP_FITTED_OPERATOR_NS 300
#define TP_FITTED_SHAPES_NS 150
#define TP_FITTED_MEMORY_NS 500
#define TP_FITTED_SMALL_MEMORY_NS 150
#define TP_FITTED_PYTHON_TIMES 1.65

/* The minor version of Python 3 that runs slower while frames are recorded. Python 3.11 searches for listeners at each
 * instruction. */
#define TP_FITTED_SLOWED_PYTHON 11

/* Functions that nearly every PyTorch program calls, with the lines where Python 3.11.2 and 3.11.7 define them. Other
 * versions define them at very different lines. X(path, function, first line, last line). */
#define TP_FITTED_PYTHON_LINES(X)                                                                                      \
    X("typing.py", "inner", 330, 365) X("typing.py", "cast", 2190, 2300) X("enum.py", "__hash__", 1215, 1240)

#endif
