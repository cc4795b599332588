/* pool.c - shares units of work among several processes. */
#include "pool/pool.h"

#include "base/hash.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- workers: threads that run units for the calling thread ---- */

enum worker_state { WORKER_FREE, WORKER_ASKED, WORKER_READY, WORKER_DONE };

/* A unit, given by cell and seed or by its task. */
typedef struct pool_unit {
    int64_t number, cell, seed;
    json_value *task;
} pool_unit;

/*
 * The calling thread sets READY, the worker sets DONE; the thread that sets the next state owns the other members.
 */
typedef struct worker {
    struct pool *pool;
    pthread_t thread;
    atomic_int state;
    pool_unit unit;
    json_value *line;
    nonsens_status status;
    char message[MESSAGE_BYTES];
} worker;

typedef struct pool {
    nonsens_context *ctx;
    const pool_members *members;
    const pool_work *work;
    worker *worker;
    int workers;
    atomic_bool closed; /* tells workers to end */
    int idle;           /* how many turns in a row the calling thread had nothing to do */
    nonsens_status status;
    bool lost;                   /* a message could not be sent or read */
    bool told;                   /* other members: a stop was received or reported */
    int64_t next, running, kept; /* member 0: next job, number of running jobs, number of finished jobs */
    process_pool *peers, own;    /* member 0: who waits for a unit; peers is &own if the work has no processes */
} pool;

/* Sleeps the longer, the longer nothing has happened: waiting costs almost no time and delays units only a little. */
static void rest(int turns)
{
    enum { FIRST_MICROSECONDS = 20, LAST_MICROSECONDS = 1000, TURNS = 8 };
    int64_t microseconds = FIRST_MICROSECONDS * (1 + (int64_t)turns / TURNS);
    if (microseconds > LAST_MICROSECONDS) {
        microseconds = LAST_MICROSECONDS;
    }
    nanosleep(&(struct timespec){0, (long)microseconds * 1000}, NULL);
}

static nonsens_status make_line(nonsens_context *ctx, arena *scratch, const pool_work *work, worker *w)
{
    TRY(check_cancelled(ctx));
    const pool_unit *u = &w->unit;
    return u->task ? work->make_task(ctx, scratch, work->state, u->task, &w->line)
                   : work->make(ctx, scratch, work->state, u->cell, u->seed, &w->line);
}

static void run_unit(pool *p, worker *w)
{
    nonsens_context child;
    arena scratch = {0};
    context_child(&child, p->ctx);
    child.silent = true; // only the calling thread reports
    w->line = NULL;
    w->status = make_line(&child, &scratch, p->work, w);
    json_decref(w->unit.task);
    w->unit.task = NULL;
    arena_free(&scratch);
    memcpy(w->message, child.message, sizeof w->message);
    atomic_store(&w->state, WORKER_DONE);
}

static void be_worker(pool *p, worker *w)
{
    for (int turns = 0; !atomic_load(&p->closed); turns++) {
        if (atomic_load(&w->state) == WORKER_READY) {
            run_unit(p, w);
            turns = 0;
        } else {
            rest(turns);
        }
    }
}

static void release_lines(pool *p)
{
    for (int i = 0; i < p->workers; i++) {
        json_decref(p->worker[i].line);
        json_decref(p->worker[i].unit.task);
    }
}

static void *begin_worker(void *user)
{
    worker *w = user;
    be_worker(w->pool, w);
    return NULL;
}

/*
 * Runs the pool; the calling thread sends and receives.  If no other thread can be made, it also runs units.  Workers
 * are not threads of a parallel region, so loops inside their units may use several threads.
 */
static void run_pool(pool *p, int wanted, void (*turn)(pool *p, bool *over))
{
    int threads = 0;
    for (bool more = true; more && threads < wanted; threads += more) {
        p->worker[threads].pool = p;
        more = pthread_create(&p->worker[threads].thread, NULL, begin_worker, &p->worker[threads]) == 0;
    }
    p->workers = threads > 0 ? threads : 1;
    for (bool over = false; !over;) {
        turn(p, &over);
        if (threads == 0 && atomic_load(&p->worker[0].state) == WORKER_READY) {
            run_unit(p, &p->worker[0]);
        }
    }
    atomic_store(&p->closed, true);
    for (int i = 0; i < threads; i++) {
        pthread_join(p->worker[i].thread, NULL);
    }
    release_lines(p);
}

/* ---- messages ---- */

enum { TEXT_BYTES = 256 }; /* size of messages without a line */

static void lose(pool *p)
{
    if (p->status == NONSENS_OK) {
        p->status = fail(p->ctx, NONSENS_ERR_OUTPUT, "a message from one process to another was lost");
    }
    p->lost = true;
}

static void post(pool *p, int to, int number, const char *text)
{
    if (p->members->send(p->members->user, to, number, text) != 0) {
        lose(p);
    }
}

static void post_all(pool *p, const char *key, int value)
{
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "{\"%s\":%d}", key, value);
    for (int m = 1; m < p->members->members; m++) {
        post(p, m, 0, text);
    }
}

/* Receives a message, which the caller releases; NULL if there is none. */
static json_value *take(pool *p, int *from, int *number)
{
    const char *text = NULL;
    json_value *message = NULL;
    int failed = p->members->receive(p->members->user, from, number, &text);
    if (failed == 0 && text) {
        json_parse(p->ctx, text, strlen(text), false, NULL, &message);
    }
    if (failed != 0 || (text && !message)) {
        lose(p);
    }
    return message;
}

/* ---- member 0 ---- */

static void break_off(pool *p, nonsens_status status, const char *message)
{
    if (p->status != NONSENS_OK) {
        return; // the first failure determines the status of the run
    }
    p->status = status;
    snprintf(p->ctx->message, sizeof p->ctx->message, "%s", message);
    nonsens_context_cancel(p->ctx->root);
    post_all(p, "halt", 1);
}

/* Keeps the result of a job, even if another job has failed; takes ownership of the line. */
static void keep_answer(pool *p, int64_t job, nonsens_status status, json_value *line, const char *message)
{
    nonsens_context child;
    context_child(&child, p->ctx);
    p->running--;
    if (status == NONSENS_OK) {
        status = p->work->keep(&child, p->work->sink, job, line);
        message = child.message;
        p->kept++;
    } else {
        json_decref(line);
    }
    if (status != NONSENS_OK) {
        break_off(p, status, message);
    }
}

/* Takes the next job; false if no job may begin. */
static bool next_job(pool *p, pool_unit *u)
{
    const pool_work *work = p->work;
    if (p->status != NONSENS_OK || p->next >= work->jobs) {
        return false;
    }
    *u = (pool_unit){.number = p->next};
    if (!work->describe) {
        work->name(work->sink, u->number, &u->cell, &u->seed);
    } else if (!(u->task = work->describe(work->sink, u->number))) {
        break_off(p, NONSENS_ERR_MEMORY, "out of memory");
        return false;
    }
    p->next++;
    p->running++;
    return true;
}

static bool lead_worker(pool *p, worker *w)
{
    bool done = atomic_load(&w->state) == WORKER_DONE;
    if (done) {
        keep_answer(p, w->unit.number, w->status, w->line, w->message);
        w->line = NULL;
        atomic_store(&w->state, WORKER_FREE);
    }
    if (atomic_load(&w->state) == WORKER_FREE && next_job(p, &w->unit)) {
        atomic_store(&w->state, WORKER_READY);
        done = true;
    }
    return done;
}

/* Ends the run if the key of a member differs: it has other work.  key is NULL if the message has none. */
static void check_key(pool *p, int from, const char *key)
{
    char own[HASH_BYTES], text[TEXT_BYTES];
    if (key && strcmp(key, hash_print(own, p->peers->key)) != 0) {
        snprintf(text, sizeof text,
                 "process %d of this run has other data, options or version than the first; start all processes with "
                 "the same command, on machines with the same files",
                 from + 1);
        break_off(p, NONSENS_ERR_USAGE, text);
    }
}

/* Handles a message; returns whether the worker that sent it now waits for a unit. */
static bool hear_member(pool *p, int from, const json_value *message)
{
    int64_t unit = json_get_integer(message, "unit", -1);
    nonsens_status status = (nonsens_status)json_get_integer(message, "status", NONSENS_OK);
    const char *text = json_get_string(message, "message"), *key = json_get_string(message, "key");
    if (unit >= 0 && unit < p->work->jobs) {
        keep_answer(p, unit, status, json_incref(json_object_get(message, "line")), text ? text : "");
        return true;
    }
    if (status != NONSENS_OK) {
        break_off(p, status, text ? text : "");
    }
    check_key(p, from, key);
    return status == NONSENS_OK && !key && !json_object_get(message, "bye");
}

static void await(pool *p, int member, int number)
{
    process_pool *to = p->peers;
    pool_waiting *grown = arena_grow(p->ctx, &to->memory, to->waiting, to->count, &to->capacity, sizeof *grown);
    if (!grown) {
        lose(p);
        return;
    }
    to->waiting = grown;
    to->waiting[to->count++] = (pool_waiting){member, number};
}

/* Sends a unit to a worker of another member.  If memory runs out, the unit is lost and the run ends. */
static void post_unit(pool *p, pool_waiting to, pool_unit *u)
{
    json_value *message = json_object_of("unit", json_integer(u->number), "cell", json_integer(u->cell), "seed",
                                         json_integer(u->seed), NULL);
    if (u->task) {
        json_object_set(message, "task", u->task);
    }
    char *text = json_text(message, JSON_COMPACT, JSON_EXACT_DIGITS);
    json_decref(message);
    if (text) {
        post(p, to.member, to.worker, text);
    } else {
        lose(p);
    }
    memory_release(text);
}

static bool lead_members(pool *p)
{
    int from = 0, number = 0;
    pool_unit u;
    json_value *message = take(p, &from, &number);
    bool busy = message != NULL;
    if (message && hear_member(p, from, message)) {
        await(p, from, number);
    }
    json_decref(message);
    while (p->peers->count > 0 && !p->lost && next_job(p, &u)) {
        post_unit(p, p->peers->waiting[--p->peers->count], &u);
        busy = true;
    }
    return busy;
}

/* Ends the run if it was cancelled; after a time limit, running units finish, as the members may be asked for more. */
static void stop_if_cancelled(pool *p)
{
    if (!is_cancelled(p->ctx) || p->status != NONSENS_OK) {
        return;
    }
    if (finish_was_late(p->ctx)) {
        p->status = fail(p->ctx, NONSENS_CANCELLED, "interrupted");
    } else {
        break_off(p, NONSENS_CANCELLED, "interrupted");
    }
}

static void lead_turn(pool *p, bool *over)
{
    bool busy = lead_members(p);
    for (int i = 0; i < p->workers; i++) {
        busy = lead_worker(p, &p->worker[i]) || busy;
    }
    if (p->work->phase) {
        report_progress(p->ctx, p->work->phase, p->kept, p->work->jobs);
    }
    stop_if_cancelled(p);
    p->idle = busy ? 0 : p->idle + 1;
    *over = p->lost || (p->running == 0 && (p->status != NONSENS_OK || p->next >= p->work->jobs));
    if (!busy && !*over) {
        rest(p->idle);
    }
}

static nonsens_status lead(nonsens_context *ctx, arena *a, const pool_members *members, const pool_work *work)
{
    pool p = {.ctx = ctx, .members = members, .work = work};
    p.peers = work->processes ? work->processes : &p.own;
    if (work->jobs > 0) {
        int workers = parallel_threads(work->threads);
        ARENA_TRY(ctx, a, p.worker, workers);
        run_pool(&p, workers, lead_turn);
    }
    arena_free(&p.own.memory);
    return p.status;
}

nonsens_status pool_dismiss(nonsens_context *ctx, const pool_members *members, nonsens_status status)
{
    pool p = {.ctx = ctx, .members = members, .status = status};
    post_all(&p, "stop", (int)status);
    for (int left = members->members - 1; left > 0 && !p.lost;) {
        int from, number;
        json_value *message = take(&p, &from, &number);
        left -= json_object_get(message, "bye") != NULL;
        p.idle = message ? 0 : p.idle + 1;
        json_decref(message);
        if (p.idle > 0) {
            rest(p.idle);
        }
    }
    return p.status;
}

/* ---- the other members ---- */

/* Answers member 0 and takes ownership of the line.  If memory runs out, sends a shorter answer. */
static void answer(pool *p, int number, int64_t unit, nonsens_status status, json_value *line, const char *message)
{
    char text[TEXT_BYTES];
    json_value *whole = json_object_of("unit", json_integer(unit), "status", json_integer((int)status), "message",
                                       json_string(message), NULL);
    if (line) {
        json_object_set(whole, "line", line);
    }
    char *dumped = json_text(whole, JSON_COMPACT, JSON_EXACT_DIGITS);
    snprintf(text, sizeof text, "{\"unit\":%" PRId64 ",\"status\":%d,\"message\":\"out of memory\"}", unit,
             (int)NONSENS_ERR_MEMORY);
    post(p, 0, number, dumped ? dumped : text);
    memory_release(dumped);
    json_decref(whole);
}

static bool follow_worker(pool *p, int number)
{
    worker *w = &p->worker[number];
    int state = atomic_load(&w->state);
    if (state == WORKER_FREE) {
        post(p, 0, number, "{}");
    } else if (state == WORKER_DONE) {
        answer(p, number, w->unit.number, w->status, w->line, w->message);
        w->line = NULL;
    } else {
        return false;
    }
    atomic_store(&w->state, WORKER_ASKED);
    return true;
}

static void hear_leader(pool *p, int number, const json_value *message, bool *over)
{
    if (json_object_get(message, "stop")) {
        nonsens_status status = (nonsens_status)json_get_integer(message, "stop", NONSENS_OK);
        if (status != NONSENS_OK) {
            nonsens_context_cancel(p->ctx->root);
            p->status = fail(p->ctx, status, "the first process ended the run");
        }
        post(p, 0, 0, "{\"bye\":1}");
        *over = true;
    } else if (json_object_get(message, "halt")) {
        p->told = true;
        nonsens_context_cancel(p->ctx->root);
    } else if (number >= 0 && number < p->workers) {
        worker *w = &p->worker[number];
        w->unit = (pool_unit){json_get_integer(message, "unit", 0), json_get_integer(message, "cell", 0),
                              json_get_integer(message, "seed", 0),
                              p->work->make_task ? json_incref(json_object_get(message, "task")) : NULL};
        atomic_store(&w->state, WORKER_READY);
    }
}

static void follow_turn(pool *p, bool *over)
{
    int from = 0, number = 0;
    bool busy = false;
    for (int i = 0; i < p->workers; i++) {
        busy = follow_worker(p, i) || busy;
    }
    json_value *message = take(p, &from, &number);
    if (message) {
        hear_leader(p, number, message, over);
    }
    if (p->work->phase) {
        report_progress(p->ctx, p->work->phase, 0, 1);
    }
    if (is_cancelled(p->ctx) && !p->told && !*over) {
        p->told = true;
        answer(p, 0, -1, NONSENS_CANCELLED, NULL, "interrupted");
    }
    busy = busy || message;
    json_decref(message);
    p->idle = busy ? 0 : p->idle + 1;
    *over = *over || p->lost;
    if (!busy && !*over) {
        rest(p->idle);
    }
}

nonsens_status pool_wait(nonsens_context *ctx, const pool_members *members, nonsens_status status)
{
    const pool_work nothing = {.phase = "waiting"};
    pool p = {.ctx = ctx, .members = members, .work = &nothing};
    if (status != NONSENS_OK) {
        p.told = true;
        answer(&p, 0, -1, status, NULL, nonsens_context_message(ctx));
    }
    for (bool over = false; !over;) { // without workers, this only waits for the end
        follow_turn(&p, &over);
    }
    return p.status;
}

nonsens_status pool_follow(nonsens_context *ctx, arena *a, const pool_members *members, const pool_work *work)
{
    pool p = {.ctx = ctx, .members = members, .work = work};
    int workers = parallel_threads(work->threads);
    p.worker = arena_get(ctx, a, workers, sizeof *p.worker);
    if (work->processes) {
        char text[TEXT_BYTES], key[HASH_BYTES];
        snprintf(text, sizeof text, "{\"key\":\"%s\"}", hash_print(key, work->processes->key));
        post(&p, 0, 0, text);
    }
    if (p.worker) {
        run_pool(&p, workers, follow_turn);
        return p.status;
    }
    return pool_wait(ctx, members, NONSENS_ERR_MEMORY);
}

nonsens_status pool_run(nonsens_context *ctx, arena *a, const pool_members *others, const pool_work *work)
{
    return others ? lead(ctx, a, others, work) : pool_run_alone(ctx, work);
}
