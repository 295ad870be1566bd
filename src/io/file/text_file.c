/* src/io/file/text_file.c: a whole text file, for formats that are read and written elsewhere. */
#include "base/error.h"
#include "base/memory.h"
#include "io/file/atomic_file.h"
#include "io/file/file_bytes.h"
#include "volterra/io.h"

#include <string.h>

volt_status volt_text_read(const char *path, char **text)
{
    VOLT_REQUIRE(path && text, VOLT_ERR_ARGUMENT, "the path or the place for the text is NULL");
    char *bytes = NULL;
    int64_t size = 0;
    VOLT_TRY(volt_file_load_text(path, &bytes, &size));
    if (strlen(bytes) != (size_t)size) {
        volt_free(bytes);
        return volt_fail(VOLT_ERR_FORMAT, "%s is not a text: it holds a zero byte", path);
    }
    *text = bytes;
    return VOLT_OK;
}

volt_status volt_text_write(const char *path, const char *text)
{
    VOLT_REQUIRE(path && text, VOLT_ERR_ARGUMENT, "the path or the text is NULL");
    volt_atomic_file file;
    VOLT_TRY(volt_atomic_open(&file, path));
    volt_atomic_write(&file, text, strlen(text));
    return volt_atomic_close(&file);
}
