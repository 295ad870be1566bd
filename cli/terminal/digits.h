/* cli/terminal/digits.h: numbers of reports as text. Only this file decides how many digits a terminal shows; numbers for
 * other programs (files, JSON, commands to copy) are written in full by volt_format_number. */
#ifndef CLI_DIGITS_H
#define CLI_DIGITS_H

/* digits(x).text is valid until the end of the full expression. */
typedef struct number_text {
    char text[24];
} number_text;

/* Returns at most four significant digits, without an exponent from 0.0001 up to ten million. */
number_text digits(double value);
/* Returns a parameter, which may be copied, with six significant digits. */
number_text parameter_digits(double value);

/* Returns a number with these decimals. Numbers far above the others of their column have an exponent. */
number_text fixed_digits(double value, int decimals);
/* Return the decimals of a column. They give its lowest value four digits, or three if it is below 1 ... */
int column_decimals(double lowest);
/* ... or the lowest error of its values two, and its largest value at most six. */
int error_decimals(double lowest_error, double largest);
/* Returns "0.727 +- 0.012". */
typedef struct estimate_text {
    char text[56];
} estimate_text;
estimate_text error_digits(double value, double error);

#endif
