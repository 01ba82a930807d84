#include "sim.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "kernel/schedule/schedule.h"
#include "setters.h"
#include "sim/schedules.h"

/* Lists of numbers and of operations are Lua values that are read apart. */
#define BP_PIPELINE_IN_FIELDS(F, S)                                                                \
    F(S, INT, stages, , "", BP_REQUIRED, 1, 4096, "devices (groups) of the pipeline")              \
    F(S, INT, micro_batches, , "", BP_REQUIRED, 1, 1048576, "micro-batches of a step")             \
    F(S, INT, vpp, , "", 1, 1, 256, "virtual stages per device (interleaving)")                    \
    F(S, ENUM, schedule, bp_schedule, "", BP_SCHEDULE_1F1B, 0, 0, "order of the micro-batches")    \
    F(S, NOTE, order, , "", 0, 0, 0, "instead of schedule: per device a list of operations")       \
    F(S, ENUM, layout, bp_pipe_layout, "", BP_PIPE_LAYOUT_LOOP, 0, 0,                              \
      "where the stages of an order of one's own lie")                                             \
    F(S, INT, group, , "", 0, 0, 1048576,                                                          \
      "micro-batches that interleaving takes through one chunk at a time; 0 = see bubble's group") \
    F(S, NOTE, forward_s, , "s", 0, 0, 0, "of a device and micro-batch, or a list by stage")       \
    F(S, NOTE, backward_s, , "s", 0, 0, 0, "whole backward, the same way; 2 * forward_s")          \
    F(S, NOTE, weight_s, , "s", 0, 0, 0, "its weight-gradient part; backward_s / 2")               \
    F(S, NOTE, activation_bytes, , "B", 0, 0, 0, "kept per device and micro-batch, or by stage")   \
    F(S, NUM, send_s, , "s", 0, 0, 1e9, "from the end on one device to the arrival on the next")   \
    F(S, NUM, weight_frac, , "frac", BP_WEIGHT_SHARE, 0, 1,                                        \
      "share of the activations that waits for W, see bubble")                                     \
    F(S, NUM, pair_frac, , "frac", 1, 0.5, 1,                                                      \
      "time of a forward and a backward run together, over their sum")                             \
    F(S, FLAG, steps, , "", 0, 0, 1, "list every operation with its start and end")
BP_DECLARE_STRUCT(bp_pipeline_in, BP_PIPELINE_IN_FIELDS);
BP_DEFINE_SCHEMA(bp_pipeline_in, BP_PIPELINE_IN_FIELDS, "pipeline",
                 "a pipeline schedule to simulate");

enum { PATH_CHARS = 64, TEXT_CHARS = 160 };

struct simulation {
    lua_State *L;
    struct bp_pipeline_in in;
    struct bp_pipe pipe;
    struct bp_pipe_work work;
    struct bp_pipe_times times;
    double *forward_s, *backward_s, *weight_s, *kept;
    int own_order, even;
};

static int raise_at(lua_State *L, const char *path, const char *format, double a, double b) {
    char text[TEXT_CHARS];
    snprintf(text, sizeof text, format, a, b);
    return bp_raise_input(L, path, text);
}

/* The number on top of the stack, which goes; not negative and finite. */
static double take_number(lua_State *L, const char *path) {
    double value;
    if (lua_type(L, -1) != LUA_TNUMBER) {
        bp_raise_input(L, path, "must be a number or a list of numbers, one per stage");
    }
    value = lua_tonumber(L, -1);
    if (!(value >= 0 && value <= 1e18)) {
        raise_at(L, path, "must be from 0 to 1e18, got %g", value, 0);
    }
    lua_pop(L, 1);
    return value;
}

/* One number for every device, which its chunks share, or a list by stage; 0 when neither is given. */
static int read_stages(struct simulation *s, const char *name, double *to) {
    const struct bp_pipe_shape *shape = &s->pipe.shape;
    int32_t i, stages = bp_pipe_stages(shape);
    int kind = lua_getfield(s->L, 1, name);
    if (kind == LUA_TNIL) {
        lua_pop(s->L, 1);
        return 0;
    }
    if (kind != LUA_TTABLE) {
        double parts = shape->layout == BP_PIPE_LAYOUT_BOTH_WAYS ? 1 : shape->chunks;
        double value = take_number(s->L, name);
        for (i = 0; i < stages; i++) {
            to[i] = value / parts;
        }
        return 1;
    }
    if (lua_rawlen(s->L, -1) != (lua_Unsigned)stages) {
        raise_at(s->L, name, "must list %.0f stages in the order of the model, got %.0f", stages,
                 (double)lua_rawlen(s->L, -1));
    }
    for (i = 0; i < stages; i++) {
        char path[PATH_CHARS];
        snprintf(path, sizeof path, "%s[%d]", name, (int)i + 1);
        lua_rawgeti(s->L, -1, i + 1);
        to[i] = take_number(s->L, path);
        s->even = s->even && to[i] <= to[0] && to[i] >= to[0];
    }
    lua_pop(s->L, 1);
    return 1;
}

static void read_numbers(struct simulation *s) {
    int32_t i, stages = bp_pipe_stages(&s->pipe.shape);
    double chunks = s->pipe.shape.layout == BP_PIPE_LAYOUT_BOTH_WAYS ? 1 : s->pipe.shape.chunks;
    double sum = 0;
    int forward, backward, weight, kept;
    s->even = 1;
    forward = read_stages(s, "forward_s", s->forward_s);
    backward = read_stages(s, "backward_s", s->backward_s);
    weight = read_stages(s, "weight_s", s->weight_s);
    kept = read_stages(s, "activation_bytes", s->kept);
    for (i = 0; i < stages; i++) {
        s->forward_s[i] = forward ? s->forward_s[i] : 1 / chunks;
        s->backward_s[i] = backward ? s->backward_s[i] : 2 * s->forward_s[i];
        s->weight_s[i] = weight ? s->weight_s[i] : s->backward_s[i] / 2;
        s->kept[i] = kept ? s->kept[i] : 1 / chunks;
        if (s->weight_s[i] > s->backward_s[i]) {
            raise_at(s->L, "weight_s", "must be a part of backward_s (%g s), got %g",
                     s->backward_s[i], s->weight_s[i]);
        }
        sum += s->forward_s[i] + s->backward_s[i];
    }
    if (!(sum > 0)) {
        bp_raise_input(s->L, "forward_s", "and backward_s are 0: there is nothing to run");
    }
}

/* Shape of a pipeline whose order is given. */
static void own_shape(struct simulation *s) {
    struct bp_pipe_shape *shape = &s->pipe.shape;
    const struct bp_pipeline_in *in = &s->in;
    shape->layout = (enum bp_pipe_layout)in->layout;
    shape->devices = (int32_t)in->stages;
    shape->chunks = (int32_t)in->vpp;
    shape->micro_batches = (int32_t)in->micro_batches;
    if (shape->layout == BP_PIPE_LAYOUT_BOTH_WAYS && (in->vpp != 2 || in->micro_batches % 2)) {
        bp_raise_input(s->L, "layout",
                       "both_ways needs vpp = 2 and an even number of micro-batches");
    }
    if (bp_pipe_bytes(shape) == 0) {
        raise_at(s->L, "micro_batches", "stages * vpp * micro_batches must be at most %.0f",
                 BP_PIPE_UNITS_MAX, 0);
    }
}

/* Everything lives in one userdata, which stays on the stack. */
static void make_room(struct simulation *s) {
    size_t stages = (size_t)bp_pipe_stages(&s->pipe.shape);
    size_t numbers = 4 * stages;
    double *block =
        lua_newuserdatauv(s->L, numbers * sizeof *block + bp_pipe_bytes(&s->pipe.shape), 0);
    s->forward_s = block;
    s->backward_s = block + stages;
    s->weight_s = block + 2 * stages;
    s->kept = block + 3 * stages;
    s->pipe.forward_s = s->forward_s;
    s->pipe.backward_s = s->backward_s;
    s->pipe.weight_s = s->weight_s;
    s->pipe.kept = s->kept;
    s->pipe.send_s = s->in.send_s;
    s->pipe.weight_frac = s->in.weight_frac;
    s->pipe.pair_frac = s->in.pair_frac;
    bp_pipe_place(&s->pipe.shape, block + numbers, &s->work);
}

/* The index called name in the operation on top of the stack, or fallback (-1: it has to be there). */
static lua_Integer take_index(lua_State *L, const char *path, const char *name,
                              lua_Integer fallback, lua_Integer max) {
    lua_Integer value = fallback;
    int whole = 1;
    if (lua_getfield(L, -1, name) != LUA_TNIL) {
        value = lua_tointegerx(L, -1, &whole);
    }
    lua_pop(L, 1);
    if (!whole || value < 0 || value > max) {
        char text[TEXT_CHARS];
        snprintf(text, sizeof text, "needs %s, a whole number from 0 to %.0f", name, (double)max);
        bp_raise_input(L, path, text);
    }
    return value;
}

static int take_kind(lua_State *L, const char *path) {
    static const char *const names[] = {"F", "B", "W"};
    const char *given = lua_getfield(L, -1, "kind") == LUA_TSTRING ? lua_tostring(L, -1) : "";
    int kind;
    for (kind = 0; kind < 3; kind++) {
        if (strcmp(given, names[kind]) == 0) {
            lua_pop(L, 1);
            return kind;
        }
    }
    return bp_raise_input(L, path, "needs kind, one of 'F', 'B' and 'W'");
}

/* The operation on top of the stack. */
static struct bp_pipe_op read_op(struct simulation *s, int32_t device, lua_Integer index) {
    const struct bp_pipe_shape *shape = &s->pipe.shape;
    struct bp_pipe_op op;
    char path[PATH_CHARS];
    snprintf(path, sizeof path, "order of device %d, operation %lld", (int)device,
             (long long)index);
    if (!lua_istable(s->L, -1)) {
        bp_raise_input(s->L, path, "must be {kind = 'F', chunk = 0, micro_batch = 0}");
    }
    op.kind = (uint8_t)take_kind(s->L, path);
    op.chunk = (uint16_t)take_index(s->L, path, "chunk", 0, shape->chunks - 1);
    op.micro = (uint32_t)take_index(s->L, path, "micro_batch", -1, shape->micro_batches - 1);
    lua_getfield(s->L, -1, "with_next");
    op.with_next = (uint8_t)lua_toboolean(s->L, -1);
    lua_pop(s->L, 1);
    return op;
}

/* The list of a device, on top of the stack. */
static void read_list(struct simulation *s, int32_t device) {
    struct bp_pipe_op *to = s->work.given + (size_t)device * s->work.room;
    lua_Unsigned i, count;
    char path[PATH_CHARS];
    snprintf(path, sizeof path, "order of device %d", (int)device);
    if (!lua_istable(s->L, -1)) {
        bp_raise_input(s->L, path, "must be a list of operations");
    }
    count = lua_rawlen(s->L, -1);
    if (count > s->work.room) {
        raise_at(s->L, path, "has %.0f operations, more than the %.0f there are", (double)count,
                 (double)s->work.room);
    }
    for (i = 0; i < count; i++) {
        lua_rawgeti(s->L, -1, (lua_Integer)i + 1);
        to[i] = read_op(s, device, (lua_Integer)i + 1);
        lua_pop(s->L, 1);
    }
    s->work.given_count[device] = (int32_t)count;
}

static void read_order(struct simulation *s) {
    int32_t d;
    lua_getfield(s->L, 1, "order");
    if (!lua_istable(s->L, -1)) {
        bp_raise_input(s->L, "order", "must be a table of one list per device");
    }
    for (d = 0; d < s->pipe.shape.devices; d++) {
        lua_rawgeti(s->L, -1, d + 1);
        read_list(s, d);
        lua_pop(s->L, 1);
    }
    lua_pop(s->L, 1);
}

static void run(struct simulation *s) {
    struct bp_error err;
    if (s->own_order) {
        read_order(s);
        bp_check_status(s->L, bp_pipe_check(&s->pipe.shape, &s->work, &err), &err);
        bp_check_status(s->L, bp_pipe_run(&s->pipe, &s->work, NULL, &s->times, &err), &err);
        return;
    }
    bp_check_status(s->L,
                    bp_schedule_run((enum bp_schedule)s->in.schedule, &s->pipe, s->in.group,
                                    &s->work, &s->times, &err),
                    &err);
}

static void push_step(lua_State *L, const struct bp_pipe_step *step) {
    static const char *const names[] = {"F", "B", "W", "B"};
    lua_createtable(L, 0, 7);
    lua_pushstring(L, names[step->op.kind]);
    lua_setfield(L, -2, "kind");
    lua_pushboolean(L, step->op.kind == BP_PIPE_BW);
    lua_setfield(L, -2, "whole");
    bp_set_integer(L, "chunk", step->op.chunk);
    bp_set_integer(L, "micro_batch", step->op.micro);
    bp_set_number(L, "start_s", step->start_s);
    bp_set_number(L, "end_s", step->end_s);
    bp_set_number(L, "kept", step->kept);
}

static void push_device(const struct simulation *s, int32_t d) {
    const struct bp_pipe_device *about = &s->work.devices[d];
    const struct bp_pipe_step *steps = s->work.steps + (size_t)d * s->work.room;
    int32_t i;
    lua_createtable(s->L, 0, 10);
    bp_set_integer(s->L, "device", d);
    bp_set_number(s->L, "busy_s", about->busy_s);
    bp_set_number(s->L, "idle_s", fmax(0, s->times.makespan_s - about->busy_s));
    bp_set_number(s->L, "start_s", about->start_s);
    bp_set_number(s->L, "end_s", about->end_s);
    bp_set_number(s->L, "in_flight", bp_pipe_in_flight(&s->pipe, &s->work, d));
    bp_set_number(s->L, "peak", about->peak);
    bp_set_number(s->L, "peak_at_s", about->peak_at_s);
    if (s->in.steps) {
        lua_createtable(s->L, s->work.step_count[d], 0);
        for (i = 0; i < s->work.step_count[d]; i++) {
            push_step(s->L, &steps[i]);
            lua_rawseti(s->L, -2, i + 1);
        }
        lua_setfield(s->L, -2, "steps");
    }
}

/* Idle time of the busiest device, where stages are unequal. */
static void set_uneven_form(const struct simulation *s, double busiest) {
    const struct bp_pipe_shape *shape = &s->pipe.shape;
    double step_s = s->in.vpp > 1
                        ? 0
                        : bp_uneven_step((enum bp_schedule)s->in.schedule, shape->devices,
                                         shape->micro_batches, s->forward_s, s->backward_s);
    if (step_s > 0) {
        bp_set_number(s->L, "closed_s", fmax(0, step_s - busiest));
    }
}

/* What the closed form says, where it applies. */
static void set_closed_form(const struct simulation *s, double busiest) {
    const struct bp_pipe_shape *shape = &s->pipe.shape;
    double parts = shape->layout == BP_PIPE_LAYOUT_BOTH_WAYS ? 1 : shape->chunks;
    if (s->own_order || s->in.send_s > 0 || s->in.group > 0 || s->in.pair_frac < 1) {
        return;
    }
    if (!s->even) {
        set_uneven_form(s, busiest);
        return;
    }
    bp_set_number(s->L, "closed_s",
                  bp_bubble_time((enum bp_schedule)s->in.schedule, shape->devices,
                                 shape->micro_batches, (double)s->in.vpp, parts * s->forward_s[0],
                                 parts * s->backward_s[0], parts * s->weight_s[0]));
}

static void push_result(const struct simulation *s) {
    double busiest = 0;
    int32_t d;
    lua_createtable(s->L, 0, 12);
    lua_createtable(s->L, s->pipe.shape.devices, 0);
    for (d = 0; d < s->pipe.shape.devices; d++) {
        busiest = fmax(busiest, s->work.devices[d].busy_s);
        push_device(s, d);
        lua_rawseti(s->L, -2, d + 1);
    }
    lua_setfield(s->L, -2, "devices");
    bp_set_number(s->L, "makespan_s", s->times.makespan_s);
    bp_set_number(s->L, "span_s", s->times.span_s);
    bp_set_number(s->L, "work_s", busiest);
    bp_set_number(s->L, "bubble_s", fmax(0, s->times.span_s - busiest));
    bp_set_number(s->L, "bubble_frac", fmax(0, 1 - busiest / s->times.span_s));
    bp_set_integer(s->L, "chunks", s->pipe.shape.chunks);
    lua_pushstring(s->L, bp_pipe_layout_names[s->pipe.shape.layout]);
    lua_setfield(s->L, -2, "layout");
    set_closed_form(s, busiest);
}

int bp_core_pipeline(lua_State *L) {
    struct simulation s;
    struct bp_error err;
    memset(&s, 0, sizeof s);
    s.L = L;
    lua_settop(L, 1);
    bp_read_struct(L, 1, &bp_pipeline_in_schema, "pipeline", &s.in);
    s.own_order = lua_getfield(L, 1, "order") != LUA_TNIL;
    lua_pop(L, 1);
    if (s.own_order) {
        own_shape(&s);
    } else {
        bp_check_status(L,
                        bp_schedule_shape((enum bp_schedule)s.in.schedule, s.in.stages,
                                          s.in.micro_batches, s.in.vpp, &s.pipe.shape, &err),
                        &err);
    }
    make_room(&s);
    read_numbers(&s);
    run(&s);
    push_result(&s);
    return 1;
}
