-- ballpark completion: what a shell needs to complete command lines.
local errors = require("ballpark.errors")
local files = require("ballpark.files")

local completion = {
  summary = "Print the completion script of a shell",
  examples = {
    "eval \"$(ballpark completion bash)\"",
    "ballpark completion zsh > ~/.zfunc/_ballpark",
    "ballpark completion fish > ~/.config/fish/completions/ballpark.fish",
  },
}

local makers = { bash = "get_bash_complete", zsh = "get_zsh_complete", fish = "get_fish_complete" }

function completion.define(command)
  command:argument("shell", "bash, zsh or fish.")
end

function completion.run(chosen)
  local maker = makers[chosen.shell]
  if not maker then errors.choice("shell", chosen.shell, { "bash", "zsh", "fish" }) end
  local parser = require("ballpark.cli").parser()
  require("ballpark.cli.completion_values").add(parser)
  files.print(parser[maker](parser))
  return 0
end

return completion
