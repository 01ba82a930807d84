-- Writes the topics of the manual as HTML pages: build/ballpark lua tools/site/pages.lua FOLDER
--
-- cmark-gfm makes HTML of each page's Markdown. Around it stand the list of topics and the search; headings become anchors, and
-- `ballpark help TOPIC` becomes a link. sections.js holds what the search looks through: a list of { page, anchor, title, text }.
local files = require("ballpark.files")
local json = require("ballpark.json")
local manual = require("ballpark.manual")

local folder = arg[1] or error("usage: ballpark lua tools/site/pages.lua FOLDER")

local ESCAPES <const> = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

local function escaped(text) return (text:gsub('[&<>"]', ESCAPES)) end

-- HTML of Markdown with tables, by cmark-gfm.
local function html_of(markdown)
  local source = os.tmpname()
  files.write(source, markdown)
  local pipe = assert(io.popen("cmark-gfm -e table -e autolink '" .. source .. "'"))
  local html = pipe:read("a")
  local ok = pipe:close()
  os.remove(source)
  assert(ok, "cmark-gfm failed")
  return html
end

local function plain(html)
  return (html:gsub("<[^>]*>", ""):gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&quot;", '"'):gsub("&amp;", "&"))
end

local function anchor_of(title) return (title:lower():gsub("[^%w]+", "-"):gsub("^%-", ""):gsub("%-$", "")) end

-- Headings with anchors.
local function with_anchors(html)
  local seen = {}
  return (html:gsub("<h([123])>(.-)</h%1>", function(level, title)
    local anchor = anchor_of(plain(title))
    seen[anchor] = (seen[anchor] or 0) + 1
    if seen[anchor] > 1 then anchor = anchor .. "-" .. seen[anchor] end
    return ('<h%s id="%s">%s</h%s>'):format(level, anchor, title, level)
  end))
end

-- Each heading with the text below it, for the search.
local function sections_of(topic, html, sections)
  local at = html:find("<h[123] id=")
  while at do
    local next_one = html:find("<h[123] id=", at + 1)
    local part = html:sub(at, next_one and next_one - 1)
    local anchor, title, text = part:match('^<h[123] id="([^"]*)">(.-)</h[123]>(.*)$')
    sections[#sections + 1] = { page = topic, anchor = anchor, title = plain(title), text = plain(text):gsub("%s+", " ") }
    at = next_one
  end
end

-- `ballpark help fit` leads to its page; what is wider than a phone is moved by keys as well.
local function with_links(html)
  html = html:gsub("<pre>", '<pre tabindex="0">'):gsub("<table>", '<table tabindex="0">')
  return (html:gsub("<code>ballpark help ([%w%-]+)</code>", function(topic)
    if manual.has(topic) then return ('<a href="%s.html"><code>ballpark help %s</code></a>'):format(topic, topic) end
  end))
end

local function navigation(current)
  local list = {}
  for i, topic in ipairs(manual.topics) do
    list[i] = ('<li><a href="%s.html"%s>%s</a></li>'):format(topic, topic == current and ' aria-current="page"' or "", topic)
  end
  return table.concat(list, "\n")
end

local PAGE <const> = [[
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s – Ballpark</title>
<style>
%s</style>
</head>
<body>
<header>
<a class="home" href="index.html">Ballpark</a>
<form role="search">
<label for="search">Search the manual</label>
<input id="search" type="search" autocomplete="off">
</form>
</header>
<div class="columns">
<nav aria-label="Topics">
<ul>
%s
</ul>
</nav>
<main>
<ul id="found" aria-live="polite"></ul>
%s</main>
</div>
<script src="sections.js"></script>
<script src="search.js"></script>
</body>
</html>
]]

local style = files.read("tools/site/manual.css")
local sections = {}
for _, topic in ipairs(manual.topics) do
  local html = with_links(with_anchors(html_of(manual.text(topic))))
  sections_of(topic, html, sections)
  local page = PAGE:format(escaped(manual.title(topic) or topic), style, navigation(topic), html)
  files.write(folder .. "/" .. topic .. ".html", page)
  if topic == manual.topics[1] then files.write(folder .. "/index.html", page) end
end
files.write(folder .. "/sections.js", "window.sections = " .. json.encode(sections) .. ";\n")
