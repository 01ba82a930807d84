#include "lattice.h"

/*
** Generating vector for up to 2^20 points: Cools, Kuo and Nuyens, SIAM J. Sci. Comput. 28 (2006), "exod2_base2_m20";
** recalled from F. Kuo's page of lattice rules. test_draws checks what it is used for: its error.
*/
static const uint32_t generator[BP_LATTICE_DIMENSIONS] = {
    1,      182667, 469891, 498753, 110745, 446247, 250185, 118627, 245333, 283199, 408519, 391023,
    246327, 126539, 399185, 461527, 300343, 69681,  516695, 436179, 106383, 238523, 413283, 70841,
    47719,  300129, 113029, 123925, 410745, 211325, 17489,  511893, 40767,  186077, 519471, 255369,
    101819, 243573, 66189,  152143, 503455, 113217, 132603, 463967, 297717, 157383, 224015, 502917,
    36237,  94049,  170665, 79397,  123963, 223451, 323871, 303633, 98567,  318855, 494245, 477137,
};

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t mixed(uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

uint32_t bp_lattice_shift(uint64_t seed, size_t dimension) {
    return (uint32_t)(mixed(mixed(seed) + dimension) >> 32);
}

static uint32_t reversed(uint32_t x) {
    x = (x >> 16) | (x << 16);
    x = ((x >> 8) & 0x00ff00ffU) | ((x & 0x00ff00ffU) << 8);
    x = ((x >> 4) & 0x0f0f0f0fU) | ((x & 0x0f0f0f0fU) << 4);
    x = ((x >> 2) & 0x33333333U) | ((x & 0x33333333U) << 2);
    return ((x >> 1) & 0x55555555U) | ((x & 0x55555555U) << 1);
}

void bp_lattice_points(size_t dimension, uint32_t shift, uint32_t first, size_t count,
                       uint32_t *out) {
    uint32_t z = generator[dimension];
    size_t i;
    for (i = 0; i < count; i++) {
        uint32_t x = reversed(first + (uint32_t)i) * z + shift;
        /* Up and down again: the ends of the unit interval meet, and a smooth function stays smooth there. */
        out[i] = (x & 0x80000000U ? ~x : x) << 1;
    }
}
