#include "platform.h"

#include <lauxlib.h>
#include <stdio.h>

#include "fields.h"
#include "interrupt.h"
#include "lists.h"
#include "setters.h"
#include "sim/platform.h"

/* Arguments. */
enum { PLATFORM = 1, CLASSES, TRACE, STARTS };

/* Between two looks whether somebody wants to stop: some tenths of a second. */
enum { EVENTS = 1000000 };

/* The classes in a userdata, which stays on the stack. */
static void read_classes(lua_State *L, struct bp_platform_source *source) {
    struct bp_job_class *classes;
    size_t i;
    source->class_count = (size_t)lua_rawlen(L, CLASSES);
    if (source->class_count == 0 || source->class_count > BP_JOB_CLASSES_MAX) {
        bp_raise_input(L, "classes", "must be a list of 1 to 4096 classes of jobs");
    }
    classes = lua_newuserdatauv(L, source->class_count * sizeof *classes, 0);
    for (i = 0; i < source->class_count; i++) {
        char path[32];
        snprintf(path, sizeof path, "classes[%zu]", i + 1);
        lua_rawgeti(L, CLASSES, (lua_Integer)i + 1);
        bp_read_struct(L, lua_gettop(L), &bp_job_class_schema, path, &classes[i]);
        lua_pop(L, 1);
    }
    source->classes = classes;
}

/* A list of the trace, on the stack as a userdata. */
static const double *trace_list(lua_State *L, const char *name, size_t *count) {
    double *values;
    size_t length;
    char path[32];
    snprintf(path, sizeof path, "trace.%s", name);
    lua_getfield(L, TRACE, name);
    length = lua_istable(L, -1) ? (size_t)lua_rawlen(L, -1) : 0;
    if (length == 0 || (*count > 0 && length != *count)) {
        bp_raise_input(L, path, "must be a list of a number for every job");
    }
    *count = length;
    values = bp_push_doubles(L, length);
    bp_read_doubles(L, lua_gettop(L) - 1, path, values, length);
    return values;
}

static void check_job(lua_State *L, const struct bp_platform_source *source,
                      const struct bp_job *jobs, size_t i) {
    const struct bp_job *j = &jobs[i];
    const char *wrong = NULL;
    if (i > 0 && j->submit_s < jobs[i - 1].submit_s) {
        wrong = "is submitted before the one above it";
    } else if (!(j->run_s >= 0)) {
        wrong = "ends before it starts";
    } else if (j->devices < 1) {
        wrong = "needs at least one device";
    } else if (j->class < 0 || (size_t)j->class >= source->class_count) {
        wrong = "is of a class that is not there";
    }
    if (wrong) {
        char path[32];
        snprintf(path, sizeof path, "trace[%zu]", i + 1);
        bp_raise_input(L, path, wrong);
    }
}

/* The trace, if there is one; its memory stays on the stack. */
static void read_trace(lua_State *L, struct bp_platform_source *source) {
    const double *submit, *run, *devices, *class;
    struct bp_job *jobs;
    size_t count = 0, i;
    source->jobs = NULL;
    source->job_count = 0;
    if (!lua_istable(L, TRACE)) {
        return;
    }
    submit = trace_list(L, "submit_s", &count);
    run = trace_list(L, "run_s", &count);
    devices = trace_list(L, "devices", &count);
    class = trace_list(L, "class", &count);
    jobs = lua_newuserdatauv(L, count * sizeof *jobs, 0);
    for (i = 0; i < count; i++) {
        struct bp_job j = {.submit_s = submit[i],
                           .run_s = run[i],
                           .devices = devices[i] < 1e9 ? (int32_t)devices[i] : 0,
                           .class = class[i] < 1e9 ? (int32_t) class[i] - 1 : -1};
        jobs[i] = j;
        check_job(L, source, jobs, i);
    }
    source->jobs = jobs;
    source->job_count = count;
}

/* Mean waits of the stretches of counted jobs that are whole: a field of the table on the stack. */
static void push_stretches(lua_State *L, const struct bp_platform_in *in,
                           const struct bp_platform_out *out, const struct bp_job *jobs) {
    size_t from = (size_t)(out->jobs - out->counted), step = (size_t)in->stretch, i;
    size_t count = step > 0 ? (size_t)out->counted / step : 0;
    lua_createtable(L, (int)count, 0);
    for (i = 0; i < count; i++) {
        lua_pushnumber(L, bp_jobs_wait_s(jobs, from + i * step, from + (i + 1) * step));
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "stretches");
}

static void push_answer(lua_State *L, const struct bp_platform_in *in,
                        const struct bp_platform_source *source, struct bp_platform_work *work) {
    struct bp_platform_out out;
    struct bp_job_class_out *classes =
        lua_newuserdatauv(L, source->class_count * sizeof *classes, 0);
    const struct bp_job *jobs;
    size_t i;
    bp_platform_close(work, &out, classes, &jobs);
    bp_push_struct(L, &bp_platform_out_schema, &out);
    lua_createtable(L, (int)source->class_count, 0);
    for (i = 0; i < source->class_count; i++) {
        bp_push_struct(L, &bp_job_class_out_schema, &classes[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "classes");
    push_stretches(L, in, &out, jobs);
    if (lua_toboolean(L, STARTS)) {
        lua_createtable(L, (int)out.jobs, 0);
        for (i = 0; i < (size_t)out.jobs; i++) {
            lua_pushnumber(L, jobs[i].start_s);
            lua_rawseti(L, -2, (lua_Integer)i + 1);
        }
        lua_setfield(L, -2, "starts");
    }
}

int bp_core_platform(lua_State *L) {
    struct bp_platform_in in;
    struct bp_platform_source source;
    struct bp_platform_work *work;
    struct bp_error err;
    void *memory;
    luaL_checktype(L, CLASSES, LUA_TTABLE);
    lua_settop(L, STARTS);
    bp_read_struct(L, PLATFORM, &bp_platform_in_schema, "", &in);
    read_classes(L, &source);
    read_trace(L, &source);
    memory = lua_newuserdatauv(L, bp_platform_bytes(&in, &source), 0);
    bp_check_status(L, bp_platform_open(&in, &source, memory, &work, &err), &err);
    while (bp_platform_go(work, EVENTS)) {
        bp_let_interrupt(L);
    }
    push_answer(L, &in, &source, work);
    return 1;
}

int bp_core_platform_about(lua_State *L) {
    static const struct {
        const char *name;
        const struct bp_schema *schema;
    } parts[] = {{"input", &bp_platform_in_schema},
                 {"class", &bp_job_class_schema},
                 {"output", &bp_platform_out_schema},
                 {"class_output", &bp_job_class_out_schema}};
    size_t i;
    lua_newtable(L);
    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        bp_push_schema(L, parts[i].schema);
        lua_setfield(L, -2, parts[i].name);
    }
    return 1;
}
