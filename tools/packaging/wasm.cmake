# The engine as WebAssembly for a page in a browser and for Node, by Emscripten: tools/wasm calls it. Lua and LuaFileSystem
# are compiled from their sources, which lie with xxhash.h, dkjson.lua and ballpark.h in BALLPARK_WASM_SOURCES.
function(add_wasm_lua)
  file(GLOB sources ${BALLPARK_WASM_SOURCES}/lua/src/*.c)
  list(FILTER sources EXCLUDE REGEX "/(lua|luac|linit)\\.c$")
  add_library(ballpark_lua STATIC ${sources} ${BALLPARK_WASM_SOURCES}/lfs/src/lfs.c tools/packaging/lua_libraries.c)
  set_target_properties(ballpark_lua PROPERTIES C_EXTENSIONS ON)
  target_include_directories(ballpark_lua SYSTEM PUBLIC ${BALLPARK_WASM_SOURCES}/lua/src)
endfunction()

# The functions of ballpark.h that answer questions, and the library of scripts beside them in one file of data.
function(add_wasm_engine)
  add_executable(ballpark_wasm core/embed/engine.c core/embed/kernels.c)
  set_target_properties(ballpark_wasm PROPERTIES OUTPUT_NAME ballpark)
  target_include_directories(ballpark_wasm PRIVATE ${BALLPARK_WASM_SOURCES}/include)
  target_compile_definitions(ballpark_wasm PRIVATE BALLPARK_INSTALLED_LUA_DIR="/lua")
  target_link_libraries(ballpark_wasm PRIVATE ballpark_bind ballpark_lua)
  target_link_options(ballpark_wasm PRIVATE -sMODULARIZE=1 -sEXPORT_NAME=ballpark -sALLOW_MEMORY_GROWTH=1
    -sTOTAL_STACK=4194304 -sENVIRONMENT=node,web,worker
    -sEXPORTED_FUNCTIONS=_ballpark_open,_ballpark_answer,_ballpark_close,_malloc,_free
    -sEXPORTED_RUNTIME_METHODS=cwrap,UTF8ToString,getValue
    "SHELL:--preload-file ${CMAKE_SOURCE_DIR}/lua@/lua"
    "SHELL:--preload-file ${BALLPARK_WASM_SOURCES}/dkjson.lua@/lua/dkjson.lua")
endfunction()
