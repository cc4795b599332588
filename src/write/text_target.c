/* text_target.c - prints how much of the target's change the root causes account for. */
#include "base/show.h"
#include "write/text.h"
#include "write/write_internal.h"

#include <inttypes.h>
#include <math.h>

enum {
    DIGITS = 3,
    ERROR_DIGITS = 2,
    MAX_SENTENCES = 3,
    PART_BYTES = 3 * NUMBER_BYTES + TEXT_NAME_BYTES + 120,
    ALL_BYTES = 6 * PART_BYTES
};

static const char *print(char cell[NUMBER_BYTES], double value, int digits)
{
    if (isfinite(value) && value != 0.0) {
        return number_print(cell, value, digits);
    }
    snprintf(cell, NUMBER_BYTES, "%s", value == 0.0 ? "0" : "not known");
    return cell;
}

static const char *number(char cell[NUMBER_BYTES], double value)
{
    return print(cell, value, DIGITS);
}

/* Appends "x3 accounts for 85 % of the change (1.9 of 2.2, standard error 0.1)." */
static size_t add_share(char *out, size_t used, const char *who, const char *verb, double share, double error,
                        double part, double change)
{
    char value[NUMBER_BYTES], spread[NUMBER_BYTES], all[NUMBER_BYTES];
    size_t room = ALL_BYTES - used;
    number(value, share);
    print(spread, error, ERROR_DIGITS);
    int more =
        isfinite(part)
            ? snprintf(out + used, room, " %s %s for %" PRId64 " %% of the change (%s of %s, standard error %s).", who,
                       verb, (int64_t)llround(100.0 * part), value, number(all, change), spread)
            : snprintf(out + used, room, " %s %s for %s (standard error %s).", who, verb, value, spread);
    return used + (more < 0 ? 0 : (size_t)more < room ? (size_t)more : room - 1);
}

static size_t add_shares(char *out, size_t used, const nonsens_result *r)
{
    char name[TEXT_NAME_BYTES];
    const nonsens_target_change *t = r->explained.target;
    int64_t said = 0;
    for (int64_t i = 0; i < r->variables && said < MAX_SENTENCES; i++) {
        const nonsens_change *c = &r->explained.variable[i];
        if (!isnan(c->effect_share)) {
            said++;
            used = add_share(out, used, text_name(name, r->names, r->variables, c->variable), "accounts",
                             c->effect_share, c->effect_error, c->effect_part, t->change);
        }
    }
    return add_share(out, used, "All other variables together", "account", t->others_share, t->others_error,
                     t->others_part, t->change);
}

int text_print_target(FILE *f, const nonsens_result *r)
{
    const nonsens_target_change *t = r->explained.target;
    char name[TEXT_NAME_BYTES], before[NUMBER_BYTES], after[NUMBER_BYTES], by[NUMBER_BYTES], out[ALL_BYTES];
    if (!t || !isfinite(t->change)) {
        return 0;
    }
    text_name(name, r->names, r->variables, t->variable);
    size_t used = (size_t)snprintf(out, sizeof out, "The mean of %s changed by %s (from %s to %s).", name,
                                   number(by, t->change), number(before, t->normal), number(after, t->faulted));
    if (t->reason) {
        snprintf(out + used, sizeof out - used, " How much of this each variable accounts for is not known: %.600s.",
                 t->reason);
    } else {
        used = add_shares(out, used, r);
        if (isnan(t->others_part)) {
            snprintf(out + used, sizeof out - used,
                     " The change is less than two standard errors (%s each), so no percentages are given.",
                     print(by, t->change_error, ERROR_DIGITS));
        }
    }
    fputc('\n', f);
    return 1 + text_print_words(f, out, 0, 0);
}
