-- Writes the header of the library for programs that have the engine inside; its structs are made from the field lists of
-- the core. The build calls it:
--
--   build/ballpark lua tools/header.lua build/include/ballpark.h
local core = require("ballpark.core")

local out = {}
local function say(line) out[#out + 1] = line end

local WIDTH <const> = 100

-- A comment of so many columns, broken between words.
local function comment(indent, text)
  local line = indent .. "/*"
  for word in (text:gsub("%*/", "* /") .. " */"):gmatch("%S+") do
    if #line + 1 + #word > WIDTH then
      say(line)
      line = indent .. "**"
    end
    line = line .. " " .. word
  end
  say(line)
end

-- Unit, default and limits of an input, the unit of an output.
local function limits(field, is_input)
  local parts = {}
  if field.unit and field.unit ~= "" then parts[1] = field.unit end
  if not is_input then return parts[1] and " [" .. parts[1] .. "]" or "" end
  if field.default ~= nil and field.default == field.default then
    parts[#parts + 1] = "default " .. tostring(field.default)
  end
  if field.min and field.max and (field.min ~= 0 or field.max ~= math.huge) then
    parts[#parts + 1] = field.max == math.huge and ("at least %.15g"):format(field.min)
      or ("%.15g to %.15g"):format(field.min, field.max)
  end
  return parts[1] and (" [" .. table.concat(parts, "; ") .. "]") or ""
end

-- Names of an enum: of its field where all fields of that name have the same values, else of its struct as well.
local by_field = {}

local function note_enums(schema, done)
  if done[schema] then return end
  done[schema] = true
  for _, field in ipairs(schema.fields) do
    if field.schema then note_enums(field.schema, done) end
    if field.names then
      local values = table.concat(field.names, ",")
      by_field[field.name] = by_field[field.name] or { values = values, same = true }
      if by_field[field.name].values ~= values then by_field[field.name].same = false end
    end
  end
end

local said = {}

-- Names of C: a schema's name may be of several words.
local function c_name(name) return (name:gsub("[^%w]+", "_")) end

local function enum_of(owner, field)
  local name = by_field[field.name].same and field.name or owner .. "_" .. field.name
  if not said["enum " .. name] then
    said["enum " .. name] = true
    say("enum ballpark_" .. name .. "_choice {")
    for _, value in ipairs(field.names) do
      say(("    BALLPARK_%s_%s,"):format(name:upper(), c_name(value):upper()))
    end
    say("};")
  end
  return name
end

local C_TYPES <const> = { int = "int64_t", num = "double", flag = "int" }

local function struct_of(schema, name, is_input)
  if said["struct " .. name] then return end
  said["struct " .. name] = true
  local enums = {}
  for _, field in ipairs(schema.fields) do
    if field.schema then struct_of(field.schema, c_name(field.schema.name), is_input) end
    if field.names then enums[field] = enum_of(name, field) end
  end
  say("")
  if schema.doc and schema.doc ~= "" then comment("", schema.doc) end
  say("struct ballpark_" .. name .. " {")
  for _, field in ipairs(schema.fields) do
    if field.kind ~= "note" then
      local doc = field.doc
      if enums[field] then doc = "enum ballpark_" .. enums[field] .. "_choice: " .. doc end
      comment("    ", doc .. limits(field, is_input))
      say(("    %s %s;"):format(field.schema and "struct ballpark_" .. c_name(field.schema.name) or C_TYPES[field.kind] or "int",
        field.name))
    end
  end
  say("};")
end

say([[
/*
** ballpark.h: the estimation engine inside of a program of your own. Made by tools/header.lua.
**
** Kernels are pure functions of structs: no memory, no globals, any thread. ballpark_KERNEL_defaults fills the inputs
** with their defaults and marks those that have none; ballpark_KERNEL refuses what is missing or out of its limits, and
** says which field and why. All numbers are in base units: bytes, seconds, FLOP, tokens, USD, fractions.
**
** Questions are what scenarios ask (serve_search, search, finetune, ask, ...): the same inputs as JSON, the same answer as
** `ballpark -f json` prints. They need the engine's Lua library. An engine is used by one thread at a time; threads
** that ask at once have an engine each.
**
** Link with `pkg-config --cflags --libs ballpark`.
*/
#ifndef BALLPARK_H
#define BALLPARK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when a struct or a function changes its meaning or its layout. */
#define BALLPARK_API_VERSION 1

/* The same of the library that is loaded: a program checks that both are one. */
int ballpark_api_version(void);

/* The version of the engine, "0.1.0". */
const char *ballpark_version(void);

struct ballpark_error {
    int code;       /* 0: no error */
    char field[64]; /* dotted path of the input, "model.layers" */
    char text[192]; /* one line: "must be from 0 to 1, got 70" */
};

/* A state of its own that answers questions. */
struct ballpark;

/*
** Opens an engine. lua_dir is the folder that holds ballpark/init.lua; NULL: $BALLPARK_LUA, else where the library was
** installed. NULL with a filled error where it cannot be opened.
*/
struct ballpark *ballpark_open(const char *lua_dir, struct ballpark_error *error);

/*
** Answers a question: its name and inputs are those of scenarios ("serve_search"; `ballpark help scenarios`), or
** "kernel.NAME", or "scenario" with { "source": the text of a scenario }. input is a JSON object. The answer is JSON: what
** `-f json` prints or, where code is neither 0 nor 1, { "error": { kind, path, message } }. It is the engine's, until the
** next call. code (may be NULL): 0 it can be done; 1 it cannot be done as asked; 2 a wrong input, no engine among them;
** 3 a file; 4 a rule failed; 70 an error of ours.
*/
const char *ballpark_answer(struct ballpark *engine, const char *question, const char *input,
                            int *code);

void ballpark_close(struct ballpark *engine);]])

local kernels = core.kernels()
local done = {}
for _, kernel in ipairs(kernels) do
  note_enums(kernel.input, done)
  note_enums(kernel.output, done)
end
for _, kernel in ipairs(kernels) do
  struct_of(kernel.input, kernel.name .. "_in", true)
  struct_of(kernel.output, kernel.name .. "_out")
  say("")
  comment("", kernel.title .. ". " .. kernel.formula .. ". Valid: " .. kernel.validity .. ".")
  say(("void ballpark_%s_defaults(struct ballpark_%s_in *in);"):format(kernel.name, kernel.name))
  say(("int ballpark_%s(const struct ballpark_%s_in *in, struct ballpark_%s_out *out,"):format(kernel.name, kernel.name,
    kernel.name))
  say((" "):rep(#("int ballpark_%s("):format(kernel.name)) .. "struct ballpark_error *error);")
end
say("")
say("/* All kernels, for lists of one's own: K(name). */")
say("#define BALLPARK_KERNELS(K) \\")
for i, kernel in ipairs(kernels) do say(("    K(%s)%s"):format(kernel.name, i < #kernels and " \\" or "")) end
say([[

#ifdef __cplusplus
}
#endif

#endif]])
require("ballpark.files").write(arg[1], table.concat(out, "\n") .. "\n")
