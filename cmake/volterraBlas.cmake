# The BLAS and LAPACK, through CBLAS and the Fortran symbols: makes the target volterra::blas and sets
#   VOLT_BLAS_DEFINITIONS   what the sources of src/base need to know
#   VOLT_BLAS_DESCRIPTION   one line for people
#   VOLT_BLAS_LINK          linker flags, for volterra.pc
#
# OpenBLAS is taken in its OpenMP build where there is one, so that BLAS and our own loops share their
# threads. Debian keeps each build in a folder of its own (openblas-openmp), Fedora and openSUSE give it a
# name of its own (openblaso, openblas_openmp); elsewhere there is one openblas. A build without threads is
# not safe to call from several threads unless it was built with USE_LOCKING=1, which it does not report: with such a
# build the library uses one thread (src/base/threads.c).
# "none" takes the routines of src/base/noblas/plain_*.c.
include(CheckFunctionExists)

if(VOLT_BLAS STREQUAL "none")
  if(VOLT_BLAS_ILP64)
    message(FATAL_ERROR "VOLT_BLAS=none has 32-bit integers (got VOLT_BLAS_ILP64=ON)")
  endif()
  set(VOLT_BLAS_DEFINITIONS VOLT_BLAS_LABEL="none: routines of this library")
  set(VOLT_BLAS_DESCRIPTION "none")
  set(VOLT_BLAS_LINK)
  set(blas_libraries)
  add_library(volterra::blas INTERFACE IMPORTED)
  set_target_properties(volterra::blas PROPERTIES INTERFACE_COMPILE_DEFINITIONS VOLT_PLAIN_BLAS)
  return()
endif()

if(VOLT_BLAS STREQUAL "OpenBLAS")
  if(VOLT_BLAS_ILP64)
    set(flavours openblaso64 openblas64_openmp openblas64)
  else()
    set(flavours openblaso openblas_openmp openblas)
  endif()
  find_library(VOLT_OPENBLAS_LIBRARY NAMES ${flavours}
    HINTS $ENV{OPENBLAS_ROOT} /opt/homebrew/opt/openblas /usr/local/opt/openblas
    PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp ${CMAKE_LIBRARY_ARCHITECTURE}/openblas64-openmp
                  openblas-openmp openblas64-openmp lib lib64)
  if(NOT VOLT_OPENBLAS_LIBRARY)
    message(FATAL_ERROR "OpenBLAS not found (Debian: libopenblas-openmp-dev); `make deps` installs what is "
                        "missing, -DVOLT_BLAS=Generic takes another BLAS")
  endif()
  # The header that belongs to this library: Debian's are in include/<arch>/openblas-openmp.
  get_filename_component(blas_folder ${VOLT_OPENBLAS_LIBRARY} DIRECTORY)
  get_filename_component(blas_flavour ${blas_folder} NAME)
  find_path(VOLT_CBLAS_INCLUDE_DIR cblas.h
    HINTS $ENV{OPENBLAS_ROOT} ${blas_folder}/.. /opt/homebrew/opt/openblas /usr/local/opt/openblas
    PATH_SUFFIXES ${blas_flavour} include openblas)
  set(blas_libraries ${VOLT_OPENBLAS_LIBRARY})
else()
  set(BLA_VENDOR ${VOLT_BLAS})
  if(VOLT_BLAS_ILP64)
    set(BLA_SIZEOF_INTEGER 8)
  endif()
  find_package(BLAS REQUIRED)
  find_package(LAPACK REQUIRED)
  find_path(VOLT_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES include cblas mkl)
  set(blas_libraries ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES})
  list(REMOVE_DUPLICATES blas_libraries)
endif()

if(NOT VOLT_CBLAS_INCLUDE_DIR)
  message(FATAL_ERROR "cblas.h not found for VOLT_BLAS=${VOLT_BLAS}")
endif()

# ---- what it offers -----------------------------------------------------------------------------
set(CMAKE_REQUIRED_LIBRARIES ${blas_libraries} m)
check_function_exists(cblas_dgemm VOLT_BLAS_HAS_CBLAS)
if(NOT VOLT_BLAS_HAS_CBLAS)
  find_library(VOLT_CBLAS_LIBRARY cblas) # the reference BLAS keeps CBLAS in a library of its own
  if(NOT VOLT_CBLAS_LIBRARY)
    message(FATAL_ERROR "${blas_libraries} has no cblas_dgemm, and there is no libcblas")
  endif()
  list(PREPEND blas_libraries ${VOLT_CBLAS_LIBRARY})
endif()
check_function_exists(dpotrf_ VOLT_BLAS_HAS_LAPACK)
if(NOT VOLT_BLAS_HAS_LAPACK)
  message(FATAL_ERROR "${blas_libraries} has no LAPACK (dpotrf)")
endif()
check_function_exists(openblas_set_num_threads VOLT_BLAS_IS_OPENBLAS)
unset(CMAKE_REQUIRED_LIBRARIES)

# Ask OpenBLAS itself which build it is: the file name does not tell.
if(VOLT_BLAS_IS_OPENBLAS AND NOT CMAKE_CROSSCOMPILING AND NOT DEFINED VOLT_OPENBLAS_SAYS)
  try_run(openblas_runs openblas_compiles ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles
          ${CMAKE_CURRENT_LIST_DIR}/openblas_build.c
          LINK_LIBRARIES ${blas_libraries}
          RUN_OUTPUT_VARIABLE openblas_says)
  if(openblas_compiles AND openblas_runs EQUAL 0)
    set(VOLT_OPENBLAS_SAYS "${openblas_says}" CACHE INTERNAL "Version and threading of OpenBLAS")
  endif()
endif()

set(VOLT_BLAS_DEFINITIONS)
if(VOLT_BLAS_IS_OPENBLAS)
  list(APPEND VOLT_BLAS_DEFINITIONS VOLT_HAVE_OPENBLAS)
  if(DEFINED VOLT_OPENBLAS_SAYS)
    set(VOLT_BLAS_DESCRIPTION "${VOLT_OPENBLAS_SAYS} (${blas_libraries})")
  else()
    set(VOLT_BLAS_DESCRIPTION "OpenBLAS (${blas_libraries})")
  endif()
  if(VOLT_OPENBLAS_SAYS MATCHES "pthreads")
    message(WARNING "This OpenBLAS brings threads of its own, which compete with OpenMP's: results are the "
                    "same, fits are slower. Its OpenMP build is in libopenblas-openmp-dev on Debian.")
  endif()
else()
  list(APPEND VOLT_BLAS_DEFINITIONS VOLT_BLAS_LABEL="${VOLT_BLAS}")
  set(VOLT_BLAS_DESCRIPTION "${VOLT_BLAS} (${blas_libraries})")
endif()

# ---- target -------------------------------------------------------------------------------------
add_library(volterra::blas INTERFACE IMPORTED)
set_target_properties(volterra::blas PROPERTIES INTERFACE_LINK_LIBRARIES "${blas_libraries}"
                                                INTERFACE_INCLUDE_DIRECTORIES ${VOLT_CBLAS_INCLUDE_DIR})
if(VOLT_BLAS_ILP64)
  set_target_properties(volterra::blas PROPERTIES INTERFACE_COMPILE_DEFINITIONS VOLT_BLAS_ILP64)
endif()

set(VOLT_BLAS_LINK)
foreach(library IN LISTS blas_libraries)
  if(IS_ABSOLUTE "${library}")
    get_filename_component(folder ${library} DIRECTORY)
    get_filename_component(name ${library} NAME_WE)
    string(REGEX REPLACE "^lib" "" name ${name})
    if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      string(APPEND VOLT_BLAS_LINK " -L${folder}")
    endif()
    string(APPEND VOLT_BLAS_LINK " -l${name}")
  else()
    string(APPEND VOLT_BLAS_LINK " ${library}")
  endif()
endforeach()
string(STRIP "${VOLT_BLAS_LINK}" VOLT_BLAS_LINK)
