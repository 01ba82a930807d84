// The official client of the Model Context Protocol asks `ballpark mcp`, and prints what it got; the last line is
// `N passed, N failed`.
//
//   node client.mjs PROGRAM
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

let passed = 0, failed = 0;
function expect(ok, what) {
  if (ok) passed++;
  else { failed++; console.log("not ok:", what); }
}

async function connected(...args) {
  const made = new Client({ name: "check", version: "1" });
  await made.connect(new StdioClientTransport({ command: process.argv[2], args: ["mcp", ...args] }));
  return made;
}

const client = await connected();
const { tools } = await client.listTools();
expect(tools.length === 10, "ten tools");
console.log("tools:", tools.map((tool) => tool.name).join(", "));

const asked = [
  ["ask", { text: "a chat assistant of 70B for 2M daily users", brief: true }, /138 devices|devices/],
  ["fit", { model: "llama-3.1-8b", on: "RTX 4090" }, /fits with/],
  ["estimate", { model: "llama-3.1-8b", cluster: { device: "H100", nodes: 8, node_size: 8 },
    job: { global_batch: 512, seq_len: 8192 }, plan: { tp: 1, pp: 1 } }, /Step/],
  ["search", { model: "llama-3.1-8b", cluster: { device: "H100", nodes: 8, node_size: 8 },
    job: { global_batch: 512, seq_len: 8192 } }, /Best plans/],
  ["replica", { model: "llama-3.1-8b", cluster: { device: "H100", devices: 1 } }, /KV/],
  ["serve", { model: "llama-3.1-8b", cluster: { device: "H100", devices: 1 }, load: { concurrency: 8 } }, /tok/],
  ["serve_search", { model: "llama-3.1-8b", devices: ["H100", "L4"], sla: { ttft_s: 1 },
    load: { rate_per_s: 20, input_tokens: 1000, output_tokens: 200 } }, /H100/],
  ["check", { text: "7B on 1T tokens, 512 A100, 5 days" }, /Verdict/],
  ["explain", { name: "TTFT" }, /first token/],
  ["catalog", { kind: "devices", name: "H100" }, /bandwidth|mem_bw/],
];
for (const [name, args, wanted] of asked) {
  const got = await client.callTool({ name, arguments: args });
  const text = got.content[0].text;
  expect(!got.isError && wanted.test(text), `${name}: ${text.slice(0, 300)}`);
  console.log(`\n${name} ${JSON.stringify(args)}\n${text.split("\n").slice(0, 12).join("\n")}`);
}
const wrong = await client.callTool({ name: "fit", arguments: { model: "llama-9" } });
expect(wrong.isError, "an unknown model is an error");
const { resources } = await client.listResources();
expect(resources.some((resource) => resource.uri === "ballpark://manual/serving"), "the manual");
const page = await client.readResource({ uri: "ballpark://catalog/devices" });
expect(JSON.parse(page.contents[0].text).tables !== undefined, "the catalog is JSON");
await client.close();

// What each call may not: read beside its folder, by a path or a link, take too long, take too much memory.
const folder = mkdtempSync(join(tmpdir(), "ballpark-"));
const config = { model_type: "llama", architectures: ["LlamaForCausalLM"], hidden_size: 2048, intermediate_size: 8192,
  num_hidden_layers: 16, num_attention_heads: 32, num_key_value_heads: 8, vocab_size: 128256, head_dim: 64,
  max_position_embeddings: 8192, torch_dtype: "bfloat16", tie_word_embeddings: true };
mkdirSync(join(folder, "mine"));
writeFileSync(join(folder, "mine", "config.json"), JSON.stringify(config));
symlinkSync("/etc", join(folder, "etc"));
const large = { model: "llama-3.1-405b", cluster: { device: "H100", devices: 16384 }, job: { global_batch: 16384, seq_len: 8192 } };
const one = (model) => ({ model, cluster: { device: "H100", devices: 1 } });
const limited = [
  ["a model of the folder", ["--folder", folder], "replica", one("./mine"), false, /KV/],
  ["a path out of the folder", ["--folder", folder], "replica", one("/etc"), true, /outside of the folder/],
  ["a path upwards", ["--folder", folder], "replica", one("../"), true, /outside of the folder/],
  ["a link out of the folder", ["--folder", folder], "replica", one("./etc"), true, /outside of the folder/],
  ["a call that takes too long", ["--call-seconds", "0.05"], "search", large, true, /not answered within|GiB/],
  ["a call that takes too much memory", ["--call-gib", "0.002"], "search", large, true, /GiB of memory|GiB/],
];
for (const [what, args, name, given, isError, wanted] of limited) {
  const own = await connected(...args);
  const got = await own.callTool({ name, arguments: given });
  const text = got.content[0].text;
  expect(Boolean(got.isError) === isError && wanted.test(text), `${what}: ${text.slice(0, 300)}`);
  console.log(`\n${what}: ${name} ${JSON.stringify(given)}\n${text.split("\n").slice(0, 3).join("\n")}`);
  await own.close();
}
rmSync(folder, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
