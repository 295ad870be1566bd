# The libraries that volterra requires: sets VOLT_LIBRARIES. Included by the build, and by the installed
# volterraConfig.cmake for the static library, whose users link them too; then the BLAS and VOLT_MATIO_LIBRARY are
# those of the build.
if(VOLT_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS C)
  set(VOLT_OPENMP_TARGET OpenMP::OpenMP_C)
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
if(VOLT_MATIO)
  # The library loads matio with the first MATLAB file (src/io/mat/mat.c). In a wheel it is linked to matio, for auditwheel.
  if(NOT VOLT_MATIO_LIBRARY)
    pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)
  endif()
  if(NOT DEFINED VOLT_MATIO_LIBRARY AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT SKBUILD AND CMAKE_READELF)
    find_library(MATIO_FILE matio HINTS ${MATIO_LIBRARY_DIRS} ${MATIO_LIBDIR})
    execute_process(COMMAND ${CMAKE_READELF} -d "${MATIO_FILE}" OUTPUT_VARIABLE matio_dynamic ERROR_QUIET)
    if(matio_dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
      set(VOLT_MATIO_LIBRARY ${CMAKE_MATCH_1})
    endif()
  endif()
  if(NOT VOLT_MATIO_LIBRARY)
    set(VOLT_MATIO_TARGET PkgConfig::MATIO)
  endif()
endif()
pkg_check_modules(NLOPT REQUIRED IMPORTED_TARGET nlopt)
find_package(ZLIB REQUIRED)

if(NOT TARGET volterra::csv)
  # libcsv has no pkg-config file.
  find_library(CSV_LIBRARY csv)
  find_path(CSV_INCLUDE_DIR csv.h)
  if(NOT CSV_LIBRARY OR NOT CSV_INCLUDE_DIR)
    message(FATAL_ERROR "libcsv not found (Debian: libcsv-dev); `make deps` installs what is missing")
  endif()
  add_library(volterra::csv UNKNOWN IMPORTED)
  set_target_properties(volterra::csv PROPERTIES IMPORTED_LOCATION ${CSV_LIBRARY}
                                                 INTERFACE_INCLUDE_DIRECTORIES ${CSV_INCLUDE_DIR})
endif()

if(NOT TARGET volterra::blas)
  include(${CMAKE_CURRENT_LIST_DIR}/volterraBlas.cmake)
endif()

set(VOLT_LIBRARIES volterra::blas ${VOLT_OPENMP_TARGET} ${VOLT_MATIO_TARGET} PkgConfig::JANSSON PkgConfig::NLOPT
                   ZLIB::ZLIB volterra::csv m ${CMAKE_DL_LIBS})
