// Opens reports in headless Chromium for tools/look: what is wrong with each, and pictures of it.
//   node look.js FOLDER REPORT.html...
"use strict";
const fs = require("fs");
const path = require("path");
const puppeteer = require("puppeteer-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const LOOKS = [["light", 1280, 900, "light"], ["dark", 1280, 900, "dark"], ["phone", 390, 844, "light"]];

// What the page says of itself: charts, those that are drawn, pixels beyond the screen.
function state() {
  const charts = [...document.querySelectorAll(".chart")];
  return { charts: charts.length, beyond: document.documentElement.scrollWidth - window.innerWidth,
    empty: charts.filter((c) => c.dataset.drawn !== "yes" || c.querySelectorAll("svg path").length < 3).map((c) => c.id) };
}

async function look(browser, folder, file) {
  const name = path.basename(file, ".html"), page = await browser.newPage(), wrong = [];
  page.on("console", (m) => { if (["error", "warn", "warning"].includes(m.type())) wrong.push("console: " + m.text()); });
  page.on("pageerror", (e) => wrong.push("error: " + e.message));
  page.on("request", (r) => { if (!/^(file|data):/.test(r.url())) wrong.push("asks for " + r.url()); });
  let charts = 0;
  for (const [mode, width, height, scheme] of LOOKS) {
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.goto("file://" + file, { waitUntil: "load" });
    const seen = await page.evaluate(state);
    charts = seen.charts;
    if (seen.empty.length) wrong.push(mode + ": not drawn: " + seen.empty.join(", "));
    if (seen.beyond > 0) wrong.push(mode + ": " + seen.beyond + " pixels wider than the screen");
    await page.screenshot({ path: path.join(folder, name + "-" + mode + ".png"), fullPage: true });
    await page.evaluate(axe);
    const found = await page.evaluate(async () => (await window.axe.run()).violations.map((v) =>
      v.impact + " " + v.id + " at " + v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")));
    wrong.push(...found.map((f) => mode + ": axe: " + f));
  }
  await page.pdf({ path: path.join(folder, name + ".pdf"), preferCSSPageSize: true });
  await page.close();
  console.log((wrong.length ? "wrong  " : "ok     ") + name + ", " + charts + " charts");
  for (const text of wrong) console.log("  " + text);
  return wrong.length === 0;
}

(async () => {
  const [folder, ...files] = process.argv.slice(2);
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox"], headless: true });
  let passed = 0;
  for (const file of files) passed += await look(browser, folder, file) ? 1 : 0;
  await browser.close();
  console.log(passed + " passed, " + (files.length - passed) + " failed");
  process.exit(passed === files.length ? 0 : 1);
})().catch((e) => { console.error(String(e)); process.exit(3); });
