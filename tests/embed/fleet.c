/* Sizes a fleet for 40,000 requests a second at the peak by a kernel, then a chat model's by a question. */
#include <ballpark.h>
#include <stdio.h>

int main(void) {
    struct ballpark_replicas_in in;
    struct ballpark_replicas_out out;
    struct ballpark_error error;
    struct ballpark *engine = ballpark_open(NULL, &error);
    int code;
    ballpark_replicas_defaults(&in);
    in.peak_per_s = 40000;
    in.capacity_per_s = 89.1;
    in.utilization_frac = 0.65;
    in.spares = 1;
    if (!engine || ballpark_replicas(&in, &out, &error) != 0) {
        fprintf(stderr, "%s: %s\n", error.field, error.text);
        return 2;
    }
    printf("%.0f replicas\n", out.replicas);
    puts(ballpark_answer(
        engine, "serve_search",
        "{\"model\": \"llama-3.1-8b\", \"devices\": [\"H100\", \"L4\"],"
        " \"load\": {\"rate_per_s\": 20, \"input_tokens\": 1000, \"output_tokens\": 200}, \"sla\": {\"ttft_s\": 1}}",
        &code));
    ballpark_close(engine);
    return code;
}
