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

-- Names of an argument, and values behind a comma: the maker's script for bash completes options only, and one value each.
local BASH <const> = [==[

_ballpark_arguments() {
    case "${COMP_WORDS[1]}" in
%s    esac
}

_ballpark_values() {
    local IFS=$' \t\n' before="" at=$COMP_CWORD
    if [[ "${COMP_WORDS[at]}" == *,* ]]; then
        before="${COMP_WORDS[at]%%,*},"
        COMP_WORDS[at]="${COMP_WORDS[at]##*,}"
    fi
    COMPREPLY=()
    _ballpark
    if [ ${#COMPREPLY[@]} = 0 ] && [ "$at" -gt 1 ]; then
        COMPREPLY=($(compgen -W "$(_ballpark_arguments)" -- "${COMP_WORDS[at]}"))
    fi
    COMPREPLY=("${COMPREPLY[@]/#/$before}")
}

complete -F _ballpark_values -o bashdefault -o default ballpark
]==]

-- What the makers' scripts leave out: names of arguments.
local more = {
  bash = function(arguments)
    local lines = {}
    for i, one in ipairs(arguments) do
      lines[i] = ("        %s) echo '%s' ;;\n"):format(one[1], table.concat(one[2], " "))
    end
    return BASH:format(table.concat(lines))
  end,
  zsh = function() return "" end,
  fish = function(arguments)
    local lines = { "" }
    for _, one in ipairs(arguments) do
      lines[#lines + 1] = ("complete -c ballpark -n '__fish_ballpark_using_command %s' -a '%s'"):format(one[1],
        table.concat(one[2], " "))
    end
    return table.concat(lines, "\n") .. "\n"
  end,
}

-- Options that take one value; of all others with names there can be several, parted by commas.
local ONE <const> = { emit = true, format = true, model = true, profile = true, units = true }

-- Replaces in the lines of options that take several values what stands for one of them.
local function lists(script, option, pattern, list)
  return (script:gsub("[^\n]+", function(line)
    local name = line:match(option)
    return name and not ONE[name] and line:gsub(pattern, list) or nil
  end))
end

-- The makers' scripts complete one value each; the one for bash has commas of its own.
local several = {
  bash = function(script) return script end,
  zsh = function(script)
    return lists(script, "%-%-([%w-]+)[%[}]", '(%]: :)%(([^()]*)%)"', '%1_sequence compadd - %2"')
  end,
  fish = function(script)
    return lists(script, "%-l (%S+)", "%-xa '([^']*)'", "-xa '(__fish_complete_list , \"printf %%s\\n %1\")'")
  end,
}

function completion.define(command)
  command:argument("shell", "bash, zsh or fish.")
end

function completion.run(chosen)
  local maker = makers[chosen.shell]
  if not maker then errors.choice("shell", chosen.shell, { "bash", "zsh", "fish" }) end
  local parser = require("ballpark.cli").parser()
  local values = require("ballpark.cli.completion_values")
  values.add(parser)
  files.print(several[chosen.shell](parser[maker](parser)) .. more[chosen.shell](values.arguments(parser)))
  return 0
end

return completion
