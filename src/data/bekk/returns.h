/* src/data/bekk/returns.h: checks of a table of returns. */
#ifndef DATA_RETURNS_H
#define DATA_RETURNS_H

#include "volterra/base.h"

/* A view with rows and columns, all finite: VOLT_ERR_ARGUMENT, VOLT_ERR_NOT_FINITE with row and column. */
volt_status volt_returns_check(volt_view returns);

#endif
