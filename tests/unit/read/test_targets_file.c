/* test_targets_file.c - interventions from text: what they mean, what is refused, and the messages. */
#include "read/targets_file.h"

#include <string.h>

#include "fixture.h"

enum { D = 3, E = 2, ALPHA = 0, BETA = 1 };
static char ALPHA_NAME[] = "alpha", BETA_NAME[] = "beta", LONG_NAME[] = "blood pressure", ONE[] = "s1", TWO[] = "s,2",
            CONSTANT[] = "constant";
static char *names[] = {ALPHA_NAME, BETA_NAME, LONG_NAME}, *labels[] = {ONE, TWO}, *gone[] = {CONSTANT};

static nonsens_data data_of(void)
{
    return (nonsens_data){
        .d = D, .segments = E, .names = names, .labels = labels, .left_out = {gone, NULL}, .left_out_count = {1, 0}};
}

static nonsens_status parse(fixture *f, const char *text, targets *out)
{
    nonsens_data data = data_of();
    return targets_parse(f->ctx, &f->scratch, "t.csv", text, (int64_t)strlen(text), &data, out);
}

static void assert_refused(fixture *f, const char *text, const char *message)
{
    targets t;
    assert_int_equal(parse(f, text, &t), NONSENS_ERR_DATA);
    assert_string_equal(nonsens_context_message(f->ctx), message);
}

static void test_kinds(void **state)
{
    fixture *f = *state;
    targets t;
    assert_int_equal(parse(f,
                           "kind,segment,variable\nfixed,s1,alpha\nactivity,s1,blood pressure\n\n"
                           ",\"s,2\",beta\nunknown,\"s,2\",\n",
                           &t),
                     NONSENS_OK);
    assert_int_equal(targets_kind(&t, 0, ALPHA), TARGET_FIXED);
    assert_int_equal(targets_kind(&t, 0, BETA), TARGET_NONE);
    assert_int_equal(targets_kind(&t, 0, 2), TARGET_ACTIVITY);
    assert_int_equal(targets_kind(&t, 1, BETA), TARGET_CHANGED); // the default kind of a line with a variable
    assert_true(!t.unknown[0] && t.unknown[1] && !t.ignored && !targets_is_empty(&t));
    assert_true(targets_hits(&t, 0, ALPHA) && !targets_hits(&t, 0, 2));
}

static void test_match(void **state)
{
    static const char *const other[] = {"s3", "s,2"};
    static const int32_t order[] = {1, 0};
    fixture *f = *state;
    targets t, matched;
    assert_int_equal(parse(f, "segment;variable\ns1;alpha\n\"s,2\";beta\ns,2;\n", &t), NONSENS_OK);
    assert_int_equal(targets_match(f->ctx, &f->scratch, &t, 2, other, 2, order, &matched), NONSENS_OK);
    assert_int_equal(targets_kind(&matched, 1, 0), TARGET_CHANGED); // beta is the first node
    assert_int_equal(targets_kind(&matched, 1, 1), TARGET_NONE);
    assert_true(targets_kind(&matched, 0, 0) == TARGET_NONE && !matched.unknown[0] && matched.unknown[1]);
    assert_int_equal(targets_match(f->ctx, &f->scratch, NULL, 2, other, 2, order, &matched), NONSENS_OK);
    assert_true(targets_is_empty(&matched));
}

/* A mechanism may differ where its variable is hit, where another acts differently, and where targets are unknown. */
static void test_may_differ(void **state)
{
    fixture *f = *state;
    targets t;
    assert_int_equal(parse(f, "segment,variable,kind\ns1,alpha,activity\n", &t), NONSENS_OK);
    assert_false(targets_may_differ(&t, 0, 0));
    assert_true(targets_may_differ(&t, 0, 1));
    assert_false(targets_may_differ(&t, 1, 1));
    assert_int_equal(parse(f, "segment,variable,kind\ns1,alpha,fixed\n\"s,2\",,\n", &t), NONSENS_OK);
    assert_true(targets_may_differ(&t, 0, 0));
    assert_false(targets_may_differ(&t, 0, 1));
    assert_true(targets_may_differ(&t, 1, 0) && targets_may_differ(&t, 1, 1));
    assert_false(targets_may_differ(NULL, 0, 0));
}

static void test_left_out(void **state)
{
    fixture *f = *state;
    targets t;
    assert_int_equal(parse(f, "segment,variable\ns1,constant\n", &t), NONSENS_OK);
    assert_string_equal(t.ignored, "Lines of --targets have no effect, because what they name was left out: constant.");
    assert_true(targets_is_empty(&t));
    assert_int_equal(parse(f, "segment,variable\n,\n", &t), NONSENS_OK);
    assert_string_equal(t.ignored, "The file of --targets has no line after the first, so it names no intervention.");
}

static void test_refusals(void **state)
{
    fixture *f = *state;
    assert_refused(
        f, "segment,variabel\ns1,alpha\n",
        "targets file t.csv:1: column 2 is called \"variabel\"; the first line must be segment,variable,kind "
        "(kind may be left out)");
    assert_refused(f, "segment,kind\ns1,fixed\n",
                   "targets file t.csv:1: there is no column variable; the first line must be segment,variable,kind "
                   "(kind may be left out)");
    assert_refused(f, "segment,variable\ns1,betta\n",
                   "targets file t.csv:2: column 2: there is no variable \"betta\" in this run; correct the name. Did "
                   "you mean \"beta\"?");
    assert_refused(f, "segment,variable\ns1,beta\ns9,beta\n",
                   "targets file t.csv:3: column 1: there is no segment \"s9\" in this run; correct the name. Did you "
                   "mean \"s1\"?");
    assert_refused(f, "segment,variable,kind\ns1,beta,fxed\n",
                   "targets file t.csv:2: column 3: there is no kind \"fxed\"; write fixed, changed, activity or "
                   "unknown");
    assert_refused(f, "segment,variable,kind\ns1,,fixed\n",
                   "targets file t.csv:2: kind fixed needs a variable; name it, or write unknown if nobody knows which "
                   "was hit");
    assert_refused(f, "segment,variable,kind\ns1,beta,fixed\ns1,beta,\n",
                   "targets file t.csv:3: variable \"beta\" in segment \"s1\" has another kind on line 2; leave one "
                   "out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_kinds), TEST(test_match), TEST(test_may_differ), TEST(test_left_out),
                                       TEST(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
