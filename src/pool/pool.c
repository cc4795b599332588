/* pool.c - runs units of work on the threads of one process, or shares them among several processes. */
#include "pool/pool.h"

#include "base/parallel.h"

#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- workers: threads that run units for the calling thread ---- */

enum worker_state { WORKER_FREE, WORKER_ASKED, WORKER_READY, WORKER_DONE };

/*
 * The calling thread sets READY, the worker sets DONE; the thread that may set the next state owns the other members.
 */
typedef struct worker {
    atomic_int state;
    int64_t unit, cell, seed;
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
    atomic_bool closed; /* workers leave */
    int idle;           /* successive turns of the calling thread without anything to do */
    nonsens_status status;
    bool lost;                   /* a message could not be sent or read */
    bool told;                   /* other members: the stop was received or reported */
    int64_t next, running, kept; /* member 0: next job, number of running jobs, number of finished jobs */
} pool;

/* Sleeps longer the longer nothing has happened: waiting costs almost nothing, and delays a unit only a little. */
static void rest(int turns)
{
    enum { FIRST_MICROSECONDS = 20, LAST_MICROSECONDS = 1000, TURNS = 8 };
    int64_t microseconds = FIRST_MICROSECONDS * (1 + (int64_t)turns / TURNS);
    if (microseconds > LAST_MICROSECONDS) {
        microseconds = LAST_MICROSECONDS;
    }
    nanosleep(&(struct timespec){0, (long)microseconds * 1000}, NULL);
}

static void run_unit(pool *p, worker *w)
{
    nonsens_context child;
    arena scratch = {0};
    context_child(&child, p->ctx);
    child.silent = true; // only the calling thread reports
    w->line = NULL;
    w->status = check_cancelled(&child);
    if (w->status == NONSENS_OK) {
        w->status = p->work->make(&child, &scratch, p->work->state, w->cell, w->seed, &w->line);
    }
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
    }
}

/* Runs the pool; the calling thread sends and receives.  If it gets no other thread, it also runs units. */
static void run_pool(pool *p, int wanted, void (*turn)(pool *p, bool *over))
{
#pragma omp parallel num_threads(parallel_team(wanted + 1))
    {
        int me = omp_get_thread_num();
        bool over = false;
#pragma omp single
        p->workers = omp_get_num_threads() > 1 ? omp_get_num_threads() - 1 : 1;
        if (me > 0) {
            be_worker(p, &p->worker[me - 1]);
        }
        while (me == 0 && !over) {
            turn(p, &over);
            if (omp_get_num_threads() == 1 && atomic_load(&p->worker[0].state) == WORKER_READY) {
                run_unit(p, &p->worker[0]);
            }
            if (over) {
                atomic_store(&p->closed, true);
            }
        }
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
        return; // the run has the status of its first failure
    }
    p->status = status;
    snprintf(p->ctx->message, sizeof p->ctx->message, "%s", message);
    nonsens_context_cancel(p->ctx->root);
    post_all(p, "halt", 1);
}

/* Keeps the result of a job, also after a failure of another; takes the line over. */
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
static bool next_job(pool *p, int64_t *job, int64_t *cell, int64_t *seed)
{
    if (p->status != NONSENS_OK || p->next >= p->work->jobs) {
        return false;
    }
    *job = p->next++;
    p->running++;
    p->work->name(p->work->sink, *job, cell, seed);
    return true;
}

static bool lead_worker(pool *p, worker *w)
{
    bool done = atomic_load(&w->state) == WORKER_DONE;
    if (done) {
        json_value *line = w->line;
        w->line = NULL;
        keep_answer(p, w->unit, w->status, line, w->message);
        atomic_store(&w->state, WORKER_FREE);
    }
    if (atomic_load(&w->state) == WORKER_FREE && next_job(p, &w->unit, &w->cell, &w->seed)) {
        atomic_store(&w->state, WORKER_READY);
        done = true;
    }
    return done;
}

static void hear_member(pool *p, const json_value *message)
{
    int64_t unit = json_get_integer(message, "unit", -1);
    nonsens_status status = (nonsens_status)json_get_integer(message, "status", NONSENS_OK);
    const char *text = json_get_string(message, "message");
    if (unit >= 0 && unit < p->work->jobs) {
        keep_answer(p, unit, status, json_incref(json_object_get(message, "line")), text ? text : "");
    } else if (status != NONSENS_OK) {
        break_off(p, status, text ? text : "");
    }
}

static bool lead_member(pool *p)
{
    int from = 0, number = 0;
    int64_t job, cell, seed;
    char text[TEXT_BYTES];
    json_value *message = take(p, &from, &number);
    if (!message) {
        return false;
    }
    hear_member(p, message);
    if (next_job(p, &job, &cell, &seed)) {
        snprintf(text, sizeof text, "{\"unit\":%" PRId64 ",\"cell\":%" PRId64 ",\"seed\":%" PRId64 "}", job, cell,
                 seed);
        post(p, from, number, text);
    }
    json_decref(message);
    return true;
}

static void lead_turn(pool *p, bool *over)
{
    bool busy = lead_member(p);
    for (int i = 0; i < p->workers; i++) {
        busy = lead_worker(p, &p->worker[i]) || busy;
    }
    report_progress(p->ctx, p->work->phase, p->kept, p->work->jobs);
    if (is_cancelled(p->ctx)) {
        break_off(p, NONSENS_CANCELLED, "interrupted");
    }
    p->idle = busy ? 0 : p->idle + 1;
    *over = p->lost || (p->running == 0 && (p->status != NONSENS_OK || p->next >= p->work->jobs));
    if (!busy && !*over) {
        rest(p->idle);
    }
}

static nonsens_status lead(nonsens_context *ctx, arena *a, const pool_members *members, const pool_work *work)
{
    pool p = {.ctx = ctx, .members = members, .work = work};
    if (work->jobs > 0) {
        int workers = parallel_threads(work->threads);
        ARENA_TRY(ctx, a, p.worker, workers);
        run_pool(&p, workers, lead_turn);
    }
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

/* Answers member 0 and takes the line over.  Without memory for the answer it sends a shorter one. */
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
        answer(p, number, w->unit, w->status, w->line, w->message);
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
        w->unit = json_get_integer(message, "unit", 0);
        w->cell = json_get_integer(message, "cell", 0);
        w->seed = json_get_integer(message, "seed", 0);
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
    report_progress(p->ctx, p->work->phase, 0, 1);
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

nonsens_status pool_follow(nonsens_context *ctx, arena *a, const pool_members *members, const pool_work *work)
{
    pool p = {.ctx = ctx, .members = members, .work = work};
    int workers = parallel_threads(work->threads);
    p.worker = arena_get(ctx, a, workers, sizeof *p.worker);
    if (p.worker) {
        run_pool(&p, workers, follow_turn);
        return p.status;
    }
    p.told = true;
    answer(&p, 0, -1, NONSENS_ERR_MEMORY, NULL, nonsens_context_message(ctx));
    for (bool over = false; !over;) { // without workers it only waits for the end
        follow_turn(&p, &over);
    }
    return p.status;
}

/* ---- a process alone ---- */

typedef struct local_run {
    const pool_work *work;
    pthread_mutex_t keeping;
    bool broken; /* a line could not be kept: no further unit begins */
} local_run;

static nonsens_status keep_line(nonsens_context *ctx, local_run *run, int64_t job, json_value *line)
{
    pthread_mutex_lock(&run->keeping);
    nonsens_status status = run->work->keep(ctx, run->work->sink, job, line);
    if (status != NONSENS_OK) {
#pragma omp atomic write
        run->broken = true;
    }
    pthread_mutex_unlock(&run->keeping);
    return status;
}

static nonsens_status run_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    local_run *run = state;
    const pool_work *work = run->work;
    int64_t cell, seed;
    json_value *line;
    bool broken;
#pragma omp atomic read
    broken = run->broken;
    if (broken) {
        return NONSENS_OK; // the run has the status of the failure
    }
    work->name(work->sink, job, &cell, &seed);
    TRY(work->make(ctx, scratch, work->state, cell, seed, &line));
    return keep_line(ctx, run, job, line);
}

nonsens_status pool_run(nonsens_context *ctx, arena *a, const pool_members *others, const pool_work *work)
{
    local_run alone = {.work = work, .keeping = PTHREAD_MUTEX_INITIALIZER};
    return others ? lead(ctx, a, others, work)
                  : parallel_for(ctx, work->threads, work->jobs, work->phase, run_job, &alone);
}
