-- What our own files say in their comments: the model, the devices, and what the software has no setting for.
local heading = {}

local function value_of(text)
  if text == "true" then return true end
  if text == "false" then return false end
  return math.tointeger(tonumber(text)) or tonumber(text) or text
end

--- { model, devices, device, missing = { ["plan.zero"] = 1, … } }; empty where the file is another's.
---@param text string
function heading.read(text)
  local head = { missing = {} }
  -- DeepSpeed's comments are texts of a list.
  for line in text:gsub('","', "\n"):gsub('^{%s*"_comment":%["', ""):gmatch("[^\n]+") do
    local model, devices, device = line:match("^#?%s?(%S.-) on (%d+) x (.-), for ")
    if model and not head.model then
      head.model, head.devices, head.device = model, math.tointeger(tonumber(devices)), device
    end
    local field, value = line:match("^#?%s+(%l+%.[%w_]+) = (.-): ")
    if field then head.missing[field] = value_of(value) end
  end
  return head
end

return heading
