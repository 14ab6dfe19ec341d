# cmake --install: the library as the package `reckon` (find_package(reckon) gives reckon::reckon); src/cli adds the program.
# The library is the static library of each folder but those of the service and the program; only include/reckon is public.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY RECKON_MODULES)
list(REMOVE_ITEM modules cli server http metrics)
list(TRANSFORM modules PREPEND reckon_ OUTPUT_VARIABLE module_targets)

add_library(reckon_public INTERFACE)
set_target_properties(reckon_public PROPERTIES EXPORT_NAME reckon)
target_link_libraries(reckon_public INTERFACE ${module_targets})

install(TARGETS reckon_public ${module_targets} EXPORT reckon ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/reckon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/reckon)
install(EXPORT reckon NAMESPACE reckon:: FILE reckonTargets.cmake DESTINATION ${package_folder})
configure_package_config_file(cmake/reckonConfig.cmake.in ${PROJECT_BINARY_DIR}/reckonConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/reckonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/reckonConfig.cmake ${PROJECT_BINARY_DIR}/reckonConfigVersion.cmake
  DESTINATION ${package_folder})

install(FILES LICENSE README.md README.zh.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
