/* text_diagnosis.c - prints what the data can and cannot support: one sentence, and what was found. */
#include "write/text.h"

#include <inttypes.h>

enum { ROOM = 18 }; /* lines for what was found; --verbose shows the rest */

int text_print_diagnosis(FILE *f, const nonsens_result *r, bool all)
{
    int lines = text_print_words(f, r->sentence, 0, 0) + 1, room = ROOM;
    int64_t seen = 0, shown = 0;
    fputc('\n', f);
    for (int64_t i = 0; i < r->notes; i++) {
        if (r->note[i].level != NONSENS_NOTE_INFO) {
            continue;
        }
        seen++;
        int needed = text_print_words(NULL, r->note[i].text, 4, 4);
        if (seen == shown + 1 && (all || needed <= room)) {
            fputs("  - ", f);
            room -= text_print_words(f, r->note[i].text, 4, 4);
            shown++;
        }
    }
    if (shown < seen) {
        fprintf(f, "  ... and %" PRId64 " more; --verbose shows them\n", seen - shown);
        room--;
    }
    return lines + ROOM - room;
}
