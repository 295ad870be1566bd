/* src/export/export_json.h: the numbers of an exported model as JSON (docs/file_formats.md). */
#ifndef MODEL_EXPORT_JSON_H
#define MODEL_EXPORT_JSON_H

#include "base/strings.h"
#include "export/export_model.h"

/* VOLT_ERR_MEMORY; VOLT_ERR_ARGUMENT for a name that is not UTF-8. Free text->bytes with volt_free. */
volt_status volt_export_json(const volt_export *made, volt_text_buffer *text);

#endif
