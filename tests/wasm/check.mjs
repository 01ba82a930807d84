// Asks the engine as WebAssembly what the program is asked, and compares the answers: all text is the same, and numbers are
// but for the last digits. Functions such as erfc are another C library's there, whose last bit may differ.
//   node check.mjs FOLDER_OF_BALLPARK_JS PROGRAM
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, program] = process.argv.slice(2);
const bytes = (name) => new Uint8Array(readFileSync(join(folder, name)));
const make = createRequire(import.meta.url)(join(folder, "ballpark.js"));
const page = await make({ wasmBinary: bytes("ballpark.wasm"), getPreloadedPackage: () => bytes("ballpark.data").buffer });
const answer = page.cwrap("ballpark_answer", "string", ["number", "string", "string", "number"]);
const engine = page._ballpark_open(0, 0), code = page._malloc(4);

const cluster = { device: "H100", devices: 8 };
const job = { global_batch: 128, seq_len: 4096 };
const scenario = `
show(search {
  model = "llama-3.1-8b", cluster = cluster { device = "H100", nodes = 8, node_size = 8, fabric = "infiniband" },
  job = { global_batch = 512, seq_len = 8192, tokens = trillion(1) }, top = 3,
})
expect("replicas", kernel.replicas { peak_per_s = 100, capacity_per_s = 10, utilization_frac = 0.7 }.needed, { equals = 15 })`;

const asked = [
  ["scenario", { source: scenario }],
  ["kernel.mfu", { params: 7e9, tokens_per_s: 1e5, devices: 32, peak_flop_s: 989e12 }],
  ["estimate", { model: "llama-3.1-8b", cluster, job, plan: { tp: 2, micro_batch: 1 } }],
  ["serve", { model: "llama-3.1-70b", cluster, load: { concurrency: 64, input_tokens: 1024, output_tokens: 256 } }],
  ["serve_search", { model: "llama-3.1-8b", devices: ["H100", "L4"], sla: { ttft_s: 1 },
    load: { rate_per_s: 20, input_tokens: 1000, output_tokens: 200 } }],
  ["fit", { model: "llama-3.1-70b", on: ["L40S"] }],
  ["ask", { text: "a chat assistant of 70B for 2M daily users" }],
  ["estimate", { model: "llama-3.1-8b", cluster: { device: "H1000", devices: 8 }, job }],
];

// What the program answers, and its exit code.
function answered(question, input) {
  try {
    return [0, execFileSync(program, ["answer", question], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] })];
  } catch (e) {
    return [e.status, e.stdout];
  }
}

const NUMBER = /-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/gi, MOST = 1e-11; // a thousand times what was seen

// The largest relative difference of the numbers of two texts that are the same otherwise, else Infinity.
function difference(text, expected) {
  if (text === expected) return 0;
  if (text.replace(NUMBER, "0") !== expected.replace(NUMBER, "0")) return Infinity;
  const theirs = expected.match(NUMBER).map(Number);
  return Math.max(...text.match(NUMBER).map(Number).map((v, i) => Math.abs(v - theirs[i]) / (Math.abs(theirs[i]) || 1)));
}

let passed = 0;
for (const [question, given] of asked) {
  const input = JSON.stringify(given), begun = performance.now();
  const text = answer(engine, question, input, code), took = performance.now() - begun;
  const [status, expected] = answered(question, input);
  const apart = difference(text, expected), same = apart <= MOST && page.getValue(code, "i32") === status;
  passed += same ? 1 : 0;
  console.log(`${same ? "ok    " : "wrong "} ${question}: ${text.length} bytes, exit code ${status}, ${took.toFixed(0)} ms; ${
    apart === 0 ? "the same bytes" : `numbers apart by ${apart.toExponential(1)} at most`}`);
}
console.log(`${passed} passed, ${asked.length - passed} failed`);
process.exit(passed === asked.length ? 0 : 1);
