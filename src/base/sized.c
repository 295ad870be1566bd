/* src/base/sized.c: public structs that begin with struct_size. */
#include "base/sized.h"

#include "base/error.h"

#include <string.h>

static volt_status read_size(const void *given, const char *name, size_t *size)
{
    memcpy(size, given, sizeof *size);
    VOLT_REQUIRE(*size >= sizeof *size, VOLT_ERR_ARGUMENT,
                 "%s.struct_size is %zu, and must be the size of the struct: begin with %s_default()", name,
                 *size, name);
    return VOLT_OK;
}

volt_status volt_options_take(void *options, size_t size, const void *given, const char *name)
{
    size_t known;
    if (!given)
        return VOLT_OK;
    VOLT_TRY(read_size(given, name, &known));
    memcpy(options, given, known < size ? known : size);
    memcpy(options, &size, sizeof size);
    return VOLT_OK;
}

volt_status volt_result_give(void *given, const void *result, size_t size, const char *name)
{
    size_t known;
    memcpy(&known, given, sizeof known);
    VOLT_REQUIRE(known >= sizeof known, VOLT_ERR_ARGUMENT,
                 "%s.struct_size is %zu, and must be sizeof(%s), set by the caller", name, known, name);
    memcpy((char *)given + sizeof known, (const char *)result + sizeof known,
           (known < size ? known : size) - sizeof known);
    return VOLT_OK;
}
