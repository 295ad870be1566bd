/* src/select/candidates/setting.h: what a candidate has beside its kernel. */
#ifndef SELECT_SETTING_H
#define SELECT_SETTING_H

#include <stdbool.h>
#include <string.h>

typedef struct volt_setting {
    double alpha;    /* 0: profiled */
    double feedback; /* the weight of outputs that come back; 0: none do */
} volt_setting;

/* The number that a search calls by this name, or NULL: it is a parameter of the kernel then. */
static inline double *volt_setting_at(volt_setting *setting, const char *name)
{
    if (name && strcmp(name, "alpha") == 0)
        return &setting->alpha;
    if (name && strcmp(name, "feedback") == 0)
        return &setting->feedback;
    return NULL;
}

static inline bool volt_name_is_alpha(const char *name)
{
    return name && strcmp(name, "alpha") == 0;
}

static inline bool volt_name_is_setting(const char *name)
{
    volt_setting any;
    return volt_setting_at(&any, name) != NULL;
}

#endif
