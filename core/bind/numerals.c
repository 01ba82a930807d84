#include "numerals.h"

struct bp_numerals bp_numerals_begin(void) {
    struct bp_numerals n = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (n.plain) {
        n.before = uselocale(n.plain);
    }
    return n;
}

void bp_numerals_end(const struct bp_numerals *numerals) {
    if (numerals->plain) {
        uselocale(numerals->before);
        freelocale(numerals->plain);
    }
}
