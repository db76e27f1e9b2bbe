/* The lists of all rules, in the order of reports and in the order of evaluation. They define the number of each rule,
 * the count of rules, and the metrics finding.X. Everything else about a rule is in its row, in rules_*.c. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_LIST_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_LIST_H

/* All rules in the order of lists, JSON and metrics. New rules are added at the end, so that the numbers of old rules
 * do not change. */
/* clang-format off */
#define TP_RULE_LIST(RULE) \
    RULE(A1) RULE(A2) RULE(A3) RULE(A4) RULE(A5) RULE(A6) RULE(A8) RULE(A12) RULE(A13) RULE(B1) RULE(B2) RULE(B3) \
    RULE(B4) RULE(B5) RULE(C1) RULE(C2) RULE(C3) RULE(C6) RULE(C7) RULE(C10) RULE(C11) RULE(C13) RULE(D1) RULE(D2) \
    RULE(D3) RULE(D4) RULE(E1) RULE(E3) RULE(H1) RULE(H2) RULE(H3) RULE(H4) RULE(H5) RULE(H6) RULE(H7) RULE(H8) \
    RULE(H9) RULE(H10) RULE(H11) RULE(H12) RULE(H13) RULE(H14) RULE(H15) RULE(H16) RULE(H17) RULE(H18) RULE(H19) \
    RULE(H20) RULE(H21) RULE(R1) RULE(R2) RULE(R3) RULE(R4) RULE(R5) RULE(R6) RULE(C14) RULE(C15) RULE(C16) \
    RULE(C17) RULE(C18) RULE(C19) RULE(C20) RULE(C21) RULE(C22) RULE(C23) RULE(C24) RULE(C25) RULE(E4) RULE(E5) \
    RULE(E6) RULE(E7) RULE(E8) RULE(E9) RULE(E10) RULE(E11) RULE(C26)
/* clang-format on */

/* Number of each rule: its position in TP_RULE_LIST. */
enum tp_rule_id {
#define TP_RULE_NUMBER(id) TP_RULE_##id,
    TP_RULE_LIST(TP_RULE_NUMBER)
#undef TP_RULE_NUMBER
        TP_RULE_COUNT
};

/* One rule of each evaluate function, in the order in which the functions run. A function may use the findings of
 * earlier functions and the times that these findings cover. */
/* clang-format off */
#define TP_RULE_TURNS(RULE) \
    RULE(R2) RULE(C19) RULE(A5) RULE(A8) RULE(A12) RULE(B1) RULE(B3) RULE(B4) RULE(B5) RULE(E7) RULE(H1) RULE(H2) \
    RULE(H3) RULE(E9) RULE(E8) RULE(E11) RULE(E4) RULE(E6) RULE(A13) RULE(A3) RULE(A1) RULE(A2) RULE(C24) RULE(C1) \
    RULE(C6) RULE(C13) RULE(E1) RULE(C15) RULE(C17) RULE(C20) RULE(H4) RULE(H14) RULE(H16) RULE(H21) RULE(H18) \
    RULE(H5) RULE(H6) RULE(H7) RULE(H8) RULE(R5) RULE(R6) RULE(R1) RULE(D1) RULE(C26)
/* clang-format on */

#endif
