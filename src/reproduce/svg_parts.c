/* svg_parts.c - see svg_parts.h. */
#include "reproduce/svg_parts.h"

#include <math.h>
#include <string.h>

/* ---- text ---- */

static void put_text(FILE *out, const char *text, size_t bytes)
{
    static const char special[] = "&<>\"'";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < bytes; i++) {
        const char *found = strchr(special, text[i]);
        if (found) {
            fputs(entity[found - special], out);
        } else if ((unsigned char)text[i] >= 0x20 && text[i] != 0x7F) {
            putc(text[i], out);
        }
    }
}

void svg_text(FILE *out, const char *text)
{
    put_text(out, text, strlen(text));
}

static int64_t letters_of(const char *text, size_t bytes)
{
    int64_t count = 0;
    for (size_t i = 0; i < bytes; i++) {
        count += ((unsigned char)text[i] & 0xC0) != 0x80; // bytes that continue a letter do not count
    }
    return count;
}

int64_t svg_letters(const char *text)
{
    return letters_of(text, strlen(text));
}

/* ---- marks ---- */

char *svg_pixels(char buffer[NUMBER_BYTES], double value)
{
    return number_print(buffer, round(100.0 * value) / 100.0 + 0.0, 8);
}

void svg_length(FILE *out, const char *name, double value)
{
    char number[NUMBER_BYTES];
    fprintf(out, " %s=\"%s\"", name, svg_pixels(number, value));
}

static void put_label(FILE *out, double x, double y, const char *style, const char *text, size_t bytes)
{
    fputs("<text", out);
    svg_length(out, "x", x);
    svg_length(out, "y", y);
    fprintf(out, " %s>", style);
    put_text(out, text, bytes);
    fputs("</text>\n", out);
}

void svg_label(FILE *out, double x, double y, const char *style, const char *text)
{
    if (text) {
        put_label(out, x, y, style, text, strlen(text));
    }
}

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *style)
{
    fputs("<line", out);
    svg_length(out, "x1", x1);
    svg_length(out, "y1", y1);
    svg_length(out, "x2", x2);
    svg_length(out, "y2", y2);
    fprintf(out, " %s/>\n", style);
}

/* ---- wrapped text ---- */

/* Bytes of the longest beginning of whole words with at most so many letters; the first word even if it is longer. */
static size_t line_bytes(const char *text, int64_t letters)
{
    size_t fits = strcspn(text, " ");
    for (size_t end = fits; text[end];) {
        end++;
        end += strcspn(text + end, " ");
        if (letters_of(text, end) > letters) {
            break;
        }
        fits = end;
    }
    return fits;
}

int64_t svg_wrapped(FILE *out, double x, double y, double leading, int64_t letters, const char *style, const char *text)
{
    int64_t lines = 0;
    if (!text) {
        return 1;
    }
    do {
        size_t bytes = line_bytes(text, letters);
        if (out) {
            put_label(out, x, y + leading * (double)lines, style, text, bytes);
        }
        lines++;
        text += bytes;
        text += strspn(text, " ");
    } while (*text);
    return lines;
}

/* ---- the file ---- */

void svg_head(FILE *out, const char *title, double width, double height)
{
    char number[2][NUMBER_BYTES];
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"", out);
    svg_length(out, "width", width);
    svg_length(out, "height", height);
    fprintf(out, " viewBox=\"0 0 %s %s\"", svg_pixels(number[0], width), svg_pixels(number[1], height));
    fputs(" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222222\">\n<title>", out);
    svg_text(out, title ? title : "");
    fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
}
