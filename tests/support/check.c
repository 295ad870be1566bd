/* tests/support/check.c: assertions about calls of the library. */
#include "support/check.h"

#include <ctype.h>

void check_ok_at(volt_status status, const char *call, const char *file, int line)
{
    if (status != VOLT_OK)
        fail_msg("%s:%d: %s failed: %s: %s", file, line, call, volt_status_message(status),
                 volt_error_detail());
}

/* Whether the text contains the term. A number must not be part of a longer number. */
static bool has_term(const char *text, const char *term)
{
    bool is_number = strspn(term, "0123456789") == strlen(term);
    for (const char *at = strstr(text, term); at; at = strstr(at + 1, term)) {
        char before = at > text ? at[-1] : ' ', after = at[strlen(term)];
        if (!is_number || (!isdigit((unsigned char)before) && before != '.' && !isdigit((unsigned char)after)))
            return true;
    }
    return false;
}

bool error_names(const char *terms)
{
    for (const char *word = terms; *word; word += strspn(word, " ")) {
        char term[256];
        size_t length = strcspn(word, " ");
        snprintf(term, sizeof term, "%.*s", (int)length, word);
        if (!has_term(volt_error_detail(), term))
            return false;
        word += length;
    }
    return true;
}

void check_fails_at(volt_status status, volt_status expected, const char *terms, const char *call,
                    const char *file, int line)
{
    if (status != expected)
        fail_msg("%s:%d: %s ended with \"%s\", expected \"%s\"", file, line, call, volt_status_message(status),
                 volt_status_message(expected));
    if (!error_names(terms))
        fail_msg("%s:%d: %s: the message \"%s\" does not name all of \"%s\"", file, line, call,
                 volt_error_detail(), terms);
}
