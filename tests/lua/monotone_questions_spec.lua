-- What physics and arithmetic order, over drawn questions; many more of them: tools/check-deep questions
local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")
local monotone = dofile(here .. "/monotone_questions.lua")

-- Draws of a kind of which some are refused.
local DRAWS <const>, TRIES <const> = 2, 10

describe("a drawn pair of questions", function()
  for _, kind in ipairs(monotone.kinds) do
    it("is not answered backwards: " .. kind, function()
      local asked = 0
      for index = 1, TRIES do
        local pair = asked < DRAWS and monotone.pair(index, kind)
        if pair then
          asked = asked + 1
          assert.is_true(pair.falls <= monotone.ROUNDING, ("%s (%.9g to %.9g)"):format(pair.text, pair.before, pair.after))
        end
      end
      assert.equal(DRAWS, asked)
    end)
  end
end)
