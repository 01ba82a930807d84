/*
** core.batch{inputs =, coefficients =, measured =} holds many inputs of train_step, resolved:
**   inputs        list of inputs of train_step
**   coefficients  list of {field = "profile.gemm", prior, width, low, high, times, rows}; see
**                 core/stats/train_fit.h. rows lists the inputs it applies to (default: all)
**   measured      seconds of a step per input; false = not measured
** Its methods:
**   batch:steps(x)      seconds of a step per input, as it came when x is nil
**   batch:residuals(x)  ln(estimated / measured), false where nothing was measured
**   batch:values(x)     values of the coefficients
**   batch:spreads(x, deviations)
**                       standard deviation of ln(step) that those of the coefficients leave, per input
**   batch:slopes(x)     by how much ln(step) grows with each coefficient, per width: a list per input, false where
**                       it has no step
**   batch:fit{weights =, start =, iterations =, loss =, least_scale =, most_scale =}
**                       {x, deviations, scale}; loss is "cauchy", "huber" or "square"
*/
#ifndef BP_BIND_BATCH_H
#define BP_BIND_BATCH_H

#include <lua.h>

int bp_core_batch(lua_State *L);

#endif
