# What is installed: the program and its Lua library; of a rock the module alone; with BALLPARK_PACKAGE also the library for C, the module for
# stock Lua, the man page, completions, pkg-config and CMake files, and what CPack makes a .deb of.
include(GNUInstallDirs)

set(PACKAGING ${CMAKE_CURRENT_LIST_DIR})

if(BALLPARK_PACKAGE OR BALLPARK_ROCK)
  set_target_properties(ballpark_core ballpark_bind PROPERTIES POSITION_INDEPENDENT_CODE ON)

  # `require "ballpark"` from stock Lua finds the library's files and this module as ballpark.core.
  add_library(ballpark_lua MODULE)
  set_target_properties(ballpark_lua PROPERTIES OUTPUT_NAME core PREFIX "" LINKER_LANGUAGE C LIBRARY_OUTPUT_DIRECTORY
    ${CMAKE_BINARY_DIR}/luamodule/ballpark)
  target_link_libraries(ballpark_lua PRIVATE ballpark_bind)
  target_link_options(ballpark_lua PRIVATE LINKER:--version-script=${PACKAGING}/module.map)

  # Where stock Lua looks; a rock says where its own tree is.
  set(BALLPARK_LUA_MODULES ${CMAKE_INSTALL_DATADIR}/lua/5.4 CACHE PATH "Folder of Lua modules")
  set(BALLPARK_LUA_BINARIES ${CMAKE_INSTALL_LIBDIR}/lua/5.4 CACHE PATH "Folder of Lua modules in C")
  install(TARGETS ballpark_lua LIBRARY DESTINATION ${BALLPARK_LUA_BINARIES}/ballpark)
  install(DIRECTORY lua/ballpark DESTINATION ${BALLPARK_LUA_MODULES})
endif()
if(BALLPARK_ROCK)
  return()
endif()

install(TARGETS ballpark RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY lua/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ballpark/lua)
if(NOT BALLPARK_PACKAGE)
  return()
endif()

# Made by the program from its field lists.
set(HEADER ${CMAKE_BINARY_DIR}/include/ballpark.h)
add_custom_command(OUTPUT ${HEADER}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/include
  COMMAND ballpark lua ${PACKAGING}/header.lua ${HEADER}
  DEPENDS ballpark ${PACKAGING}/header.lua VERBATIM)
set(MAN_PAGE ${CMAKE_BINARY_DIR}/ballpark.1)
add_custom_command(OUTPUT ${MAN_PAGE}
  COMMAND ballpark lua ${PACKAGING}/man.lua ${MAN_PAGE}
  DEPENDS ballpark ${PACKAGING}/man.lua VERBATIM)
set(COMPLETIONS)
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/completion.${shell}
    COMMAND sh -c "$<TARGET_FILE:ballpark> completion ${shell} > ${CMAKE_BINARY_DIR}/completion.${shell}"
    DEPENDS ballpark VERBATIM)
  list(APPEND COMPLETIONS ${CMAKE_BINARY_DIR}/completion.${shell})
endforeach()
add_custom_target(package_files ALL DEPENDS ${HEADER} ${MAN_PAGE} ${COMPLETIONS})

file(GLOB EMBED_SOURCES CONFIGURE_DEPENDS core/embed/*.c)
add_library(ballpark_shared SHARED ${EMBED_SOURCES})
add_dependencies(ballpark_shared package_files)
set_target_properties(ballpark_shared PROPERTIES OUTPUT_NAME ballpark VERSION ${PROJECT_VERSION} SOVERSION 1)
target_include_directories(ballpark_shared PRIVATE ${CMAKE_BINARY_DIR}/include
  PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_definitions(ballpark_shared PRIVATE
  BALLPARK_INSTALLED_LUA_DIR="${CMAKE_INSTALL_FULL_DATADIR}/ballpark/lua")
target_link_libraries(ballpark_shared PRIVATE ballpark_bind PkgConfig::LUA ${CMAKE_DL_LIBS})
target_link_options(ballpark_shared PRIVATE LINKER:--version-script=${PACKAGING}/ballpark.map)

configure_file(${PACKAGING}/ballpark.pc.in ballpark.pc @ONLY)
include(CMakePackageConfigHelpers)
configure_package_config_file(${PACKAGING}/BallparkConfig.cmake.in BallparkConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ballpark)
write_basic_package_version_file(BallparkConfigVersion.cmake COMPATIBILITY SameMajorVersion)

install(TARGETS ballpark_shared EXPORT Ballpark LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT Ballpark NAMESPACE Ballpark:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ballpark)
install(FILES ${CMAKE_BINARY_DIR}/BallparkConfig.cmake ${CMAKE_BINARY_DIR}/BallparkConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ballpark)
install(FILES ${CMAKE_BINARY_DIR}/ballpark.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${HEADER} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${MAN_PAGE} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME ballpark)
install(FILES ${CMAKE_BINARY_DIR}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
  RENAME _ballpark)
install(FILES ${CMAKE_BINARY_DIR}/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  RENAME ballpark.fish)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ballpark)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Ballpark <ballpark@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Capacity of machine learning systems: memory, time and cost, without a GPU")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "lua-filesystem, lua-argparse, lua-dkjson, lua-term")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "lua-sql-sqlite3")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
include(CPack)
