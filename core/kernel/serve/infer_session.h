/*
** Sessions of several turns: what was said waits in the KV pool for the next turn, or is pushed out by
** what others said since.
*/
#ifndef BP_KERNEL_INFER_SESSION_H
#define BP_KERNEL_INFER_SESSION_H

struct bp_infer_session {
    double history; /* tokens of a prompt that were said before, mean over all turns */
    double turns;
    double think_s; /* from an answer to the next turn, mean */
    double same;    /* chance that the next turn comes to the same replica */
};

/* A client thinks for so long after an answer in the mean; after the last of a session it does not. */
double bp_infer_pause_s(const struct bp_infer_session *s);

/*
** Share of the history that a turn finds, when requests are answered at rate_per_s and `room` tokens of
** the pool are not held by those that run.
*/
double bp_infer_history_found(const struct bp_infer_session *s, double rate_per_s, double room);

#endif
