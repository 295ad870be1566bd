# The JSON files of src/data/bekk/presets/ as a C file in the build folder: sets VOLT_PRESETS_SOURCE. Written while
# configuring, and again whenever one of the files changes. Bytes, not string literals: those have a length limit.
set(VOLT_PRESETS_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/generated/bekk_preset_texts.c)
file(GLOB preset_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/data/bekk/presets/*.json)
list(SORT preset_files COMPARE NATURAL)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${preset_files})

set(preset_arrays "")
set(preset_rows "")
set(preset_number 0)
foreach(file IN LISTS preset_files)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND preset_arrays "static const char text_${preset_number}[] = {\n${bytes}0};\n\n")
  string(APPEND preset_rows "    {\"${name}\", text_${preset_number}},\n")
  math(EXPR preset_number "${preset_number} + 1")
endforeach()

file(CONFIGURE OUTPUT ${VOLT_PRESETS_SOURCE} @ONLY CONTENT
"/* Made by cmake/EmbedPresets.cmake from src/data/bekk/presets/. */
#include \"data/bekk/bekk.h\"

#include <stddef.h>

@preset_arrays@const volt_bekk_preset_text volt_bekk_preset_texts[] = {
@preset_rows@    {NULL, NULL},
};
")
