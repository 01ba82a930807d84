/* What a program may get wrong, and what it may do at once: prints "N passed, N failed". */
#define _POSIX_C_SOURCE 200809L
#include <ballpark.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static void expect(int ok, const char *what) {
    passed += ok;
    failed += !ok;
    if (!ok) {
        printf("not ok: %s\n", what);
    }
}

/* A zeroed struct is an error with a field and a text; to a guardrail zero is a budget and a request like any other. */
#define ZEROED(name)                                                                               \
    {                                                                                              \
        struct ballpark_##name##_in in;                                                            \
        struct ballpark_##name##_out out;                                                          \
        struct ballpark_error error;                                                               \
        memset(&in, 0, sizeof in);                                                                 \
        expect((ballpark_##name(&in, &out, &error) != 0 && *error.field && *error.text) ||         \
                   strcmp(#name, "guardrail") == 0,                                                \
               #name " of a zeroed struct");                                                       \
    }

static void check_refusals(void) {
    struct ballpark_mfu_in in;
    struct ballpark_mfu_out out;
    struct ballpark_error error;
    struct ballpark_replicas_in fleet;
    struct ballpark_replicas_out sized;
    union {
        struct ballpark_replicas_in in;
        struct ballpark_replicas_out out;
    } both;
    BALLPARK_KERNELS(ZEROED)
    ballpark_mfu_defaults(&in);
    expect(ballpark_mfu(&in, &out, &error) != 0 && strcmp(error.text, "is missing") == 0,
           "a missing input");
    ballpark_replicas_defaults(&fleet);
    fleet.peak_per_s = 100;
    fleet.capacity_per_s = 10;
    fleet.utilization_frac = 70;
    expect(ballpark_replicas(&fleet, &sized, &error) != 0 &&
               strcmp(error.field, "utilization_frac") == 0 &&
               strstr(error.text, "from 0.01 to 1") != NULL,
           "a share of 70");
    fleet.utilization_frac = 0.7;
    expect(ballpark_replicas(&fleet, &sized, NULL) == 0 && sized.needed == 15,
           "100/s over 10/s at 70 %");
    expect(ballpark_replicas(NULL, &sized, &error) != 0, "no input");
    ballpark_replicas_defaults(NULL);
    both.in = fleet;
    expect(ballpark_replicas(&both.in, &both.out, &error) != 0 && strcmp(error.field, "out") == 0,
           "an answer on top of its inputs");
    expect(ballpark_open("/nowhere", &error) == NULL && strstr(error.text, "ballpark") != NULL,
           "no library");
    expect(ballpark_api_version() == BALLPARK_API_VERSION, "one version");
}

static const char serve[] =
    "{\"model\": \"llama-3.1-8b\", \"cluster\": {\"device\": \"H100\", \"devices\": 1},"
    " \"load\": {\"concurrency\": 8, \"input_tokens\": 1000, \"output_tokens\": 100}}";

/* Another thread's engine gives the same bytes. */
static void *ask(void *data) {
    char *text = data;
    struct ballpark *engine = ballpark_open(NULL, NULL);
    int code = -1;
    snprintf(text, 1 << 16, "%s", engine ? ballpark_answer(engine, "serve", serve, &code) : "");
    ballpark_close(engine);
    return code == 0 ? data : NULL;
}

static void check_threads(void) {
    static char texts[4][1 << 16];
    pthread_t threads[4];
    void *ok;
    int i;
    for (i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, ask, texts[i]);
    }
    for (i = 0; i < 4; i++) {
        pthread_join(threads[i], &ok);
        expect(ok && strcmp(texts[i], texts[0]) == 0, "an engine of a thread's own");
    }
}

static void check_answers(void) {
    struct ballpark *engine = ballpark_open(NULL, NULL);
    int code;
    const char *text = ballpark_answer(engine, "serv", "{}", &code);
    expect(code == 2 && strstr(text, "did you mean 'serve'") != NULL, "a misspelt question");
    text = ballpark_answer(engine, "serve", "{", &code);
    expect(code == 2 && strstr(text, "\"error\"") != NULL, "half a JSON object");
    text = ballpark_answer(
        engine, "kernel.replicas",
        "{\"peak_per_s\": 100, \"capacity_per_s\": 10, \"utilization_frac\": 0.7}", &code);
    expect(code == 0 && strstr(text, "\"needed\":15") != NULL, "a kernel by JSON");
    text = ballpark_answer(engine, "kernel.mfu", "{\"devices\": -1}", &code);
    expect(code == 2 && strstr(text, "\"message\"") != NULL, "a wrong input of a kernel");
    text = ballpark_answer(engine, "scenario", "{\"source\": \"expect('a', 1, { equals = 2 })\"}",
                           &code);
    expect(code == 1 && strstr(text, "expectations") != NULL, "a scenario whose expectation fails");
    text = ballpark_answer(engine, "scenario", "{\"source\": \"x = os.time()\"}", &code);
    expect(code == 2, "a scenario that reaches outside");
    text = ballpark_answer(engine, "scenario", NULL, &code);
    expect(code == 2, "no input");
    ballpark_close(engine);
    ballpark_close(NULL);
    text = ballpark_answer(NULL, "serve", serve, &code);
    expect(code == 2 && strstr(text, "\"path\":\"engine\"") != NULL, "no engine");
    text = ballpark_answer(NULL, NULL, NULL, NULL);
    expect(strstr(text, "\"error\"") != NULL, "no engine, and nothing else");
}

/* An engine takes no more memory than a program, and answers again afterwards. */
static void check_memory(void) {
    struct ballpark_error error;
    struct ballpark *engine;
    const char *text;
    int code;
    setenv("BALLPARK_MEMORY_GIB", "much", 1);
    expect(ballpark_open(NULL, &error) == NULL && strstr(error.text, "GiB") != NULL,
           "a limit that is no number");
    setenv("BALLPARK_MEMORY_GIB", "0.1", 1);
    engine = ballpark_open(NULL, NULL);
    unsetenv("BALLPARK_MEMORY_GIB");
    text =
        ballpark_answer(engine, "scenario",
                        "{\"source\": \"local t = {} for i = 1, 1e9 do t[i] = { i } end\"}", &code);
    expect(code == 2 && strstr(text, "GiB of memory") != NULL,
           "a scenario that never stops growing");
    text = ballpark_answer(engine, "scenario", "{\"source\": \"expect('a', 1, { equals = 1 })\"}",
                           &code);
    expect(code == 0, "an answer after it");
    ballpark_close(engine);
}

/* A program's own way to write numbers, as GUIs have it, is none of JSON's. */
static void check_locale(void) {
    struct ballpark *engine;
    struct ballpark_replicas_in fleet;
    struct ballpark_replicas_out sized;
    struct ballpark_error error;
    const char *text;
    char own[8];
    int code;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        printf("no locale with a decimal comma to try\n");
        return;
    }
    engine = ballpark_open(NULL, NULL);
    text = ballpark_answer(
        engine, "kernel.replicas",
        "{\"peak_per_s\": 100.5, \"capacity_per_s\": 10, \"utilization_frac\": 0.7}", &code);
    expect(code == 0 && strstr(text, "\"exact\":14.357") != NULL, "a point in JSON");
    text =
        ballpark_answer(engine, "scenario",
                        "{\"source\": \"expect('a', tonumber('1.5'), { equals = 1.5 })\"}", &code);
    expect(code == 0, "a point in a scenario");
    ballpark_replicas_defaults(&fleet);
    fleet.utilization_frac = 70.5;
    fleet.peak_per_s = fleet.capacity_per_s = 1;
    expect(ballpark_replicas(&fleet, &sized, &error) != 0 && strstr(error.text, "0.01") != NULL,
           "a point in an error");
    snprintf(own, sizeof own, "%.1f", 1.5);
    expect(strcmp(own, "1,5") == 0, "the program's own numbers are as before");
    ballpark_close(engine);
}

int main(void) {
    check_refusals();
    check_threads();
    check_answers();
    check_memory();
    check_locale();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
