/*
** Quasi-random points: a rank-1 lattice in the order of its radical inverses, so that every first 2^m points
** are a lattice by themselves, shifted at random by the seed and folded (the tent of Hickernell, 2002). The
** arithmetic is of whole numbers: a point is the same on every machine, whoever asks for it and in which order.
*/
#ifndef BP_STATS_LATTICE_H
#define BP_STATS_LATTICE_H

#include <stddef.h>
#include <stdint.h>

enum { BP_LATTICE_DIMENSIONS = 60, BP_LATTICE_POINTS = 1 << 20 };

/* The shift of one coordinate for a seed. */
uint32_t bp_lattice_shift(uint64_t seed, size_t dimension);

/*
** Coordinate `dimension` (from 0) of the points first .. first + count, in units of 2^-32; the centre of such
** a cell, (x + 0.5) * 2^-32, is between 0 and 1.
*/
void bp_lattice_points(size_t dimension, uint32_t shift, uint32_t first, size_t count,
                       uint32_t *out);

#endif
