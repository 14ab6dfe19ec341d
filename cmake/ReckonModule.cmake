# One CMake target a folder. reckon_module(NAME SOURCES ... DEPS ... [LINK ...] [TESTS ...] [TEST_DEPS ...] [HEAVY ...])
#   DEPS       folders of a lower level that this one may include (docs/LEVELS.md); `base` is always there
#   LINK       package targets, private to the folder
#   HEAVY      headers of packages that most of its sources pay for: precompiled with RECKON_PRECOMPILE
#   TESTS      GoogleTest sources, one executable reckon_<name>_test
function(reckon_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LINK;TESTS;TEST_DEPS;HEAVY" ${ARGN})
  add_library(reckon_${name} STATIC ${ARG_SOURCES})
  reckon_options(reckon_${name})
  set_property(GLOBAL APPEND PROPERTY RECKON_MODULES ${name})
  if(NOT name STREQUAL base)
    target_link_libraries(reckon_${name} PUBLIC reckon_base)
  endif()
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(reckon_${name} PUBLIC reckon_${dep})
  endforeach()
  target_link_libraries(reckon_${name} PRIVATE ${ARG_LINK})
  if(ARG_HEAVY)
    reckon_precompile(reckon_${name} reckon_${name} ${RECKON_COMMON_HEADERS} ${ARG_HEAVY})
  else()
    reckon_precompile(reckon_${name} reckon_base ${RECKON_COMMON_HEADERS})
  endif()
  if(RECKON_TESTS AND ARG_TESTS)
    add_executable(reckon_${name}_test ${ARG_TESTS})
    reckon_options(reckon_${name}_test)
    target_link_libraries(reckon_${name}_test PRIVATE reckon_${name} ${ARG_TEST_DEPS} ${ARG_LINK} GTest::gtest GTest::gtest_main)
    target_compile_definitions(reckon_${name}_test PRIVATE RECKON_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    reckon_precompile(reckon_${name}_test reckon_base_test ${RECKON_COMMON_HEADERS} <gtest/gtest.h>)
    # What is tested is optimised; the tests themselves are only waited for.
    target_compile_options(reckon_${name}_test PRIVATE $<$<CONFIG:Release>:-O0>)
    gtest_discover_tests(reckon_${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
endfunction()

# With RECKON_PRECOMPILE: what nearly every file includes, compiled once. Halves the time of a full build. Off by default, since
# it hides a missing #include; script/run and the release build of script/test turn it on, all other builds keep the files honest.
set(RECKON_COMMON_HEADERS <algorithm> <filesystem> <functional> <map> <memory> <optional> <span> <string> <vector> <fmt/format.h>)

# reckon_precompile(TARGET OWNER HEADERS...): OWNER, which comes first, compiles the headers; the others take them from it.
function(reckon_precompile target owner)
  if(NOT RECKON_PRECOMPILE)
    return()
  elseif(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
  # The same file each time, so that ccache can tell that nothing has changed.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

# Warnings, language level and include paths of our own code.
function(reckon_options target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:include>)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Werror -ffp-contract=off -fvisibility=hidden
    # GCC 12 sees overlaps in assignments of short literals to a std::string (GCC bug 105651).
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    # std::stable_sort of libstdc++ 12 uses a function that is deprecated since C++17; Clang blames the caller.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
    # False alarms of GCC 12 with optimisation: string concatenation (GCC bug 105651), std::variant and std::optional.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict$<SEMICOLON>-Wno-maybe-uninitialized$<SEMICOLON>-Wno-stringop-overflow>)
endfunction()

# Micro-benchmarks of one folder: reckon_benchmark(NAME SOURCE). Executable reckon_<name>_bench, only with RECKON_BENCHMARKS.
function(reckon_benchmark name source)
  if(RECKON_BENCHMARKS)
    add_executable(reckon_${name}_bench ${source})
    reckon_options(reckon_${name}_bench)
    target_link_libraries(reckon_${name}_bench PRIVATE reckon_${name} benchmark::benchmark)
  endif()
endfunction()

# A libFuzzer target: reckon_fuzzer(NAME SOURCE MODULES...). Only in the `fuzz` preset (Clang).
function(reckon_fuzzer name source)
  if(RECKON_FUZZ)
    add_executable(fuzz_${name} ${source})
    reckon_options(fuzz_${name})
    target_link_libraries(fuzz_${name} PRIVATE ${ARGN})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()
