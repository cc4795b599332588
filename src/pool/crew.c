/* crew.c - units of work shared among processes. */
#include "pool/crew.h"

#include "json/json_text.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- hands: threads that run units ---- */

enum hand_state { HAND_FREE, HAND_ASKED, HAND_READY, HAND_DONE };

/* READY is set by the talking thread, DONE by the hand; whoever may set the next state owns the rest. */
typedef struct hand {
    atomic_int state;
    int64_t unit, cell, seed;
    json_t *line;
    nonsens_status status;
    char message[MESSAGE_BYTES];
} hand;

typedef struct office {
    nonsens_context *ctx;
    const nonsens_crew *crew;
    const crew_work *work;
    hand *hand;
    int hands;
    atomic_bool closed; /* hands go home */
    int idle;           /* turns of the talking thread without anything to do, since there was something */
    nonsens_status status;
    bool lost;               /* messages do not come through */
    bool told;               /* another member: that it was asked to stop */
    int64_t next, out, kept; /* member 0: next job, those that are being run, those that are finished */
} office;

/* Longer the longer nothing has happened: waiting costs next to nothing, and a unit is late by a small part of it. */
static void rest(int turns)
{
    enum { FIRST_MICROSECONDS = 20, LAST_MICROSECONDS = 1000, TURNS = 8 };
    int64_t microseconds = FIRST_MICROSECONDS * (1 + (int64_t)turns / TURNS);
    if (microseconds > LAST_MICROSECONDS) {
        microseconds = LAST_MICROSECONDS;
    }
    nanosleep(&(struct timespec){0, (long)microseconds * 1000}, NULL);
}

static void run_unit(office *o, hand *h)
{
    nonsens_context child;
    arena scratch = {0};
    context_child(&child, o->ctx);
    child.silent = true; // the talking thread alone reports
    h->line = NULL;
    h->status = check_cancelled(&child);
    if (h->status == NONSENS_OK) {
        h->status = o->work->make(&child, &scratch, o->work->state, h->cell, h->seed, &h->line);
    }
    arena_free(&scratch);
    memcpy(h->message, child.message, sizeof h->message);
    atomic_store(&h->state, HAND_DONE);
}

static void be_hand(office *o, hand *h)
{
    for (int turns = 0; !atomic_load(&o->closed); turns++) {
        if (atomic_load(&h->state) == HAND_READY) {
            run_unit(o, h);
            turns = 0;
        } else {
            rest(turns);
        }
    }
}

static void release_lines(office *o)
{
    for (int i = 0; i < o->hands; i++) {
        json_decref(o->hand[i].line);
    }
}

/* Opens the office, with the calling thread as the one that talks.  Where threads are short it runs units itself. */
static void run_office(office *o, int wanted, void (*turn)(office *o, bool *over))
{
#pragma omp parallel num_threads(parallel_team(wanted + 1))
    {
        int me = omp_get_thread_num();
        bool over = false;
#pragma omp single
        o->hands = omp_get_num_threads() > 1 ? omp_get_num_threads() - 1 : 1;
        if (me > 0) {
            be_hand(o, &o->hand[me - 1]);
        }
        while (me == 0 && !over) {
            turn(o, &over);
            if (omp_get_num_threads() == 1 && atomic_load(&o->hand[0].state) == HAND_READY) {
                run_unit(o, &o->hand[0]);
            }
            if (over) {
                atomic_store(&o->closed, true);
            }
        }
    }
    release_lines(o);
}

/* ---- messages ---- */

enum { TEXT_BYTES = 256 }; /* of messages without a line */

static void lose(office *o)
{
    if (o->status == NONSENS_OK) {
        o->status = fail(o->ctx, NONSENS_ERR_OUTPUT, "a message from one process to another was lost");
    }
    o->lost = true;
}

static void post(office *o, int to, int hand_number, const char *text)
{
    if (o->crew->send(o->crew->user, to, hand_number, text) != 0) {
        lose(o);
    }
}

static void post_all(office *o, const char *key, int value)
{
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "{\"%s\":%d}", key, value);
    for (int m = 1; m < o->crew->members; m++) {
        post(o, m, 0, text);
    }
}

/* The message that has come, which the caller releases, or NULL. */
static json_t *take(office *o, int *from, int *hand_number)
{
    const char *text = NULL;
    json_t *message = NULL;
    bool no_memory;
    int failed = o->crew->receive(o->crew->user, from, hand_number, &text);
    if (failed == 0 && text) {
        message = json_parse(text, strlen(text), 0, NULL, &no_memory);
    }
    if (failed != 0 || (text && !message)) {
        lose(o);
    }
    return message;
}

static json_int_t integer(const json_t *message, const char *key, json_int_t otherwise)
{
    const json_t *value = json_object_get(message, key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

/* ---- member 0 ---- */

static void break_off(office *o, nonsens_status status, const char *message)
{
    if (o->status != NONSENS_OK) {
        return; // the first failure is the run's
    }
    o->status = status;
    snprintf(o->ctx->message, sizeof o->ctx->message, "%s", message);
    nonsens_cancel(o->ctx->root);
    post_all(o, "halt", 1);
}

/* What came back of a job; takes the line over.  Also what is finished after a failure is kept. */
static void keep_answer(office *o, int64_t job, nonsens_status status, json_t *line, const char *message)
{
    nonsens_context child;
    context_child(&child, o->ctx);
    o->out--;
    if (status == NONSENS_OK) {
        status = o->work->keep(&child, o->work->keeper, job, line);
        message = child.message;
        o->kept++;
    } else {
        json_decref(line);
    }
    if (status != NONSENS_OK) {
        break_off(o, status, message);
    }
}

/* The next job; false where there is none to be begun. */
static bool next_job(office *o, int64_t *job, int64_t *cell, int64_t *seed)
{
    if (o->status != NONSENS_OK || o->next >= o->work->jobs) {
        return false;
    }
    *job = o->next++;
    o->out++;
    o->work->name(o->work->keeper, *job, cell, seed);
    return true;
}

static bool lead_hand(office *o, hand *h)
{
    bool done = atomic_load(&h->state) == HAND_DONE;
    if (done) {
        json_t *line = h->line;
        h->line = NULL;
        keep_answer(o, h->unit, h->status, line, h->message);
        atomic_store(&h->state, HAND_FREE);
    }
    if (atomic_load(&h->state) == HAND_FREE && next_job(o, &h->unit, &h->cell, &h->seed)) {
        atomic_store(&h->state, HAND_READY);
        done = true;
    }
    return done;
}

static void hear_member(office *o, const json_t *message)
{
    int64_t unit = integer(message, "unit", -1);
    nonsens_status status = (nonsens_status)integer(message, "status", NONSENS_OK);
    const char *text = json_string_value(json_object_get(message, "message"));
    if (unit >= 0 && unit < o->work->jobs) {
        keep_answer(o, unit, status, json_incref(json_object_get(message, "line")), text ? text : "");
    } else if (status != NONSENS_OK) {
        break_off(o, status, text ? text : "");
    }
}

static bool lead_member(office *o)
{
    int from = 0, hand_number = 0;
    int64_t job, cell, seed;
    char text[TEXT_BYTES];
    json_t *message = take(o, &from, &hand_number);
    if (!message) {
        return false;
    }
    hear_member(o, message);
    if (next_job(o, &job, &cell, &seed)) {
        snprintf(text, sizeof text, "{\"unit\":%" PRId64 ",\"cell\":%" PRId64 ",\"seed\":%" PRId64 "}", job, cell,
                 seed);
        post(o, from, hand_number, text);
    }
    json_decref(message);
    return true;
}

static void lead_turn(office *o, bool *over)
{
    bool busy = lead_member(o);
    for (int i = 0; i < o->hands; i++) {
        busy = lead_hand(o, &o->hand[i]) || busy;
    }
    report_progress(o->ctx, o->work->phase, o->kept, o->work->jobs);
    if (is_cancelled(o->ctx)) {
        break_off(o, NONSENS_CANCELLED, "interrupted");
    }
    o->idle = busy ? 0 : o->idle + 1;
    *over = o->lost || (o->out == 0 && (o->status != NONSENS_OK || o->next >= o->work->jobs));
    if (!busy && !*over) {
        rest(o->idle);
    }
}

nonsens_status crew_lead(nonsens_context *ctx, arena *a, const nonsens_crew *crew, const crew_work *work)
{
    office o = {.ctx = ctx, .crew = crew, .work = work};
    if (work->jobs > 0) {
        int hands = parallel_threads(work->threads);
        ARENA_TRY(ctx, a, o.hand, hands);
        run_office(&o, hands, lead_turn);
    }
    return o.status;
}

nonsens_status crew_dismiss(nonsens_context *ctx, const nonsens_crew *crew, nonsens_status status)
{
    office o = {.ctx = ctx, .crew = crew, .status = status};
    post_all(&o, "stop", (int)status);
    for (int left = crew->members - 1; left > 0 && !o.lost;) {
        int from, hand_number;
        json_t *message = take(&o, &from, &hand_number);
        left -= json_object_get(message, "bye") != NULL;
        o.idle = message ? 0 : o.idle + 1;
        json_decref(message);
        if (o.idle > 0) {
            rest(o.idle);
        }
    }
    return o.status;
}

/* ---- the other members ---- */

/* Takes the line over.  The answer can be sent even where there is no memory for it. */
static void answer(office *o, int number, int64_t unit, nonsens_status status, json_t *line, const char *message)
{
    char text[TEXT_BYTES];
    json_t *whole = json_pack("{s:I, s:i, s:s, s:o*}", "unit", (json_int_t)unit, "status", (int)status, "message",
                              message, "line", line);
    char *dumped = whole ? json_text(whole, JSON_COMPACT) : NULL;
    snprintf(text, sizeof text, "{\"unit\":%" PRId64 ",\"status\":%d,\"message\":\"out of memory\"}", unit,
             (int)NONSENS_ERR_MEMORY);
    post(o, 0, number, dumped ? dumped : text);
    memory_release(dumped);
    json_decref(whole);
}

static bool follow_hand(office *o, int number)
{
    hand *h = &o->hand[number];
    int state = atomic_load(&h->state);
    if (state == HAND_FREE) {
        post(o, 0, number, "{}");
    } else if (state == HAND_DONE) {
        answer(o, number, h->unit, h->status, h->line, h->message);
        h->line = NULL;
    } else {
        return false;
    }
    atomic_store(&h->state, HAND_ASKED);
    return true;
}

static void hear_leader(office *o, int number, const json_t *message, bool *over)
{
    if (json_object_get(message, "stop")) {
        nonsens_status status = (nonsens_status)integer(message, "stop", NONSENS_OK);
        if (status != NONSENS_OK) {
            nonsens_cancel(o->ctx->root);
            o->status = fail(o->ctx, status, "the first process ended the run");
        }
        post(o, 0, 0, "{\"bye\":1}");
        *over = true;
    } else if (json_object_get(message, "halt")) {
        o->told = true;
        nonsens_cancel(o->ctx->root);
    } else if (number >= 0 && number < o->hands) {
        hand *h = &o->hand[number];
        h->unit = integer(message, "unit", 0);
        h->cell = integer(message, "cell", 0);
        h->seed = integer(message, "seed", 0);
        atomic_store(&h->state, HAND_READY);
    }
}

static void follow_turn(office *o, bool *over)
{
    int from = 0, number = 0;
    bool busy = false;
    for (int i = 0; i < o->hands; i++) {
        busy = follow_hand(o, i) || busy;
    }
    json_t *message = take(o, &from, &number);
    if (message) {
        hear_leader(o, number, message, over);
    }
    report_progress(o->ctx, o->work->phase, 0, 1);
    if (is_cancelled(o->ctx) && !o->told && !*over) {
        o->told = true;
        answer(o, 0, -1, NONSENS_CANCELLED, NULL, "interrupted");
    }
    busy = busy || message;
    json_decref(message);
    o->idle = busy ? 0 : o->idle + 1;
    *over = *over || o->lost;
    if (!busy && !*over) {
        rest(o->idle);
    }
}

nonsens_status crew_follow(nonsens_context *ctx, arena *a, const nonsens_crew *crew, const crew_work *work)
{
    office o = {.ctx = ctx, .crew = crew, .work = work};
    int hands = parallel_threads(work->threads);
    o.hand = arena_get(ctx, a, hands, sizeof *o.hand);
    if (o.hand) {
        run_office(&o, hands, follow_turn);
        return o.status;
    }
    o.told = true;
    answer(&o, 0, -1, NONSENS_ERR_MEMORY, NULL, nonsens_message(ctx));
    for (bool over = false; !over;) { // without hands it waits for the end
        follow_turn(&o, &over);
    }
    return o.status;
}
