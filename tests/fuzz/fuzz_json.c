/* tests/fuzz/fuzz_json.c: libFuzzer target for the JSON reader.
 *
 * Accepted texts give the same value as Jansson's reader. Rejected texts are also rejected by Jansson or
 * exceed the nesting limit. Written values round-trip. */
#include "fuzz/fuzz_input.h"

#include "base/json.h"
#include "base/memory.h"

#include <string.h>

enum { DEEPEST = 64 };

/* Nesting depth: brackets outside of strings. */
static int depth_of(const char *text, size_t size)
{
    int depth = 0, most = 0, is_text = 0;
    for (size_t i = 0; i < size; i++) {
        if (is_text && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            is_text = !is_text;
        else if (!is_text && (text[i] == '{' || text[i] == '[') && ++depth > most)
            most = depth;
        else if (!is_text && (text[i] == '}' || text[i] == ']'))
            depth--;
    }
    return most;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    json_error_t error;
    if (memchr(bytes, 0, size)) /* where Jansson stops reading */
        return 0;
    json_t *ours = NULL, *theirs = json_loadb(text, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
    if (volt_json_parse(text, (int64_t)size, &ours)) {
        FUZZ_CHECK(!ours && *volt_error_detail());
        FUZZ_CHECK(!theirs || depth_of(text, size) >= DEEPEST);
        json_decref(theirs);
        return 0;
    }
    FUZZ_CHECK(theirs && json_equal(ours, theirs));
    char *written = NULL, *again = NULL;
    json_t *read = NULL;
    FUZZ_CHECK(volt_json_text(ours, &written) == VOLT_OK);
    FUZZ_CHECK(volt_json_parse(written, (int64_t)strlen(written), &read) == VOLT_OK && json_equal(read, ours));
    FUZZ_CHECK(volt_json_text(read, &again) == VOLT_OK && strcmp(again, written) == 0);
    volt_free(again);
    volt_free(written);
    json_decref(read);
    json_decref(theirs);
    json_decref(ours);
    return 0;
}
