-- The library for stock Lua 5.4: require "ballpark".
rockspec_format = "3.0"
package = "ballpark"
version = "0.1.0-1"
source = { url = "git+file://." }
description = {
  summary = "Capacity of machine learning systems: memory, time and cost, without a GPU",
  license = "MIT",
}
dependencies = { "lua ~> 5.4", "luafilesystem", "argparse", "dkjson", "lua-term" }
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
    BALLPARK_TESTS = "OFF",
    BALLPARK_ROCK = "ON",
    BALLPARK_LUA_MODULES = "$(LUADIR)",
    BALLPARK_LUA_BINARIES = "$(LIBDIR)",
  },
}
