-- Files of people: read whole, written whole or not at all.
local errors = require("ballpark.errors")
local lfs = require("lfs")

local files = {}

-- Limits of ours: what people write by hand or tools export is far below them. A pipe or device does
-- not say how much is to come, so it gets less.
local FILE_MIB <const>, STREAM_MIB <const> = 1024, 256
local MIB <const> = 1 << 20

local confined = false

--- From now on only files below the working directory are read, and nothing is written.
function files.confine() confined = true end

--- Whether they are: then what lies elsewhere, as a team's own folder does, is not looked for either.
function files.is_confined() return confined end

-- The system's calls see no more of a name than what comes before a NUL, which may name something else.
local function nameable(path) return not path:find("\0", 1, true) end

--- Whether a path may be looked at: all that name a file may, unless files are confined; then those below the working
--- directory that no symbolic link leads out of.
function files.check(path)
  if not nameable(path) then errors.io("cannot read " .. path .. ": no file is called so") end
  if not confined then return end
  local seen = nil
  for part in path:gmatch("[^/]+") do
    seen = seen and seen .. "/" .. part or part
    if part == ".." or lfs.symlinkattributes(seen, "mode") == "link" then path = "/" end
  end
  if path:sub(1, 1) == "/" then errors.io("cannot read a file outside of the folder that was given") end
end

local function too_large(path, limit)
  errors.io(("cannot read %s: it holds more than %d MiB"):format(path, limit))
end

local function read_all(file, path, limit)
  local parts = {}
  while true do
    local part, reason = file:read(MIB)
    if reason then errors.io("cannot read " .. path .. ": " .. reason) end
    if not part then return table.concat(parts) end
    if #parts >= limit then too_large(path, limit) end
    parts[#parts + 1] = part
  end
end

--- The folder part of a path, without the trailing slash ("." when there is none).
function files.folder(path)
  local folder = path:match("^(.*)/[^/]*$")
  if folder == "" then return "/" end
  return folder or "."
end

--- `path` as seen from `folder`; absolute paths stay.
function files.beside(folder, path)
  if path:sub(1, 1) == "/" or folder == "." then return path end
  return folder .. "/" .. path
end

--- `path` without `folder` where it lies there: files.beside of both is `path` again.
function files.within(folder, path)
  return path:sub(1, #folder + 1) == folder .. "/" and path:sub(#folder + 2) or path
end

-- Symbolic links in a row, as many as Linux follows.
local MOST_LINKS <const> = 40

-- Folders of what a process has open; there is nothing else on their device. (The two are one, or one is not there.)
local OPEN_FILES <const> = { "/proc/self/fd", "/dev/fd" }

-- Whether a name, however it is spelt, stands for what a process has open: a link there is no link to be followed.
local function is_open(path)
  local device = lfs.attributes(files.folder(path), "dev")
  for _, folder in ipairs(OPEN_FILES) do
    if device and device == lfs.attributes(folder, "dev") then return true end
  end
  return false
end

-- The file that a path to be written leads to, whether it is there or not; nil where that is what a process has open.
local function followed(path)
  local at = path
  for _ = 0, MOST_LINKS do
    if is_open(at) then return nil end
    local target = lfs.symlinkattributes(at, "target")
    if not target then return at end
    at = files.beside(files.folder(at), target)
  end
  errors.io("cannot write " .. path .. ": Too many levels of symbolic links")
end

--- The name of what belongs to a file that is written, beside the file itself by whatever link it is called.
function files.companion(path, ending) return (followed(path) or path) .. ending end

-- What this run is to write, by device and inode of what stands there now.
local outputs = {}

local function identity(about) return about.dev .. ":" .. about.ino end

-- What tells the file at a path from others, by whatever path: what stands there, or its name in its folder; nil of a device.
local function place(path)
  local about = lfs.attributes(path)
  if about then return about.mode == "file" and identity(about) or nil end
  local target = followed(path)
  local folder = target and lfs.attributes(files.folder(target))
  return folder and identity(folder) .. "/" .. target:match("[^/]*$") or "/" .. path
end

--- From now on these files, which the run is to write, are not read: an output in the place of an input is a slip of the
--- hand, and so are two outputs in one place, those among them that it reads as well (`kept`: a checkpoint, a store).
---@param paths string[]
---@param kept string[]|nil
function files.keep_apart(paths, kept)
  local seen, written = {}, {}
  for i, list in ipairs({ paths, kept or {} }) do
    for _, path in ipairs(list) do
      local id = place(path)
      if seen[id or false] then errors.io("cannot write " .. path .. ": it would be written twice") end
      if id then seen[id], written[id] = true, i == 1 or nil end
    end
  end
  outputs = written
end

-- Standard input by device and inode, where its lines are questions.
local asked_from

--- From now on no file that a question names is standard input, by whatever path: what it would read are the questions after it.
function files.keep_questions()
  local about = lfs.attributes("/dev/stdin")
  asked_from = about and identity(about)
end

-- Who is told what is read: noted(path, text).
local noted

--- What fn(...) returns; note(path, text) is called with every file that it reads.
function files.noting(note, fn, ...)
  local before = noted
  noted = note
  local outcome = table.pack(pcall(fn, ...))
  noted = before
  if not outcome[1] then error(outcome[2], 0) end
  return table.unpack(outcome, 2, outcome.n)
end

--- The file's text (of "-": standard input), or an input/output error (exit 3).
function files.read(path)
  if path == "-" then return read_all(io.stdin, "standard input", STREAM_MIB) end
  files.check(path)
  local about = lfs.attributes(path)
  if about and about.mode == "directory" then
    errors.io("cannot read " .. path .. ": is a directory")
  end
  local id = about and identity(about)
  if id and id == asked_from then errors.io("cannot read " .. path .. ": the questions come from there") end
  if id and outputs[id] then errors.io("cannot write " .. path .. ": this command reads it") end
  local file, problem = io.open(path, "rb")
  if not file then errors.io("cannot read " .. problem) end
  local limit = about and about.mode == "file" and FILE_MIB or STREAM_MIB
  if about and about.size > limit * MIB then too_large(path, limit) end
  local ok, text = pcall(read_all, file, path, limit)
  file:close()
  if not ok then error(text, 0) end
  if noted then noted(path, text) end
  return text
end

--- The next line of standard input, nil at its end; an input/output error where it cannot be read.
function files.line()
  local line, reason = io.stdin:read("l")
  if reason then errors.io("cannot read standard input: " .. reason) end
  return line
end

--- Whether something is there.
function files.exists(path)
  if not nameable(path) then return false end
  files.check(path)
  return lfs.attributes(path, "mode") ~= nil
end

-- `keep`: leave it in the buffer; closing tells whether it got out.
local function write_all(file, path, text, keep)
  local ok, problem = file:write(text)
  if ok and not keep then ok, problem = file:flush() end
  local raise = file == io.stdout and errors.output or errors.io
  if not ok then raise("cannot write " .. path .. ": " .. problem) end
end

--- To standard output, with a full disk or a closed pipe noticed.
function files.print(text) write_all(io.stdout, "to standard output", text) end

-- Bytes of a name that any file system takes.
local NAME_BYTES <const> = 128

-- A name beside the target that no other run is likely to use, and no longer than a name may be there.
local function temporary(path)
  local ending = "." .. os.time() .. (tostring({}):match("0x(%x+)") or "0") .. ".partial"
  local name = path:match("[^/]*$")
  local room = math.max(#name, NAME_BYTES) - #ending
  -- Where a letter of several bytes is cut, none of it stays.
  local begun = #name > room and name:sub(1, room):gsub("[\xC0-\xFF]?[\x80-\xBF]*$", "") or name
  return path:sub(1, #path - #name) .. begun .. ending
end

-- Files that are being written, by their path until they are in their place.
local unfinished = {}

--- Called with the path of a file that is being written, or nil when none is: for who ends the process from outside of Lua.
---@type fun(path: string|nil)
files.watch = function() end

--- What fn(...) returns, with an interruption that comes meanwhile raised as it ends, where the program is one that is
--- interrupted.
---@type fun(fn: function, ...: any): any
files.held = function(fn, ...) return fn(...) end

--- Gives an open file the owner, group and permissions of the one at a path, where there is one and the system can.
---@type fun(file: file*, path: string)
files.take_mode = function() end

local function note(partial, is_there)
  if not partial then return end
  unfinished[partial] = is_there
  files.watch((next(unfinished)))
end

--- Removes what was being written when the run ended, with nobody left to finish it.
function files.remove_unfinished()
  for partial in pairs(unfinished) do
    os.remove(partial)
    note(partial, nil)
  end
end

-- The file that is put in the place of what stands at a path: a symbolic link stays one, what it leads to is replaced. Nil
-- where it is written straight, as a device, a pipe, or what a process has open (/dev/stdout).
local function replaced(path)
  local mode = lfs.attributes(path, "mode")
  if mode == "directory" then errors.io("cannot write " .. path .. ": is a directory") end
  if mode ~= nil and mode ~= "file" then return nil end
  return followed(path)
end

local Stream = {}
Stream.__index = Stream

-- What the system says of a file begins with its name, which people have not said where it is a temporary one.
local function fail(path, problem, name)
  problem = tostring(problem)
  if name and problem:sub(1, #name + 2) == name .. ": " then problem = problem:sub(#name + 3) end
  errors.io("cannot write " .. path .. ": " .. problem)
end

-- A file that becomes the one at `target`, to which people say `path`; without a target it is written straight.
local function open(path, target, stated)
  if confined then errors.io("cannot write " .. path .. ": nothing is written here") end
  local partial = target and (stated or temporary(target))
  -- What lies at a name that others know, as after a run that was killed, is not written through.
  local left = target and stated and lfs.symlinkattributes(stated, "mode")
  if left and left ~= "directory" then
    local gone, why = os.remove(stated)
    if not gone then fail(path, why) end
  end
  note(partial, true)
  local file, problem = io.open(partial or path, "wb")
  if not file then
    note(partial, nil)
    fail(path, problem, not stated and (partial or path))
  end
  if partial then files.take_mode(file, target) end -- before anything is in it
  file:setvbuf("full", 1 << 16)
  return setmetatable({ path = path, target = target, partial = partial, file = file }, Stream)
end

--- Appends; the file at `path` stays as it was until finish().
function Stream:write(text) write_all(self.file, self.path, text, true) end

-- The file is in its place, or nothing of it stays.
local function end_file(self, ok, problem)
  if self.partial and not ok then os.remove(self.partial) end
  note(self.partial, nil)
  if problem then fail(self.path, problem) end
end

local function finish(self, tried_only)
  local file = self.file
  self.file = nil
  local ok, problem = file:close()
  if ok and self.partial and not tried_only then ok, problem = os.rename(self.partial, self.target) end
  end_file(self, ok and not tried_only, problem)
end

--- Puts what was written in the place of the file.
function Stream:finish() files.held(finish, self) end

local function put(self)
  local file = self.file
  local ok, problem = file:flush()
  if ok and self.partial then ok, problem = os.rename(self.partial, self.target) end
  if not ok then fail(self.path, problem) end
  self.file = nil
  end_file(self, true)
  return file
end

--- As finish, but the file that is in its place now stays open, and is returned.
function Stream:place() return files.held(put, self) end

local function leave(self)
  if not self.file then return end
  self.file:close()
  end_file(self, false)
end

-- Left before it was finished: nothing of it stays.
function Stream:__close() files.held(leave, self) end

--- A file that grows without being held in memory, whole or not at all: close it with <close>.
---@param path string
---@param partial string|nil its name until it is in its place, where that matters
function files.stream(path, partial) return files.held(open, path, replaced(path), partial) end

local function write_whole(path, target, text, tried_only)
  local stream <close> = open(path, target)
  stream:write(text)
  finish(stream, tried_only)
end

--- Writes the whole file or leaves what was there; devices and pipes are written straight.
function files.write(path, text) files.held(write_whole, path, replaced(path), text) end

--- Removes the file that was written at a path; a link to it stays.
function files.remove(path)
  local target = followed(path)
  if target then os.remove(target) end
end

--- Raises the input/output error that writing `text` to the file now would; leaves what is there.
function files.try_write(path, text)
  local target = replaced(path)
  if not target then errors.io("cannot write " .. path .. ": is no file") end
  files.held(write_whole, path, target, text, true)
end

return files
