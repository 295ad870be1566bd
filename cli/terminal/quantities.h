/* cli/terminal/quantities.h: bytes and seconds as people write them. */
#ifndef CLI_QUANTITIES_H
#define CLI_QUANTITIES_H

/* "12.3 GiB", "840 ms", "3.2 hours" into `text`; returns text. */
enum { QUANTITY_LENGTH = 32 };
char *format_bytes(double bytes, char text[QUANTITY_LENGTH]);
char *format_seconds(double seconds, char text[QUANTITY_LENGTH]);

#endif
