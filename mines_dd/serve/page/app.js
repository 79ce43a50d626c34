// The analyser page: a position is typed in here and worked out by the server.
"use strict";

const CLOSED = "#", FLAG = "F", MINE = "*", SIDE = 100;
const TOOLS = [
  ["explain", "Explain", "explain it"],
  ["cycle", "Next", "put the next number"],
  [CLOSED, "#", "close it"],
  ...[..."012345678"].map((digit) => [digit, digit, `put ${digit}`]),
  [FLAG, "⚑", "put a flag"],
  [MINE, "✱", "put a known mine"],
];
const EXAMPLES = {
  "A guess of 50 to 50": `mines: 10
##F200000
13F200000
011101110
111001F10
1F1012210
11101F211
0122212F1
01FF10122
01221001F`,
  "An expert game": `mines: 99
#############1002#############
#############2112#############
######223##1###212############
######11##2####301############
#####21123#####311############
#####100013#322##1############
####1110002#201111#1##########
###21#1111111000012#3#########
####2111#1001110001#4#########
####100112222#1111113#########
###2100012####21#1002#########
#42101112#####1111001#########
#21001######2220001122211#####
##1013########10013##1012#####
#3201#########3211###212######
##10122######2####23##########`,
  "The pattern 1-2-2-1": `######
######
#1221#
#0000#`,
  "Numbers in conflict": `######
#1#41#
######
#22###
######`,
};

const byId = (id) => document.getElementById(id);
const size = () => [state.grid.length, state.grid[0].length];

const state = {
  grid: blank(9, 9),   // rows of characters, as in the board text
  mines: 10,           // the total, or null
  tool: "cycle",
  cursor: [0, 0],      // the cell that the keyboard is at
  found: null,         // the last analysis, of this very position
  conflict: [],        // hints that cannot hold together
  proof: null,         // the last explanation, of this very position
  past: [],            // positions before, for undo
  cell: 0,             // pixels; 0 is what fits
};

function blank(rows, cols) {
  return Array.from({ length: rows }, () => Array(cols).fill(CLOSED));
}

// The position as text, as a link, and back

function toText() {
  const total = state.mines === null ? "" : `mines: ${state.mines}\n`;
  return total + state.grid.map((row) => row.join("")).join("\n") + "\n";
}

// One line for the link: rows with / between, - a closed cell, M a known mine; then the total.
function toFragment() {
  const rows = state.grid.map((row) => row.join("")).join("/").replaceAll(CLOSED, "-").replaceAll(MINE, "M");
  return `#board=${rows}` + (state.mines === null ? "" : `&mines=${state.mines}`);
}

function fromFragment(fragment) {
  const [, board, , mines] = fragment.match(/^#board=([-0-8FM/]+)(&mines=(\d{1,5}))?$/) ?? [];
  const grid = (board ?? "").split("/").map((row) => [...row.replaceAll("-", CLOSED).replaceAll("M", MINE)]);
  const [rows, cols] = [grid.length, grid[0].length];
  if (cols === 0 || rows > SIDE || cols > SIDE || grid.some((row) => row.length !== cols)) return null;
  return { grid, mines: mines === undefined ? null : Number(mines) };
}

function fromText(text) {
  const lines = text.trim().split("\n");
  const mines = lines[0].startsWith("mines:") ? Number(lines.shift().slice(6)) : null;
  return { grid: lines.map((line) => [...line]), mines };
}

// Asking the server

async function ask(question, values, signal) {
  let response;
  try {
    response = await fetch(`api/${question}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(values),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { error: "The server does not answer; is it still running?" };
  }
  try {
    return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { error: `The server refused the request (${response.status}); try again in a few seconds.` };
  }
}

// After the last of several quick changes: browsers refuse to change an address very often.
function publish() {
  history.replaceState(null, "", toFragment());
  byId("link").value = location.href;
  analyse();
}

let asking = new AbortController();  // aborted when the position changes
let timer = 0;

async function analyse() {
  const { signal } = asking;
  const slow = setTimeout(() => { byId("status").textContent = "Working it out …"; }, 300);
  try {
    const answer = await ask("analyse", { board: toText() }, signal);
    signal.throwIfAborted();
    if (answer.error) showProblem(answer.error, answer.hints);
    else {
      state.found = answer;
      showFound();
    }
  } catch (error) {
    if (error.name !== "AbortError") throw error;
    return;
  } finally {
    clearTimeout(slow);
  }
  byId("board").setAttribute("aria-busy", "false");
}

async function explain([r, c]) {
  state.proof = { cell: [r, c], hints: [] };
  paintAll();
  if (![CLOSED, FLAG].includes(state.grid[r][c])) {
    sayProof(`${place([r, c])} is open.`);
    return;
  }
  const share = state.found?.probability[r][c];
  if (state.found && share === null) {
    sayProof(`Nothing is known of ${place([r, c])}: it touches no number, and the total number of mines is not given.`);
    return;
  }
  sayProof("Working it out …");
  const { signal } = asking;
  const asked = state.proof;
  try {
    const answer = await ask("explain", { board: toText(), cell: [r, c] }, signal);
    if (signal.aborted || state.proof !== asked) return;
    if (answer.error) {
      sayProof(answer.error);
      return;
    }
    state.proof = answer;
    sayProof(proofText(answer));
    paintAll();
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

// Words

const place = ([r, c]) => `row ${r}, column ${c}`;
const many = (n, one, more = `${one}s`) => `${n} ${n === 1 ? one : more}`;

function number(digits) {
  const rounded = digits.match(/^(\d\.\d{3})\d*e\+(\d+)$/);  // of a count so large that only its logarithm is known
  if (rounded) return `${rounded[1]} × 10^${rounded[2]}`;
  if (digits.length > 15) return `${digits[0]}.${digits.slice(1, 4)} × 10^${digits.length - 1}`;
  return digits.replace(/\B(?=(\d{3})+$)/g, " ");
}

function percent(share) {
  const text = (100 * share).toPrecision(3);
  return `${text.includes("e") ? text : Number(text)}%`;
}

function proofText(answer) {
  if (answer.verdict === "open question") {
    const guess = `${place(answer.cell)} holds a mine with probability ${percent(answer.probability)}.`;
    if (answer.with_mine === null) return guess;
    return `${guess} ` +
      `Ways with a mine there: ${number(answer.with_mine)}; without: ${number(answer.without)}.`;
  }
  const reasons = [];
  if (answer.hints.length) {
    const named = answer.hints.slice(0, 8).map(([r, c]) => `${state.grid[r][c]} at ${place([r, c])}`);
    if (answer.hints.length > 8) named.push("…");
    reasons.push(`the ${many(answer.hints.length, "outlined number")} (${named.join("; ")})`);
  }
  if (answer.needs_total) reasons.push("the total number of mines");
  const verdict = answer.verdict === "safe" ? "safe" : "a mine";
  const only = answer.hints.length + answer.needs_total > 1 ? " None of them can be left out." : "";
  return `${place(answer.cell)} is ${verdict}. That follows from ${reasons.join(" and ")}.${only}`;
}

function sayProof(text) {
  byId("proof").textContent = text && text[0].toUpperCase() + text.slice(1);
}

function showProblem(text, hints = []) {
  state.conflict = hints;
  byId("status").textContent = "";
  byId("problem").textContent = text;
  byId("problem").hidden = false;
  paintAll();
}

function showFound() {
  const { found } = state;
  const some = found.safest !== null || found.mines.length > 0;
  byId("status").textContent = some ? "" : "Nothing to work out: put in some numbers, or the number of mines.";
  byId("facts").hidden = !some;
  byId("count-name").textContent = found.total === null ? "Assignments" : "Layouts";
  byId("count").textContent = number(found.count);
  byId("count").title = found.count;
  byId("safe").textContent = found.safe.length;
  byId("certain").textContent = found.mines.length;
  byId("best").textContent = "none";
  if (found.safest !== null) {
    const share = found.probability[found.safest[0]][found.safest[1]];
    const safe = found.safe.some((cell) => String(cell) === String(found.safest));
    byId("best").textContent = `${place(found.safest)} (${safe ? "safe" : `${percent(share)} a mine`})`;
  }
  paintAll();
}

// Changing the position

function change(change) {
  state.past.push({ grid: state.grid.map((row) => [...row]), mines: state.mines });
  if (state.past.length > 200) state.past.shift();
  change();
  changed();
}

// Everything that was known of the position before is forgotten, and the server asked anew.
function changed() {
  asking.abort();
  asking = new AbortController();
  Object.assign(state, { found: null, conflict: [], proof: null });
  byId("problem").hidden = true;
  byId("facts").hidden = true;
  byId("status").textContent = "";
  sayProof("Choose “Explain” above, then a cell.");
  byId("mines").value = state.mines ?? "";
  byId("text").value = toText();
  byId("text-problem").textContent = "";
  byId("undo").disabled = state.past.length === 0;
  byId("board").setAttribute("aria-busy", "true");
  layOut();
  clearTimeout(timer);
  timer = setTimeout(publish, 200);
}

function load({ grid, mines }, tool = state.tool) {
  change(() => Object.assign(state, { grid, mines, cursor: [0, 0] }));
  choose(tool);
}

function put([r, c], character) {
  if (state.grid[r][c] !== character) change(() => { state.grid[r][c] = character; });
}

function use(cell) {
  const [r, c] = cell;
  moveTo(cell);
  if (state.tool === "explain") explain(cell);
  else if (state.tool === "cycle") put(cell, next(state.grid[r][c]));
  else put(cell, state.grid[r][c] === state.tool ? CLOSED : state.tool);
}

function next(character) {
  if ("01234567".includes(character)) return String(Number(character) + 1);
  return character === "8" ? CLOSED : "0";
}

function choose(tool) {
  state.tool = tool;
  document.querySelector(`#palette input[value="${CSS.escape(tool)}"]`).checked = true;
}

// Drawing

let cells = [];  // the elements, row by row

// Make the elements anew if the size is another, then paint them.
function layOut() {
  const [rows, cols] = size();
  const board = byId("board");
  if (cells.length !== rows || cells[0].length !== cols) {
    cells = state.grid.map((row, r) => row.map((_, c) => element("gridcell", "cell", { r, c })));
    const top = element("row");
    top.append(element("presentation", "axis left top corner"));
    top.append(...cells[0].map((_, c) => axis("columnheader", "top", c)));
    board.replaceChildren(top, ...cells.map((row, r) => {
      const line = element("row");
      line.append(axis("rowheader", "left", r), ...row);
      return line;
    }));
    board.setAttribute("aria-rowcount", rows);
    board.setAttribute("aria-colcount", cols);
    board.style.gridTemplateColumns = `var(--axis) repeat(${cols}, var(--cell))`;
    showSize();
    fit();
  }
  moveTo(state.cursor, false);
  paintAll();
}

function showSize() {
  const [rows, cols] = size();
  byId("rows").value = rows;
  byId("cols").value = cols;
  const preset = [...byId("preset").options].find((option) => option.value.startsWith(`${rows},${cols},`));
  byId("preset").value = preset?.value ?? "";
}

function element(role, name = "", data = {}) {
  const made = document.createElement("div");
  made.setAttribute("role", role);
  made.className = name;
  Object.assign(made.dataset, data);
  return made;
}

function axis(role, side, text) {
  const made = element(role, `axis ${side}`);
  made.textContent = text;
  return made;
}

// Cells as large as the width allows, from 24 pixels (a finger) to 44.
function fit() {
  const room = (byId("scroller").clientWidth - 36) / size()[1] - 1;
  const pixels = state.cell || Math.max(24, Math.min(44, Math.floor(room)));
  byId("board").style.setProperty("--cell", `${pixels}px`);
  return pixels;
}

// From pale yellow to a strong orange, dark digits readable on all of it; lightness alone tells them apart.
// The colours come from palette.css, which the package writes for all that it draws.
const WHITE_FROM = Number(getComputedStyle(document.documentElement).getPropertyValue("--white-from"));

function shade(share) {
  return `color-mix(in srgb, var(--likely) ${100 * share}%, var(--unlikely))`;
}

// Two digits; never 0 or 1 for what is not certain.
function shortShare(share) {
  const text = share.toFixed(2);
  return text === "0.00" ? "<.01" : text === "1.00" ? ">.99" : text.slice(1);
}

function paintAll() {
  const at = (positions) => new Set((positions ?? []).map(String));
  const marks = {
    safe: at(state.found?.safe),
    mine: at(state.found?.mines),
    best: at(state.found?.safest && [state.found.safest]),
    conflict: at(state.conflict),
    proof: at(state.proof?.hints),
    asked: at(state.proof && [state.proof.cell]),
  };
  cells.forEach((row, r) => row.forEach((_, c) => paint(r, c, marks)));
}

function paint(r, c, marks) {
  const cell = cells[r][c], character = state.grid[r][c], key = String([r, c]);
  const marked = Object.keys(marks).filter((name) => marks[name].has(key));
  const isClosed = character === CLOSED || character === FLAG;
  const certain = marked.includes("safe") || marked.includes("mine");
  const share = isClosed ? state.found?.probability[r][c] ?? null : null;
  const kind = isClosed ? (character === FLAG ? "flag" : "") : character === MINE ? "known" : "open";
  cell.className = ["cell", kind, ...marked].join(" ");
  if (isClosed) cell.textContent = share === null || certain ? "" : shortShare(share);
  else cell.textContent = { 0: "", [MINE]: "✱" }[character] ?? character;
  if (character === FLAG) {
    const pennant = document.createElement("span");
    pennant.className = "pennant";
    pennant.textContent = "⚑";
    cell.append(pennant);
  }
  cell.style.background = share === null || certain ? "" : shade(share);
  cell.style.color = share === null || certain || share < WHITE_FROM ? "" : "#fff";
  if (kind === "open") cell.dataset.digit = character;
  else delete cell.dataset.digit;
  cell.title = `${place([r, c])}: ${spoken(character, share, marked)}`;
  cell.setAttribute("aria-label", cell.title);
}

function spoken(character, share, marked) {
  const words = [{ [CLOSED]: "closed", [FLAG]: "flagged", [MINE]: "a known mine" }[character] ?? character];
  if (marked.includes("safe")) words.push("safe");
  else if (marked.includes("mine")) words.push("certainly a mine");
  else if (share !== null) words.push(`chance of a mine ${percent(share)}`);
  if (marked.includes("best")) words.push("safest to open");
  if (marked.includes("conflict")) words.push("in conflict");
  if (marked.includes("proof")) words.push("part of the proof");
  return words.join(", ");
}

// One cell can be reached with Tab; arrows move from there.
function moveTo([r, c], focus = true) {
  const [rows, cols] = size();
  const to = [Math.max(0, Math.min(rows - 1, r)), Math.max(0, Math.min(cols - 1, c))];
  document.querySelector('.cell[tabindex="0"]')?.setAttribute("tabindex", "-1");
  cells[to[0]][to[1]].setAttribute("tabindex", "0");
  if (focus) cells[to[0]][to[1]].focus();
  state.cursor = to;
}

// What the user does

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function onKey(event) {
  const { key } = event, [r, c] = state.cursor;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (MOVES[key]) moveTo([r + MOVES[key][0], c + MOVES[key][1]]);
  else if (key === "Home") moveTo([r, 0]);
  else if (key === "End") moveTo([r, Infinity]);
  else if (key.length === 1 && "012345678#*".includes(key)) put([r, c], key);
  else if (key === "Backspace" || key === "Delete") put([r, c], CLOSED);
  else if (key === "f" || key === "F") put([r, c], state.grid[r][c] === FLAG ? CLOSED : FLAG);
  else if (key === "w" || key === "W") explain([r, c]);
  else if (key === "Enter" || key === " ") use([r, c]);
  else return;
  event.preventDefault();
}

function undo() {
  const before = state.past.pop();
  if (!before) return;
  Object.assign(state, before);
  changed();
}

async function useText() {
  const answer = await ask("read", { board: byId("text").value });
  if (answer.board) load({ grid: answer.board.map((row) => [...row]), mines: answer.total });
  else byId("text-problem").textContent = answer.error;
}

async function copyLink() {
  byId("link").select();
  try {
    await navigator.clipboard.writeText(byId("link").value);
  } catch {
    document.execCommand("copy");  // pages from other machines without encryption have no clipboard
  }
  byId("copy").textContent = "Copied";
  setTimeout(() => { byId("copy").textContent = "Copy link"; }, 1500);
}

function zoom(step) {
  state.cell = Math.max(16, Math.min(64, fit() + step));
  fit();
}

function start() {
  for (const [value, text, label] of TOOLS) {
    const choice = document.createElement("label");
    choice.append(text);
    choice.title = label;
    const radio = document.createElement("input");
    Object.assign(radio, { type: "radio", name: "tool", value });
    radio.setAttribute("aria-label", label);
    radio.addEventListener("change", () => { state.tool = value; });
    choice.prepend(radio);
    byId("palette").append(choice);
  }
  for (const name of Object.keys(EXAMPLES)) byId("example").add(new Option(name, name));
  byId("ramp").style.background = `linear-gradient(90deg, ${shade(0)}, ${shade(1)})`;

  byId("board").addEventListener("click", (event) => {
    const { r, c } = event.target.closest(".cell")?.dataset ?? {};
    if (r !== undefined) use([Number(r), Number(c)]);
  });
  byId("board").addEventListener("keydown", onKey);
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !event.target.matches("input, textarea")) undo();
  });
  byId("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    load({ grid: blank(byId("rows").valueAsNumber, byId("cols").valueAsNumber), mines: totalGiven() }, "cycle");
  });
  byId("preset").addEventListener("change", () => {
    if (!byId("preset").value) return;
    const [rows, cols, mines] = byId("preset").value.split(",").map(Number);
    load({ grid: blank(rows, cols), mines }, "cycle");
  });
  byId("mines").addEventListener("change", () => {
    if (byId("mines").reportValidity()) change(() => { state.mines = totalGiven(); });
  });
  byId("example").addEventListener("change", () => {
    const text = EXAMPLES[byId("example").value];
    if (text) load(fromText(text), "explain");
    byId("example").value = "";
  });
  byId("undo").addEventListener("click", undo);
  byId("smaller").addEventListener("click", () => zoom(-4));
  byId("larger").addEventListener("click", () => zoom(4));
  byId("copy").addEventListener("click", copyLink);
  byId("use").addEventListener("click", useText);
  window.addEventListener("resize", fit);
  window.addEventListener("hashchange", () => {
    const shared = fromFragment(location.hash);
    if (shared) load(shared, "explain");
  });

  const shared = fromFragment(location.hash);
  if (shared) Object.assign(state, shared);
  choose(shared ? "explain" : "cycle");
  changed();
  if (location.hash && !shared) showProblem("The link holds no position that could be read.");
}

function totalGiven() {
  return byId("mines").value === "" ? null : byId("mines").valueAsNumber;
}

start();
