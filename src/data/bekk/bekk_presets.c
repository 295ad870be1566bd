/* src/data/bekk/bekk_presets.c: parameters of the BEKK model that are built in. */
#include "data/bekk/bekk_presets.h"

#include "base/error.h"
#include "text/text.h"
#include "volterra/data.h"

#include <string.h>

const char *volt_bekk_preset_name(int64_t index)
{
    for (int64_t i = 0; volt_bekk_preset_texts[i].name; i++)
        if (i == index)
            return volt_bekk_preset_texts[i].name;
    return NULL;
}

volt_status volt_bekk_preset(const char *name, volt_bekk **bekk)
{
    enum { MOST_NAMES = 64 };
    const char *names[MOST_NAMES];
    int64_t count = 0;
    VOLT_REQUIRE(name && bekk, VOLT_ERR_ARGUMENT, "the name of the preset or the place for it is NULL");
    for (const volt_bekk_preset_text *preset = volt_bekk_preset_texts; preset->name; preset++) {
        if (strcmp(preset->name, name) == 0)
            return volt_bekk_from_json(preset->text, bekk);
        if (count < MOST_NAMES)
            names[count++] = preset->name;
    }
    const char *nearest = volt_nearest_name(name, names, count);
    if (nearest)
        return volt_fail(VOLT_ERR_ARGUMENT, "there is no preset '%s'; did you mean %s?", name, nearest);
    return volt_fail(VOLT_ERR_ARGUMENT, "there is no preset '%s' (the first is %s)", name, names[0]);
}
