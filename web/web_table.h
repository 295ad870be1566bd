/* web/web_table.h: the columns of a file, for the page in the browser. */
#ifndef WEB_TABLE_H
#define WEB_TABLE_H

/* Prints names, times and values of all columns as JSON, of the last 20000 rows. Returns the exit status. */
int web_table(const char *path);

#endif
