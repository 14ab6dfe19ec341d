# The chat page: web/ is built with npm and goes into the binary as the library reckon_web_assets
# (src/server/web_assets.h). RECKON_WEB=OFF, or a machine without Node 20, gives a page that says how to build it.
option(RECKON_WEB "Build the chat page into the program (needs Node 20 and npm)" ON)

set(web_source ${PROJECT_SOURCE_DIR}/web)
set(web_binary ${PROJECT_BINARY_DIR}/web)
set(web_data ${web_binary}/web_assets_data.cc)
file(MAKE_DIRECTORY ${web_binary})

set(reckon_web ${RECKON_WEB})
if(reckon_web)
  find_program(NODE_EXECUTABLE node)
  find_program(NPM_EXECUTABLE npm)
  set(node_version v0)
  if(NODE_EXECUTABLE AND NPM_EXECUTABLE)
    execute_process(COMMAND ${NODE_EXECUTABLE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  string(REGEX REPLACE "^v" "" node_version "${node_version}")
  if(node_version VERSION_LESS 20)
    message(STATUS "The chat page is left out: it needs Node 20 and npm (found: ${node_version}). "
      "Install them, or say -DRECKON_WEB=OFF to silence this.")
    set(reckon_web OFF)
  endif()
endif()

if(reckon_web)
  # npm writes into web/node_modules, which all build folders share; the stamp is beside it for the same reason.
  set(npm_stamp ${web_source}/node_modules/.package-lock.json)
  add_custom_command(OUTPUT ${npm_stamp}
    COMMAND ${NPM_EXECUTABLE} ci --no-audit --no-fund --ignore-scripts --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${npm_stamp}
    DEPENDS ${web_source}/package.json ${web_source}/package-lock.json
    WORKING_DIRECTORY ${web_source} COMMENT "Fetching the packages of the chat page" VERBATIM)
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web_source}/src/* ${web_source}/public/*)
  add_custom_command(OUTPUT ${web_data}
    COMMAND ${NPM_EXECUTABLE} run --silent build -- --outDir ${web_binary}/dist --emptyOutDir --logLevel error
    COMMAND ${NODE_EXECUTABLE} ${web_source}/scripts/embed.mjs ${web_binary}/dist ${web_source}/csp.txt ${web_data}
    DEPENDS ${npm_stamp} ${web_sources} ${web_source}/index.html ${web_source}/vite.config.ts ${web_source}/tsconfig.json
      ${web_source}/csp.txt ${web_source}/scripts/embed.mjs
    WORKING_DIRECTORY ${web_source} COMMENT "Building the chat page" VERBATIM)
else()
  file(READ ${web_source}/csp.txt web_policy)
  string(STRIP "${web_policy}" web_policy)
  file(CONFIGURE OUTPUT ${web_data} @ONLY CONTENT [=[
// Written by cmake/ReckonWeb.cmake.
#include "server/web_assets.h"

namespace reckon::server {
namespace {

constexpr WebAsset kAssets[] = {
    {"/", "text/plain; charset=utf-8",
     "Reckon serves here, and this build has no chat page.\n"
     "To build it in, install Node 20 and npm and configure with -DRECKON_WEB=ON.\n"
     "The API is at /v1/chat/completions.\n",
     {}, "\"none\"", false},
};

}  // namespace

std::span<const WebAsset> web_assets() { return kAssets; }
std::string_view web_content_security_policy() { return "@web_policy@"; }

}  // namespace reckon::server
]=])
endif()

add_library(reckon_web_assets STATIC ${PROJECT_SOURCE_DIR}/src/server/web_assets.cc ${web_data})
reckon_options(reckon_web_assets)
if(RECKON_TESTS)
  add_executable(reckon_web_assets_test ${PROJECT_SOURCE_DIR}/src/server/web_assets_test.cc)
  reckon_options(reckon_web_assets_test)
  target_link_libraries(reckon_web_assets_test PRIVATE reckon_web_assets GTest::gtest GTest::gtest_main)
  gtest_discover_tests(reckon_web_assets_test TEST_PREFIX "web_assets." DISCOVERY_TIMEOUT 60)
endif()
