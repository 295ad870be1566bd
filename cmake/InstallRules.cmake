# What `cmake --install` puts where: library, headers, program, manual pages, CMake package, pkg-config file.
# In a Python wheel (scikit-build-core, see pyproject.toml): the library beside the package, and the program in its
# folder bin. A wheel holds no symbolic links, so the library has no version in its name.
if(SKBUILD)
  set_property(TARGET volterra PROPERTY VERSION)
  set_property(TARGET volterra PROPERTY SOVERSION)
  install(TARGETS volterra LIBRARY DESTINATION volterra COMPONENT python)
  add_custom_target(python_package DEPENDS volterra)
  if(TARGET volterra_cli)
    set_property(TARGET volterra_cli PROPERTY INSTALL_RPATH $<IF:$<PLATFORM_ID:Darwin>,@loader_path,$ORIGIN>/..)
    install(TARGETS volterra_cli RUNTIME DESTINATION volterra/bin COMPONENT python)
    add_dependencies(python_package volterra_cli)
  endif()
  return()
endif()

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/volterra)

if(BUILD_SHARED_LIBS)
  install(TARGETS volterra EXPORT volterraTargets)
  install(EXPORT volterraTargets NAMESPACE volterra:: DESTINATION ${package_dir})
endif()
if(static_library) # leaves the linking of its libraries to the user
  set_property(TARGET ${static_library} PROPERTY EXPORT_NAME volterra_static)
  install(TARGETS ${static_library} EXPORT volterraStaticTargets)
  install(EXPORT volterraStaticTargets NAMESPACE volterra:: DESTINATION ${package_dir})
  install(FILES cmake/volterraDependencies.cmake DESTINATION ${package_dir})
endif()
if(TARGET volterra_cli)
  install(TARGETS volterra_cli)
  include(ProgramTexts)
endif()
install(DIRECTORY include/ TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE packaging/licenses/Random123.txt TYPE DOC)
if(VOLT_MPI)
  install(FILES docs/man/volterra-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# ---- CMake package ------------------------------------------------------------------------------
configure_package_config_file(cmake/volterraConfig.cmake.in volterraConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(volterraConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/volterraConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/volterraConfigVersion.cmake
        DESTINATION ${package_dir})

# ---- pkg-config ---------------------------------------------------------------------------------
# The libraries of the static library are flags, not Requires.private, so that users of the shared one do not need their
# pkg-config files.
set(pc_libs_private ${VOLT_BLAS_LINK} ${JANSSON_LDFLAGS} ${NLOPT_LDFLAGS} -lz -lcsv ${OpenMP_C_FLAGS} -lm -ldl)
if(VOLT_MATIO_TARGET)
  list(PREPEND pc_libs_private ${MATIO_LDFLAGS})
endif()
list(JOIN pc_libs_private " " pc_libs_private)
# The prefix is found from where the file lies, so that `cmake --install --prefix` and a moved tree are right.
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix ${pc_dir} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/volterra.pc.in volterra.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/volterra.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
