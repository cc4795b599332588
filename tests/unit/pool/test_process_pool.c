/* test_process_pool.c - threads in place of processes: several calls of a run, tasks, members that differ or fail;
 * shards. */
#define _DEFAULT_SOURCE
#include "base/hash.h"
#include "pool/process_pool.h"
#include "pool/shard.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

/* ---- letters ---- */

enum { MEMBERS = 3, JOBS = 40, WAVES = 5, TEXT_BYTES = 512 };

typedef struct letter {
    int from, tag;
    char text[TEXT_BYTES];
    struct letter *next;
} letter;

typedef struct person {
    nonsens_context *ctx;
    nonsens_members members;
    pthread_t thread;
    letter *open;
    const char *version; // part of its key
    bool fails;          // fails before it takes part
    nonsens_status status;
} person;

static pthread_mutex_t post_office = PTHREAD_MUTEX_INITIALIZER;
static letter *box[MEMBERS];
static person people[MEMBERS];
static int made[MEMBERS], kept[WAVES][JOBS];

static int send_letter(void *user, int to, int tag, const char *text)
{
    const person *p = user;
    letter *l = calloc(1, sizeof *l), **last = &box[to];
    assert_true(strlen(text) < TEXT_BYTES);
    l->from = p->members.member;
    l->tag = tag;
    strcpy(l->text, text);
    pthread_mutex_lock(&post_office);
    while (*last) {
        last = &(*last)->next;
    }
    *last = l;
    pthread_mutex_unlock(&post_office);
    return 0;
}

static int receive_letter(void *user, int *from, int *tag, const char **text)
{
    person *p = user;
    free(p->open);
    pthread_mutex_lock(&post_office);
    letter *l = p->open = box[p->members.member];
    if (l) {
        box[p->members.member] = l->next;
        *from = l->from;
        *tag = l->tag;
    }
    pthread_mutex_unlock(&post_office);
    *text = l ? l->text : NULL;
    return 0;
}

/* ---- a run of several waves, each with tasks ---- */

typedef struct wave {
    int number;
} wave;

static nonsens_status make_task(nonsens_context *ctx, arena *scratch, const void *state, const json_value *task,
                                json_value **line)
{
    const person *p = state;
    double value;
    (void)ctx, (void)scratch;
    assert_true(json_unpack(json_object_get(task, "value"), 1, &value));
    value *= 3.0;
    *line = json_object_of("product", json_packed(&value, 1), NULL);
#pragma omp atomic
    made[p->members.member]++;
    return NONSENS_OK;
}

static json_value *describe(const void *sink, int64_t job)
{
    const wave *w = sink;
    double value = 0.1 * (double)job + w->number;
    return json_object_of("value", json_packed(&value, 1), NULL);
}

static nonsens_status keep(nonsens_context *ctx, void *sink, int64_t job, json_value *line)
{
    const wave *w = sink;
    double value;
    (void)ctx;
    assert_true(json_unpack(json_object_get(line, "product"), 1, &value));
    assert_true(value == 3.0 * (0.1 * (double)job + w->number)); // bit for bit
    kept[w->number][job]++;
    json_decref(line);
    return NONSENS_OK;
}

static nonsens_status run(person *p)
{
    SCOPED_ARENA(scratch);
    if (p->fails) {
        return (fail)(p->ctx, NONSENS_ERR_NUMERIC, "member %d fails", p->members.member);
    }
    json_value *head = json_object_of("version", json_string(p->version), NULL);
    nonsens_status status = process_pool_set_key(p->ctx, head);
    json_decref(head);
    TRY(status);
    for (int k = 0; k < (process_pool_follows(p->ctx) ? 1 : WAVES); k++) {
        wave w = {k};
        pool_work work = {.threads = 2,
                          .make_task = make_task,
                          .state = p,
                          .jobs = JOBS,
                          .describe = describe,
                          .keep = keep,
                          .sink = &w};
        TRY(process_pool_run(p->ctx, &scratch, &work));
    }
    return NONSENS_OK;
}

static void *be_person(void *user)
{
    person *p = user;
    process_pool processes;
    context_begin(p->ctx);
    process_pool_begin(p->ctx, &processes);
    p->status = process_pool_end(p->ctx, &processes, run(p));
    return NULL;
}

static void run_all(nonsens_status expected)
{
    memset(made, 0, sizeof made);
    memset(kept, 0, sizeof kept);
    for (int m = 0; m < MEMBERS; m++) {
        person *p = &people[m];
        p->ctx = nonsens_context_new();
        p->members = (nonsens_members){m, MEMBERS, send_letter, receive_letter, p};
        p->version = p->version ? p->version : "1";
        nonsens_context_set_members(p->ctx, &p->members);
        assert_int_equal(pthread_create(&p->thread, NULL, be_person, p), 0);
    }
    for (int m = 0; m < MEMBERS; m++) {
        assert_int_equal(pthread_join(people[m].thread, NULL), 0);
    }
    for (int m = 0; m < MEMBERS; m++) {
        assert_int_equal(people[m].status, expected);
        assert_null(box[m]); // no letter is left for a later run
    }
}

static void clean(void)
{
    for (int m = 0; m < MEMBERS; m++) {
        free(people[m].open);
        nonsens_context_free(people[m].ctx);
        people[m] = (person){.open = NULL};
    }
}

static void test_waves(void **state)
{
    (void)state;
    run_all(NONSENS_OK);
    for (int k = 0; k < WAVES; k++) {
        for (int job = 0; job < JOBS; job++) {
            assert_int_equal(kept[k][job], 1);
        }
    }
    assert_int_equal(made[0] + made[1] + made[2], WAVES * JOBS);
    clean();
}

static void test_another_key(void **state)
{
    (void)state;
    people[2].version = "2";
    run_all(NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(people[0].ctx), "process 3 of this run has other data"));
    clean();
}

static void test_failure_before(void **state)
{
    (void)state;
    people[1].fails = true;
    run_all(NONSENS_ERR_NUMERIC);
    assert_string_equal(nonsens_context_message(people[0].ctx), "member 1 fails");
    clean();
    people[0].fails = true;
    run_all(NONSENS_ERR_NUMERIC);
    assert_int_equal(made[1] + made[2], 0);
    clean();
}

/* ---- shards ---- */

static void test_shards(void **state)
{
    static const char *const wrong[] = {"0/3",  "4/3",  "1",    "/",     "1/",  "/3",
                                        "-1/3", "1/3 ", " 1/3", "1.0/3", "1/0", "1/9999999999"};
    fixture *f = *state;
    shard s;
    assert_int_equal(shard_read(f->ctx, "", &s), NONSENS_OK);
    assert_true(shard_has(s, 0) && shard_has(s, 1));
    for (int64_t unit = 0; unit < 20; unit++) {
        int owners = 0;
        for (int i = 1; i <= 3; i++) {
            char text[8];
            snprintf(text, sizeof text, "%d/3", i);
            assert_int_equal(shard_read(f->ctx, text, &s), NONSENS_OK);
            owners += shard_has(s, unit);
            assert_int_equal(shard_has(s, unit), unit % 3 == i - 1);
        }
        assert_int_equal(owners, 1);
    }
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(shard_read(f->ctx, wrong[k], &s), NONSENS_ERR_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_waves),
        TEST(test_another_key),
        TEST(test_failure_before),
        TEST(test_shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
