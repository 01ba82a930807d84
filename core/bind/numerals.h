/*
** How numbers stand in texts: with a point, whatever setlocale() says of the program that the library is a part of. Of
** the calling thread alone, for a while.
*/
#ifndef BP_BIND_NUMERALS_H
#define BP_BIND_NUMERALS_H

#include <locale.h>

struct bp_numerals {
    locale_t plain, before;
};

/* From here on, until the end. */
struct bp_numerals bp_numerals_begin(void);

/* As it was before. */
void bp_numerals_end(const struct bp_numerals *numerals);

#endif
