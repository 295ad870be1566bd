/* src/data/bekk/bekk_presets.h: the JSON texts that CMake builds in from src/data/bekk/presets/. */
#ifndef DATA_BEKK_PRESETS_H
#define DATA_BEKK_PRESETS_H

typedef struct volt_bekk_preset_text {
    const char *name; /* of the file, without .json */
    const char *text;
} volt_bekk_preset_text;

/* In the order of the names, the shorter first; ends with a name of NULL. */
extern const volt_bekk_preset_text volt_bekk_preset_texts[];

#endif
