/* test_pool.c - a figure made by several members: each unit runs once, the table is the same, and all end alike.
 *
 * Members are threads here, and messages pass through lists in memory.
 */
#include "figures/figure.h"
#include "pool/pool.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"

enum { MEMBERS = 3, REPS = 20, CELLS = 3, UNITS = CELLS * REPS, FILE_BYTES = 1 << 14 };

/* ---- a figure whose units do what the test needs ---- */

static atomic_int ran[MEMBERS];  /* units run by each member */
static atomic_int broken_member; /* the member whose units fail; MEMBERS: none */
static bool linger;              /* units wait for the end of the run, up to a few seconds */

static void nap(int milliseconds)
{
    nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL);
}

static void toy_name(int64_t cell, char name[CELL_NAME_BYTES])
{
    snprintf(name, CELL_NAME_BYTES, "cell-%c", (int)('a' + cell));
}

static nonsens_status toy_run(nonsens_context *ctx, int member, unit_seed seed, json_value *line)
{
    atomic_fetch_add(&ran[member], 1);
    nap(2);
    if (member == atomic_load(&broken_member)) {
        return (fail)(ctx, NONSENS_ERR_NUMERIC, "member %d is broken", member);
    }
    for (int i = 0; linger && i < 5000; i++) {
        TRY(check_cancelled(ctx));
        nap(1);
    }
    json_object_set(line, "value", json_real(rng_uniform(&seed.stream)));
    return NONSENS_OK;
}

#define TOY_RUN(member)                                                                                          \
    static nonsens_status toy_run_##member(nonsens_context *ctx, arena *scratch, const void *base, int64_t cell, \
                                           unit_seed seed, json_value *line)                                     \
    {                                                                                                            \
        (void)base;                                                                                              \
        (void)scratch;                                                                                           \
        (void)cell;                                                                                              \
        return toy_run(ctx, member, seed, line);                                                                 \
    }
TOY_RUN(0)
TOY_RUN(1)
TOY_RUN(2)

static bool toy_read(const json_value *line, void *unit)
{
    const json_value *value = json_object_get(line, "value");
    *(double *)unit = json_number_value(value);
    return json_is(value, JSON_NUMBER);
}

static nonsens_status toy_write(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    (void)ctx;
    (void)scratch;
    for (int64_t i = 0; i < units->cells * units->reps; i++) {
        fprintf(out, "%d %.17g\n", (int)units->cell[i / units->reps], ((const double *)units->unit)[i]);
    }
    return NONSENS_OK;
}

#define TOY(function)                                   \
    {                                                   \
        .study = {.name = "toy",                        \
                  .cells = CELLS,                       \
                  .reps = REPS,                         \
                  .revision = 1,                        \
                  .cell_name = toy_name,                \
                  .run = function,                      \
                  .unit_bytes = sizeof(double),         \
                  .read = toy_read},                    \
        .write_csv = toy_write, .write_text = toy_write \
    }
static figure toy[MEMBERS] = {TOY(toy_run_0), TOY(toy_run_1), TOY(toy_run_2)};

/* ---- messages ---- */

typedef struct letter {
    struct letter *next;
    int from, tag;
    char text[];
} letter;

static pthread_mutex_t post_office = PTHREAD_MUTEX_INITIALIZER;
static letter *box[MEMBERS]; /* the oldest first */

typedef struct person {
    pthread_t thread;
    nonsens_context *ctx;
    nonsens_options *options;
    pool_members members;
    letter *open; /* the letter received last */
    int late;     /* milliseconds before it joins */
    nonsens_status status;
} person;

static int send_letter(void *user, int to, int tag, const char *text)
{
    const person *p = user;
    letter *l = malloc(sizeof *l + strlen(text) + 1), **last = &box[to];
    if (!l) {
        return 1;
    }
    *l = (letter){NULL, p->members.member, tag};
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
    box[p->members.member] = l ? l->next : NULL;
    pthread_mutex_unlock(&post_office);
    *text = l ? l->text : NULL;
    if (l) {
        *from = l->from;
        *tag = l->tag;
    }
    return 0;
}

/* ---- a team in a folder ---- */

typedef struct team {
    char folder[40], out[64], journal[80], csv[80];
    person person[MEMBERS];
} team;

static int open_team(void **state)
{
    team *c = calloc(1, sizeof *c);
    assert_non_null(c);
    *state = c;
    strcpy(c->folder, "/tmp/test_pool_XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->out, sizeof c->out, "%s/out", c->folder);
    snprintf(c->journal, sizeof c->journal, "%s/toy.journal", c->out);
    snprintf(c->csv, sizeof c->csv, "%s/toy.csv", c->out);
    for (int m = 0; m < MEMBERS; m++) {
        person *p = &c->person[m];
        p->ctx = nonsens_context_new();
        p->members = (pool_members){m, MEMBERS, send_letter, receive_letter, p};
        assert_int_equal(nonsens_options_new(p->ctx, NONSENS_COMMAND_REPRODUCE, &p->options), NONSENS_OK);
        assert_int_equal(nonsens_options_set(p->ctx, p->options, "out", c->out), NONSENS_OK);
        p->options->threads = 1;
        toy[m].study.revision = 1;
        atomic_store(&ran[m], 0);
    }
    atomic_store(&broken_member, MEMBERS);
    linger = false;
    return 0;
}

static void clear(const team *c)
{
    unlink(c->journal);
    unlink(c->csv);
}

static int close_team(void **state)
{
    team *c = *state;
    clear(c);
    rmdir(c->out);
    int left_over = rmdir(c->folder);
    for (int m = 0; m < MEMBERS; m++) {
        free(c->person[m].open);
        nonsens_options_free(c->person[m].options);
        nonsens_context_free(c->person[m].ctx);
    }
    free(c);
    return left_over;
}

static void *be_person(void *user)
{
    person *p = user;
    if (p->late > 0) {
        nap(p->late);
    }
    p->status = figure_reproduce(p->ctx, p->options, &toy[p->members.member], "/dev/null", &p->members);
    return NULL;
}

static void start(team *c)
{
    for (int m = 0; m < MEMBERS; m++) {
        context_begin(c->person[m].ctx);
        assert_int_equal(pthread_create(&c->person[m].thread, NULL, be_person, &c->person[m]), 0);
    }
}

/* All members end with this status, and no letter is left for a later run. */
static void finish(team *c, nonsens_status expected)
{
    for (int m = 0; m < MEMBERS; m++) {
        assert_int_equal(pthread_join(c->person[m].thread, NULL), 0);
    }
    for (int m = 0; m < MEMBERS; m++) {
        assert_int_equal(c->person[m].status, expected);
        assert_null(box[m]);
    }
}

static int units_ran(void)
{
    return atomic_load(&ran[0]) + atomic_load(&ran[1]) + atomic_load(&ran[2]);
}

static size_t load(const char *path, char bytes[FILE_BYTES])
{
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(bytes, 1, FILE_BYTES - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    bytes[length] = '\0';
    return length;
}

static int lines(const char *path)
{
    char bytes[FILE_BYTES];
    int count = 0;
    for (size_t i = load(path, bytes); i-- > 0;) {
        count += bytes[i] == '\n';
    }
    return count;
}

static void resume(team *c)
{
    for (int m = 0; m < MEMBERS; m++) {
        c->person[m].options->resume = true;
    }
    atomic_store(&broken_member, MEMBERS);
    linger = false;
    start(c);
    finish(c, NONSENS_OK);
    assert_int_equal(lines(c->journal), UNITS);
    assert_int_equal(lines(c->csv), UNITS);
}

/* ---- tests ---- */

static void test_same_as_alone(void **state)
{
    team *c = *state;
    char alone[FILE_BYTES], together[FILE_BYTES];
    assert_int_equal(figure_reproduce(c->person[0].ctx, c->person[0].options, &toy[0], "/dev/null", NULL), NONSENS_OK);
    load(c->csv, alone);
    for (int threads = 1; threads <= 3; threads++) {
        clear(c);
        for (int m = 0; m < MEMBERS; m++) {
            c->person[m].options->threads = threads;
            atomic_store(&ran[m], 0);
        }
        start(c);
        finish(c, NONSENS_OK);
        load(c->csv, together);
        assert_string_equal(together, alone);
        assert_int_equal(units_ran(), UNITS);
        assert_int_equal(lines(c->journal), UNITS);
        assert_true(threads > 1 || atomic_load(&ran[0]) < UNITS); // the other members had time to run some
    }
}

/* A member that joins when everything is done ends with the others. */
static void test_latecomer(void **state)
{
    team *c = *state;
    c->person[2].late = 900;
    start(c);
    finish(c, NONSENS_OK);
    assert_int_equal(atomic_load(&ran[2]), 0);
    assert_int_equal(units_ran(), UNITS);
}

/* Whichever member's unit fails, all stop at once, and member 0 has the message. */
static void test_failure(void **state)
{
    team *c = *state;
    for (int m = 0; m < MEMBERS; m++) {
        char expected[32];
        clear(c);
        snprintf(expected, sizeof expected, "member %d is broken", m);
        atomic_store(&broken_member, m);
        linger = true;
        time_t begun = time(NULL);
        start(c);
        finish(c, NONSENS_ERR_NUMERIC);
        assert_true(time(NULL) - begun < 4); // lingering members were told to stop
        assert_string_equal(nonsens_context_message(c->person[0].ctx), expected);
        assert_int_equal(access(c->csv, F_OK), -1);
    }
    resume(c);
}

/* If a member is cancelled, all stop.  It is cancelled in its first unit, as a run that begins forgets requests. */
static void test_cancelled(void **state)
{
    team *c = *state;
    for (int m = 0; m < MEMBERS; m++) {
        clear(c);
        linger = true;
        atomic_store(&ran[m], 0);
        start(c);
        while (atomic_load(&ran[m]) == 0) {
            nap(1);
        }
        nonsens_context_cancel(c->person[m].ctx);
        finish(c, NONSENS_CANCELLED);
        assert_int_equal(access(c->csv, F_OK), -1);
    }
    resume(c);
}

/* An error that keeps member 0 from beginning ends the others, too. */
static void test_nothing_to_begin(void **state)
{
    team *c = *state;
    c->person[0].options->cells = "none";
    start(c);
    finish(c, NONSENS_ERR_USAGE);
    assert_int_equal(units_ran(), 0);
}

static void test_another_build(void **state)
{
    team *c = *state;
    toy[1].study.revision = 2;
    start(c);
    finish(c, NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(c->person[0].ctx), "build"));
    toy[1].study.revision = 1;
    resume(c);
}

/* Receives messages from a leader that miscounts its workers. */
static int hear_miscounted(void *user, int *from, int *tag, const char **text)
{
    static const struct {
        int tag;
        const char *text;
    } MESSAGE[] = {{-1, "{\"unit\":7,\"cell\":7,\"seed\":7}"}, {INT_MAX, "{\"unit\":7}"}, {0, "{\"stop\":0}"}};
    int *next = user;
    *from = 0;
    *tag = MESSAGE[*next].tag;
    *text = MESSAGE[(*next)++].text;
    return 0;
}

static int send_nothing(void *user, int to, int tag, const char *text)
{
    (void)user, (void)to, (void)tag, (void)text;
    return 0;
}

/* Nothing is written at the position of worker -1. */
static void test_worker_out_of_range(void **state)
{
    enum { BEFORE = 1 << 12 };
    team *c = *state;
    arena a = {0};
    int next = 0;
    const pool_members miscounted = {1, 2, send_nothing, hear_miscounted, &next};
    const pool_work work = {.phase = "toy", .threads = 1};
    char *before = arena_get(c->person[1].ctx, &a, BEFORE, 1);
    assert_non_null(before);
    assert_int_equal(pool_follow(c->person[1].ctx, &a, &miscounted, &work), NONSENS_OK);
    for (int i = 0; i < BEFORE; i++) {
        assert_int_equal(before[i], 0);
    }
    arena_free(&a);
}

#define TEAM_TEST(name) cmocka_unit_test_setup_teardown(name, open_team, close_team)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEAM_TEST(test_same_as_alone),       TEAM_TEST(test_latecomer),        TEAM_TEST(test_failure),
        TEAM_TEST(test_cancelled),           TEAM_TEST(test_nothing_to_begin), TEAM_TEST(test_another_build),
        TEAM_TEST(test_worker_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
