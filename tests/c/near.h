/*
** Comparing doubles in tests. cmocka 1.1.5 compares floats in single precision, so tests use
** assert_near(actual, expected, relative tolerance).
*/
#ifndef BP_TESTS_NEAR_H
#define BP_TESTS_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_near(actual, expected, rel)                                                         \
    near_check((actual), (expected), (rel), __FILE__, __LINE__)

static inline void near_check(double actual, double expected, double rel, const char *file,
                              int line) {
    if (!(fabs(actual - expected) <= rel * fabs(expected) + 1e-300)) {
        print_error("%.17g is not within %g of %.17g\n", actual, rel, expected);
        _fail(file, line);
    }
}

#endif
