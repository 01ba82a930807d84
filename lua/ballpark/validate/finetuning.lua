-- Estimates of fine-tuning against published measurements: as ballpark.validate, on tables of their own columns.
local columns = require("ballpark.measured.finetuning_columns")
local finetuning_case = require("ballpark.validate.finetuning_case")
local table_rows = require("ballpark.measured.table_rows")
local tables = require("ballpark.tables")
local validate = require("ballpark.validate")

local finetuning = {}

--- Rows of a table's text. Columns nobody knows are returned by name; missing ones are an error.
---@param text string
---@param name string
---@return table[] rows
---@return string[] ignored
function finetuning.read(text, name) return table_rows.read(columns, text, name) end

local function with_case(options) return tables.with(options or {}, { case = finetuning_case.of }) end

--- As validate.run.
---@param rows table[] from finetuning.read
---@param options table|nil
function finetuning.run(rows, options) return validate.run(rows, with_case(options)) end

--- As validate.cases.
---@param rows table[] from finetuning.read
function finetuning.cases(rows) return validate.cases(rows, with_case()) end

return finetuning
