/* From one step to the whole run: days, device-hours, money, energy; and the other way round. */
#ifndef BP_KERNEL_RUN_H
#define BP_KERNEL_RUN_H

#include "kernel/field.h"
#include "kernel/status.h"

/* Average of 2023 in Google's data centres: Google Environmental Report 2024. */
#define BP_PUE 1.1

/* No device costs more (assumption: a thousand times what any does). */
#define BP_MOST_USD_H 1e6

#define BP_RUN_IN_FIELDS(F, S)                                                                     \
    F(S, NUM, step_s, , "s", BP_REQUIRED, 1e-9, 1e9, "one optimizer step")                         \
    F(S, NUM, batch_tokens, , "tok", BP_REQUIRED, 1, 1e15, "tokens (or samples) of one step")      \
    F(S, NUM, tokens, , "tok", BP_REQUIRED, 1, 1e18, "tokens (or samples) of the run")             \
    F(S, INT, devices, , "", BP_REQUIRED, 1, 1e8, "devices that are held")                         \
    F(S, NUM, goodput_frac, , "frac", 1, 1e-6, 1, "share of the time that is progress")            \
    F(S, NUM, overhead_factor, , "", 1, 0.01, 1000,                                                \
      "time on top that no part of the model explains")                                            \
    F(S, NUM, price_usd_h, , "USD/h", 0, 0, BP_MOST_USD_H,                                         \
      "one device for one hour; 0 = not asked")                                                    \
    F(S, NUM, power_w, , "W", 0, 0, 1e6,                                                           \
      "mean draw of one device with its share of the host; 0 = not asked")                         \
    F(S, NUM, pue, , "", BP_PUE, 1, 10, "power of the data centre over that of its computers")
BP_DECLARE_STRUCT(bp_run_in, BP_RUN_IN_FIELDS);

#define BP_RUN_OUT_FIELDS(F, S)                                                                    \
    F(S, NUM, steps, , "", 0, 0, BP_ANY, "optimizer steps")                                        \
    F(S, NUM, productive_s, , "s", 0, 0, BP_ANY, "steps * step_s")                                 \
    F(S, NUM, wall_s, , "s", 0, 0, BP_ANY, "time from start to end")                               \
    F(S, NUM, device_s, , "device s", 0, 0, BP_ANY, "device time held")                            \
    F(S, NUM, tokens_per_s, , "tok/s", 0, 0, BP_ANY, "tokens per second over the wall time")       \
    F(S, NUM, cost_usd, , "USD", 0, 0, BP_ANY, "device time at the price")                         \
    F(S, NUM, usd_per_tok, , "USD/tok", 0, 0, BP_ANY, "cost per token")                            \
    F(S, NUM, energy_j, , "J", 0, 0, BP_ANY, "energy at the meter of the data centre")
BP_DECLARE_STRUCT(bp_run_out, BP_RUN_OUT_FIELDS);

int bp_run(const struct bp_run_in *in, struct bp_run_out *out, struct bp_error *err);

/*
** Device time is what money buys, and what the FLOP need: devices * deadline = budget / price =
** flop / (peak * MFU). Two equations in four unknowns.
*/
#define BP_BUDGET_IN_FIELDS(F, S)                                                                  \
    F(S, NUM, flop, , "FLOP", BP_REQUIRED, 1, 1e33, "model FLOP of the run")                       \
    F(S, NUM, peak_flop_s, , "FLOP/s", BP_REQUIRED, 1e6, 1e21, "dense peak of one device")         \
    F(S, NUM, price_usd_h, , "USD/h", BP_REQUIRED, 1e-6, BP_MOST_USD_H, "one device for one hour") \
    F(S, NUM, budget_usd, , "USD", 0, 0, 1e15, "what may be spent; 0 = asked")                     \
    F(S, NUM, deadline_s, , "s", 0, 0, 1e12, "when it must be done; 0 = asked")                    \
    F(S, NUM, mfu_frac, , "frac", 0, 0, 1, "efficiency, goodput included; 0 = asked")              \
    F(S, INT, devices, , "", 0, 0, 1e8, "devices; 0 = asked")                                      \
    F(S, INT, multiple, , "", 1, 1, 1e6, "devices come in multiples of this (nodes, pods)")
BP_DECLARE_STRUCT(bp_budget_in, BP_BUDGET_IN_FIELDS);

#define BP_BUDGET_OUT_FIELDS(F, S)                                                                 \
    F(S, FLAG, feasible, , "", 0, 0, 1, "budget, deadline and MFU can all be met")                 \
    F(S, NUM, devices, , "", 0, 0, BP_ANY, "devices, rounded to the multiple")                     \
    F(S, NUM, devices_exact, , "", 0, 0, BP_ANY, "devices before rounding")                        \
    F(S, NUM, mfu_frac, , "frac", 0, 0, BP_ANY, "MFU that has to be reached (or was given)")       \
    F(S, NUM, deadline_s, , "s", 0, 0, BP_ANY, "time it takes")                                    \
    F(S, NUM, cost_usd, , "USD", 0, 0, BP_ANY, "what it costs")                                    \
    F(S, NUM, device_s, , "device s", 0, 0, BP_ANY, "device time it takes")
BP_DECLARE_STRUCT(bp_budget_out, BP_BUDGET_OUT_FIELDS);

int bp_budget(const struct bp_budget_in *in, struct bp_budget_out *out, struct bp_error *err);

#endif
