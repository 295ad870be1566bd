/* cli/terminal/safe_output.h: standard output on a terminal. */
#ifndef CLI_SAFE_OUTPUT_H
#define CLI_SAFE_OUTPUT_H

/* Where standard output is a terminal, replace it by a stream that prints no control characters, whoever writes: names and
 * texts of files, tables, CSV and JSON (volt_show_character; ends of lines and tabs stay). Files and pipes receive the bytes
 * as they are. */
void safe_output_begin(void);

#endif
