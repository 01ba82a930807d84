// Finds sections of the manual that hold the words of a query: those with most of them, and with them in their title, first.
// What people say around a question is left out.
"use strict";

const MOST = 12;
const AROUND = 80;
const AROUND_QUESTIONS = new Set(["an", "and", "are", "as", "at", "can", "do", "does", "for", "from", "how", "in", "is", "it", "me", "my",
  "of", "on", "or", "the", "to", "we", "what", "when", "which", "why", "with"]);

const input = document.getElementById("search");
const found = document.getElementById("found");

// How well a section answers: how many of the words it has, then where.
function score(section, words) {
  const title = `${section.page} ${section.title}`.toLowerCase();
  const text = section.text.toLowerCase();
  let found = 0;
  let sum = 0;
  for (const word of words) {
    const inTitle = title.includes(word);
    if (!inTitle && !text.includes(word)) continue;
    found += 1;
    sum += inTitle ? 10 : 1;
  }
  return [found, sum];
}

function excerpt(section, word) {
  const at = Math.max(0, section.text.toLowerCase().indexOf(word));
  const from = Math.max(0, at - AROUND);
  return (from > 0 ? "…" : "") + section.text.slice(from, at + AROUND) + "…";
}

function item(section, words) {
  const link = document.createElement("a");
  link.href = `${section.page}.html#${section.anchor}`;
  link.textContent = `${section.page}: ${section.title}`;
  const text = document.createElement("p");
  text.textContent = excerpt(section, words[0]);
  const entry = document.createElement("li");
  entry.append(link, text);
  return entry;
}

function search() {
  const all = input.value.toLowerCase().split(/[\s?,;]+/).filter((word) => word.length > 1);
  const telling = all.filter((word) => !AROUND_QUESTIONS.has(word));
  const words = telling.length > 0 ? telling : all;
  found.replaceChildren();
  if (words.length === 0) return;
  const hits = window.sections.map((section) => [...score(section, words), section]).filter(([hit]) => hit * 2 > words.length);
  hits.sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  for (const [, , section] of hits.slice(0, MOST)) found.append(item(section, words));
  if (hits.length === 0) {
    const none = document.createElement("li");
    none.textContent = "Nothing found.";
    found.append(none);
  }
}

input.addEventListener("input", search);
input.form.addEventListener("submit", (event) => event.preventDefault());
