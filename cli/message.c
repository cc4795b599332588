/* message.c - prints complaints on stderr, and maps failures to exit codes. */
#include "cli.h"

#include <stdarg.h>
#include <string.h>

/* Returns the number of bytes of the UTF-8 character at text if it may be printed, else 0. */
static int printable_length(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    if (byte[0] < 0x80) {
        return byte[0] >= 0x20 && byte[0] != 0x7F;
    }
    int length = byte[0] >= 0xF0 ? 4 : byte[0] >= 0xE0 ? 3 : 2;
    if (byte[0] < 0xC2 || byte[0] > 0xF4 || (byte[0] == 0xC2 && byte[1] < 0xA0)) { // invalid, or a control character
        return 0;
    }
    for (int i = 1; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    // U+2028 to U+202E and U+2066 to U+2069 break lines or change the direction of what follows
    bool is_control = byte[0] == 0xE2 && ((byte[1] == 0x80 && byte[2] >= 0xA8 && byte[2] <= 0xAE) ||
                                          (byte[1] == 0x81 && byte[2] >= 0xA6 && byte[2] <= 0xA9));
    return is_control ? 0 : length;
}

static void print_clean(const char *text)
{
    while (*text) {
        int length = printable_length(text);
        if (length > 0) {
            fprintf(stderr, "%.*s", length, text);
            text += length;
        } else {
            fprintf(stderr, "\\x%02x", (unsigned char)*text++);
        }
    }
}

static bool silent;

void be_silent(void)
{
    silent = true;
    if (!freopen("/dev/null", "w", stdout)) {
        fclose(stdout);
    }
}

int complain(int code, const char *format, ...)
{
    char text[4096];
    va_list args;
    if (silent) {
        return code;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs("nonsens: ", stderr);
    print_clean(text);
    fputc('\n', stderr);
    return code;
}

shown_word show_word(const char *word)
{
    shown_word w;
    word = *word ? word : "\"\""; // an empty word would be invisible
    size_t length = strlen(word), room = sizeof w.text - sizeof "...";
    if (length <= room) {
        memcpy(w.text, word, length + 1);
        return w;
    }
    while (room > 0 && ((unsigned char)word[room] & 0xC0) == 0x80) { // do not cut a character in two
        room--;
    }
    memcpy(w.text, word, room);
    memcpy(w.text + room, "...", sizeof "...");
    return w;
}

static int exit_code(nonsens_status status)
{
    switch (status) {
    case NONSENS_OK:
        return EXIT_DONE;
    case NONSENS_ERR_USAGE:
        return EXIT_USAGE;
    case NONSENS_ERR_DATA:
        return EXIT_DATA;
    case NONSENS_CANCELLED:
        return EXIT_INTERRUPTED;
    case NONSENS_ERR_MEMORY:
    case NONSENS_ERR_OUTPUT:
    case NONSENS_ERR_NUMERIC:
        break;
    }
    return EXIT_FAILED;
}

int complain_status(const nonsens_context *ctx, nonsens_status status)
{
    // a signal that interrupts reading or writing looks like an error of that call; another process may have got it
    if (interrupt_seen() || status == NONSENS_CANCELLED) {
        return complain_interrupted();
    }
    return complain(exit_code(status), "%s", nonsens_context_message(ctx));
}

void print_run_warning(const nonsens_context *ctx, bool quiet)
{
    if (!quiet && nonsens_context_warning(ctx)[0]) {
        fprintf(stderr, "warning: %s\n", nonsens_context_warning(ctx));
    }
}

int unless_interrupted(const nonsens_context *ctx, int code)
{
    return code == EXIT_DONE && interrupt_seen() ? complain_status(ctx, NONSENS_CANCELLED) : code;
}
