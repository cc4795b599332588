/* natural.c - the order in which people list labels. */
#include "base/natural.h"

#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Is the whole text a number?  "nan" is a word. */
static bool read_number(const char *text, double *value)
{
    const char *end = text + strlen(text);
    return end > text && number_parse(text, end, value) == end && !isnan(*value);
}

/* Returns the length of the digits at `text`, without leading zeros, which *text then is behind. */
static size_t skip_zeros(const char **text)
{
    size_t length = 0;
    for (; **text == '0' && is_digit((*text)[1]); (*text)++) {
    }
    for (; is_digit((*text)[length]); length++) {
    }
    return length;
}

/* Compares piece by piece; 0 also if only leading zeros differ. */
static int compare_pieces(const char *a, const char *b)
{
    while (*a && *b) {
        if (!is_digit(*a) || !is_digit(*b)) {
            if (*a != *b) {
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            }
            a++;
            b++;
            continue;
        }
        size_t first = skip_zeros(&a), second = skip_zeros(&b);
        int order = first == second ? strncmp(a, b, first) : first < second ? -1 : 1;
        if (order != 0) {
            return order;
        }
        a += first;
        b += second;
    }
    return (*a != '\0') - (*b != '\0');
}

int natural_compare(const char *a, const char *b)
{
    double first = 0.0, second = 0.0;
    bool number = read_number(a, &first), other = read_number(b, &second);
    int order = number && other ? (first > second) - (first < second) : number ? -1 : other ? 1 : compare_pieces(a, b);
    return order ? order : strcmp(a, b);
}
