"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const CONTEXT = 3; // unchanged lines shown around a change

// ---- light and dark ----

const theme = document.getElementById("theme");
function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
function nameTheme() {
  theme.textContent = isDark() ? "light" : "dark";
}
theme.hidden = false;
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
nameTheme();

// ---- comparison of two steps ----

const form = document.getElementById("picker");
const comparison = document.getElementById("comparison");

function element(name, attributes = {}, ...children) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
}

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => element("option", { value }, text)));
  if (options.some(([value]) => value === chosen)) select.value = chosen;
  select.disabled = options.length < 2;
}

// The keys that one or both of two tables have; those of both come first.
function shapesOf(table, before, after, dtype) {
  const keys = (unit) => Object.keys(table[unit]?.[dtype] ?? {});
  const of = [...new Set([...keys(after), ...keys(before)])];
  const inBoth = (key) => keys(before).includes(key) && keys(after).includes(key);
  return of.filter(inBoth).concat(of.filter((key) => !inBoth(key)));
}

function chooseShapes() {
  const { before, after, dtype, counted, timed } = form.elements;
  for (const [select, table, preferred] of [
    [counted, data.counts, data.preferred.counted],
    [timed, data.times, data.preferred.timed],
  ]) {
    const shapes = shapesOf(table, before.value, after.value, dtype.value);
    const wanted = [select.value, ...preferred].find((shape) => shapes.includes(shape));
    fill(select, shapes.map((shape) => [shape, shape]), wanted);
    select.parentElement.hidden = shapes.length === 0;
  }
}

// How `after` moved against `before`, in words that need no colour.
function moved(before, after) {
  if (typeof before !== "number" || typeof after !== "number") return "";
  return before > 0 && before !== after ? `× ${(after / before).toPrecision(3)}` : "";
}

// What differs between the two, and folded away what does not.
function numbers(before, after) {
  const { dtype, counted, timed } = form.elements;
  const pick = (table, unit, shape) => {
    const found = table[unit]?.[dtype.value]?.[shape] ?? {};
    if (!Array.isArray(found)) return found;
    return Object.fromEntries(found.map((value, index) => [data.countNames[index], value]));
  };
  const rows = [];
  const add = (table, shape) => {
    const [a, b] = [pick(table, before, shape), pick(table, after, shape)];
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      rows.push([name, a[name], b[name]]);
    }
  };
  add(data.counts, counted.value);
  add(data.times, timed.value);
  const isSame = ([, a, b]) => typeof a === "number" && a === b;
  const same = rows.filter(isSame);
  const tables = [table(before, after, rows.filter((row) => !isSame(row)))];
  if (same.length) {
    tables.push(element("details", {}, element("summary", {}, `${same.length} figures are the same`),
      table(before, after, same)));
  }
  return tables;
}

function table(before, after, rows) {
  const text = (value) =>
    value === undefined || value === null ? "–"
      : typeof value !== "number" ? value
        : Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(6)));
  return element("div", { className: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, element("th"),
      ...[before, after].map((unit) => element("th", { className: "n" }, data.labels[unit])),
      element("th", { className: "n" }, "change"))),
    element("tbody", {}, ...rows.map(([name, a, b]) => element("tr", {},
      element("td", {}, name),
      element("td", { className: "n" }, text(a)),
      element("td", { className: "n" }, text(b)),
      element("td", { className: "n" }, moved(a, b)))))));
}

// {file: stretches} from `before` to `after`; the page holds each pair in one direction. A stretch is
// [equal, gone, new]: so many equal lines, then so many deleted and inserted.
function stretchesOf(before, after) {
  const forward = data.pairs[`${before} ${after}`];
  if (forward) return forward;
  const backward = data.pairs[`${after} ${before}`] ?? {};
  return Object.fromEntries(Object.entries(backward).map(([file, stretches]) => [
    file,
    stretches.map(([equal, gone, added]) => [equal, added, gone]),
  ]));
}

function linesOf(before, after, stretches) {
  const lines = [];
  let i = 0;
  let j = 0;
  for (const [equal, gone, added] of stretches) {
    for (let n = 0; n < equal; n++) lines.push({ kind: "=", html: after[j], before: ++i, after: ++j });
    for (let n = 0; n < gone; n++) lines.push({ kind: "-", html: before[i], before: ++i, after: "" });
    for (let n = 0; n < added; n++) lines.push({ kind: "+", html: after[j], before: "", after: ++j });
  }
  return lines;
}

function diffTable(lines) {
  const near = new Set();
  lines.forEach((line, index) => {
    if (line.kind === "=") return;
    for (let n = index - CONTEXT; n <= index + CONTEXT; n++) near.add(n);
  });
  const body = element("tbody");
  const row = (line) => {
    const css = { "=": "same", "-": "gone", "+": "new" }[line.kind];
    const code = element("td");
    code.innerHTML = line.html; // made by the report from the sources, escaped there
    return element("tr", { className: css }, element("td", {}, String(line.before)),
      element("td", {}, String(line.after)), element("td", {}, line.kind === "=" ? "" : line.kind), code);
  };
  for (let index = 0; index < lines.length;) {
    if (near.has(index)) {
      body.append(row(lines[index++]));
      continue;
    }
    const hidden = [];
    while (index < lines.length && !near.has(index)) hidden.push(lines[index++]);
    const count = `${hidden.length} unchanged line${hidden.length === 1 ? "" : "s"}`;
    const button = element("button", { type: "button" }, count);
    const gap = element("tr", { className: "skipped" }, element("td"), element("td"), element("td", {}, "⋯"),
      element("td", {}, button));
    button.addEventListener("click", () => gap.replaceWith(...hidden.map(row)));
    body.append(gap);
  }
  return element("div", { className: "scroll code" }, element("table", { className: "diff" }, body));
}

function diffs(before, after) {
  const parts = [];
  for (const [file, stretches] of Object.entries(stretchesOf(before, after))) {
    const source = (unit) => data.sources[unit][file] ?? [];
    parts.push(element("h4", {}, element("code", {}, file)));
    parts.push(diffTable(linesOf(source(before), source(after), stretches)));
  }
  return parts.length ? parts : [element("p", {}, "Their code is the same.")];
}

function show() {
  chooseShapes();
  const { before, after } = form.elements;
  comparison.replaceChildren(...numbers(before.value, after.value), ...diffs(before.value, after.value));
}

function choose(before, after) {
  form.elements.before.value = before;
  form.elements.after.value = after;
  show();
}

const units = Object.entries(data.labels);
fill(form.elements.before, units);
fill(form.elements.after, units);
fill(form.elements.dtype, data.dtypes.map((dtype) => [dtype, dtype]));
form.hidden = false;
form.addEventListener("change", show);
document.querySelectorAll("a.diff").forEach((link) =>
  link.addEventListener("click", () => choose(link.dataset.before, link.dataset.after)));
choose(...data.preferred.pair);
