# Compiler flags, as two interface targets:
#   volterra_warnings   what every file of this project is compiled with
#   volterra_numerics   what the library is compiled with on top of that
# and VOLT_CPU_FLAGS, the machine flags in words ("portable" when there are none).
include(CheckCCompilerFlag)

add_library(volterra_warnings INTERFACE)
target_compile_options(volterra_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla
  $<$<BOOL:${VOLT_WERROR}>:-Werror>)

# Sums may be vectorised only where the code says so (omp simd), and NaN and infinity keep their meaning:
# no -ffast-math, ever. Contraction is set, not left to the default of the compiler and the standard
# chosen, so that all builds for one machine round alike.
add_library(volterra_numerics INTERFACE)
target_compile_options(volterra_numerics INTERFACE -fno-math-errno -fno-trapping-math -ffp-contract=fast)
if(NOT VOLT_OPENMP) # loops stay vectorised where the code says so
  target_compile_options(volterra_numerics INTERFACE -fopenmp-simd -Wno-unknown-pragmas)
endif()

# ---- machine ------------------------------------------------------------------------------------
if(VOLT_NATIVE)
  check_c_compiler_flag(-march=native VOLT_HAS_MARCH_NATIVE)
  check_c_compiler_flag(-mcpu=native VOLT_HAS_MCPU_NATIVE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|arm)" AND VOLT_HAS_MCPU_NATIVE)
    set(native_flag -mcpu=native)
  elseif(VOLT_HAS_MARCH_NATIVE)
    set(native_flag -march=native)
  else()
    message(FATAL_ERROR "VOLT_NATIVE: ${CMAKE_C_COMPILER} knows neither -march=native nor -mcpu=native")
  endif()
  target_compile_options(volterra_numerics INTERFACE ${native_flag})
endif()

# Machine flags may also come from CFLAGS or CMAKE_C_FLAGS.
string(REGEX MATCHALL "-m(arch|cpu|tune)=[^ ]+" user_flags "${CMAKE_C_FLAGS}")
string(JOIN " " VOLT_CPU_FLAGS ${user_flags} ${native_flag})
if(NOT VOLT_CPU_FLAGS)
  set(VOLT_CPU_FLAGS portable)
endif()

# ---- sanitizers ---------------------------------------------------------------------------------
# For the whole project: sanitised and plain objects do not mix.
if(VOLT_SANITIZE OR VOLT_BUILD_FUZZ)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # Instrumented code hides the ranges of values from gcc, whose warnings about them then misfire.
  target_compile_options(volterra_warnings INTERFACE
    $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation -Wno-maybe-uninitialized -Wno-stringop-overflow>)
endif()
if(VOLT_SANITIZE)
  add_compile_options(-fPIC) # tests use the variables of a shared library, which must not be copied into the programs
  # Undefined behaviour raises SIGILL. A text for each check would double the time that programs take to start. With
  # ASAN_OPTIONS=handle_sigill=1, AddressSanitizer prints the function and line.
  add_compile_options(-fsanitize-undefined-trap-on-error)
endif()
if(VOLT_SANITIZE_THREADS)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "VOLT_SANITIZE_THREADS needs clang (CC=clang); this is ${CMAKE_C_COMPILER_ID}")
  endif()
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
  foreach(name task_alloc task task_with_deps) # tests/tsan/task_arguments.c
    add_link_options(LINKER:--wrap=__kmpc_omp_${name})
  endforeach()
endif()
if(VOLT_BUILD_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "VOLT_BUILD_FUZZ needs clang (CC=clang); this is ${CMAKE_C_COMPILER_ID}")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# ---- coverage -----------------------------------------------------------------------------------
# Of the library alone. Threads count together, or gcov's sums of what enters and leaves a block would not agree.
if(VOLT_COVERAGE)
  target_compile_options(volterra_numerics INTERFACE --coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
