#include "kernel/serve/infer_session.h"

#include <math.h>

/* Halvings of the search for the age at which blocks are pushed out: 2^-40 of the bound is exact enough. */
enum { HALVINGS = 40 };

double bp_infer_pause_s(const struct bp_infer_session *s) {
    return s->turns > 1 ? s->think_s * (s->turns - 1) / s->turns : s->think_s;
}

/*
** Tokens in the pool when what nobody asked for is pushed out at an age of age_s: those of turns that come
** back are taken up again after an exponential time, those that do not stay. A turn of s tokens leaves j s
** behind the j-th, n s / 2 in the mean of those that go on, (n + 1) s / 2 of all.
*/
static double kept(const struct bp_infer_session *s, double rate_per_s, double age_s) {
    double turn = 2 * s->history / (s->turns - 1), back = s->same * (s->turns - 1) / s->turns;
    double returning = back * 0.5 * s->turns * turn, all = 0.5 * (s->turns + 1) * turn;
    return rate_per_s *
           (returning * -s->think_s * expm1(-age_s / s->think_s) + (all - returning) * age_s);
}

/* Least recently used goes first, all at about the same age: Che, Tung, Wang, IEEE JSAC 20 (2002). */
double bp_infer_history_found(const struct bp_infer_session *s, double rate_per_s, double room) {
    double low = 0, high = s->think_s;
    int i;
    if (!(s->history > 0 && s->turns > 1 && room > 0)) {
        return 0;
    }
    if (!(s->think_s > 0 && rate_per_s > 0)) {
        return s->same;
    }
    while (kept(s, rate_per_s, high) < room) {
        high *= 2;
    }
    for (i = 0; i < HALVINGS; i++) {
        double age_s = 0.5 * (low + high);
        if (kept(s, rate_per_s, age_s) < room) {
            low = age_s;
        } else {
            high = age_s;
        }
    }
    return s->same * -expm1(-0.5 * (low + high) / s->think_s);
}
