// Finds sections of the manual that hold all words of a query: those with the words in their title first.
"use strict";

const MOST = 12;
const AROUND = 80;

const input = document.getElementById("search");
const found = document.getElementById("found");

// How well a section answers: 0 where a word is missing.
function score(section, words) {
  const title = `${section.page} ${section.title}`.toLowerCase();
  const text = section.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (title.includes(word)) sum += 10;
    else if (text.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
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
  const words = input.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
  found.replaceChildren();
  if (words.length === 0) return;
  const hits = window.sections.map((section) => [score(section, words), section]).filter(([sum]) => sum > 0);
  hits.sort((a, b) => b[0] - a[0]);
  for (const [, section] of hits.slice(0, MOST)) found.append(item(section, words));
  if (hits.length === 0) {
    const none = document.createElement("li");
    none.textContent = "Nothing found.";
    found.append(none);
  }
}

input.addEventListener("input", search);
input.form.addEventListener("submit", (event) => event.preventDefault());
