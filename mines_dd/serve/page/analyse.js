// Analyse: a position is put in, and the server works it out.

import { History } from "./history.js";
import { marksOf } from "./look.js";
import { announce, byId, complain, element, keep, preset, refuse, say, sayIfSlow, show, visit, whole } from "./page.js";
import {
  CLOSED, FLAG, MINE, at, blank, clicked, flagged, isClosed, packed, put, resized, size, toFragment, toJson, toText,
  turned, unpacked,
} from "./position.js";
import { ask } from "./server.js";
import { Tip } from "./tip.js";
import { capital, finding, likelihoods, likeliest, number, percent, place, proof, scoring, step, told } from "./words.js";

const TOOLS = [
  ["open", "Open", "opens or raises it"],
  ...[..."012345678"].map((digit) => [digit, digit, `puts ${digit}`]),
  [CLOSED, "#", "closes it"],
  [FLAG, "⚑", "flags it"],
  [MINE, "✱", "puts a known mine"],
  ["explain", "Why?", "explains it"],
];
// the name under which the page keeps what can be undone, and the most characters: the game needs room, too
const KEPT = "positions 1", MOST_KEPT = 1_500_000;
const WAIT = 120;      // milliseconds after a change until the server is asked
const AGAIN = 3000;    // milliseconds until one that did not answer is asked again
const HINT = "Choose a cell with “Why?”, press W on it or hold it with a finger, to learn why.";

export class Analyser {
  active = false;
  #history = new History(blank(9, 9, 10));
  #tool = "open";
  #stroke = null;     // the present one: what it paints
  #asking = new AbortController();  // aborted when the position changes
  #timer = 0;
  #known = {};        // what was found of this very position: found, conflict, proof
  #before = null;     // what was found of the position before; shown, dimmed, until there is an answer
  #showPreset;

  constructor(view) {
    this.view = view;
    this.tip = new Tip(view);
    this.#makePalette();
    this.#listen();
  }

  get position() { return this.#history.now; }

  // A position from elsewhere, as one change, or those of a game, which are undone one by one.
  load(...positions) {
    this.#history.follow(positions);
    this.#changed();
    this.#before = null;
    byId("lesson").hidden = byId("play-on").hidden = true;  // they are of another position
    this.draw();
    this.view.moveTo([0, 0], this.view.focused);
    show();
  }

  // Have the board; a position given is the first one, which cannot be undone unless it was there before.
  begin(position, again = false) {
    this.active = true;
    if (position) this.#history = (again && this.#kept(position)) || new History(position);
    this.#changed();
  }

  // Somebody else has the board from now on: answers that are still to come are not wanted.
  leave() {
    this.active = false;
    clearTimeout(this.#timer);
    this.#asking.abort();
    this.tip.hide();
  }

  // Gestures

  stroke(cell, first) {
    if (this.#tool === "explain") {
      if (first) this.#why(cell);
      return;
    }
    if (first) this.#stroke = { brush: this.#result(cell) };
    this.#change(put(this.position, [[cell, this.#stroke.brush]]), this.#stroke);
  }

  tap(cell) { this.stroke(cell, true); }

  get paints() { return this.#tool !== "open" && this.#tool !== "explain"; }

  second(cell) { this.#put(cell, flagged(at(this.position, cell))); }

  turn(cell, step) { this.#put(cell, turned(this.position, cell, step)); }

  hover(cell) { this.tip.show(cell, this.position, this.#known.found, this.#asking.signal); }

  hold(cell) {
    this.hover(cell);
    this.explain(cell);
  }

  key({ key }, cell) {
    if (key.length === 1 && "012345678#*".includes(key)) this.#put(cell, key);
    else if (key === "Backspace" || key === "Delete") this.#put(cell, CLOSED);
    else if (key.toLowerCase() === "f") this.#put(cell, at(this.position, cell) === FLAG ? CLOSED : FLAG);
    else if (key.toLowerCase() === "w") this.#why(cell);
    else if (key === "Enter" || key === " ") this.tap(cell);
    else return false;
    return true;
  }

  undo() { if (this.#history.undo()) this.#changed(); }

  redo() { if (this.#history.redo()) this.#changed(); }

  // Changes

  #result(cell) {
    if (this.#tool === "open") return clicked(this.position, cell);
    return at(this.position, cell) === this.#tool ? CLOSED : this.#tool;
  }

  #put(cell, character) { this.#change(put(this.position, [[cell, character]])); }

  #change(next, stroke = null) {
    if (this.#history.change(next, stroke)) this.#changed();
  }

  // All that was known of the position before is forgotten, and the server asked anew.
  #changed() {
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#before = this.#fits(this.#known.found ?? this.#before);
    this.#known = {};
    this.tip.hide();
    refuse("");
    this.#showInputs();
    if (!this.active) return;
    byId("board").setAttribute("aria-busy", "true");
    this.draw();
    const { move } = this.position;
    byId("proof").textContent = move ? step(move) : HINT;
    byId("step").textContent = move ? `${move.number} of ${move.of}` : "";
    if (move?.cell) this.view.reveal(move.cell);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#publish(), WAIT);
  }

  // A page that is loaded again can undo what it could before.
  #keep() {
    const { values, present } = this.#history.kept, kept = JSON.stringify({ values: packed(values), present });
    if (kept.length <= MOST_KEPT) keep(KEPT, kept);
    else visit()?.removeItem(KEPT);
  }

  #kept(position) {
    const { values, present } = JSON.parse(visit()?.getItem(KEPT) ?? "{}");
    const history = values && History.of({ values: unpacked(values), present });
    return history && toText(history.now) === toText(position) ? history : null;
  }

  // After the last of several quick changes: browsers refuse to change an address very often.
  #publish() {
    history.replaceState(null, "", toFragment(this.position));
    byId("link").value = location.href;
    byId("text").value = toText(this.position);
    this.#keep();
    if (byId("totals").open) this.showTotals();
    this.#analyse();
  }

  async #analyse() {
    const { signal } = this.#asking, rule = this.position.laid ? "none" : undefined;
    const answered = sayIfSlow("Working it out …");
    const waiting = (why) => {
      answered(why);
      announce(why);
    };
    try {
      const answer = await ask("analyse", { board: toJson(this.position), rule }, { signal, topic: "analyse", waiting });
      signal.throwIfAborted();
      if (answer.error) this.#failed(answer);
      else this.#found(answer);
      if (answer.kind === "silent") this.#timer = setTimeout(() => this.#analyse(), AGAIN);
      byId("board").setAttribute("aria-busy", "false");
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    } finally {
      answered();
    }
  }

  // Findings of another position, if they are of a board of this size.
  #fits(found) {
    const [rows, cols] = size(this.position);
    return found?.board.length === rows && found.board[0].length === cols ? found : null;
  }

  #failed({ error, hints = [], mines = [] }) {
    this.#before = null;
    this.#known.conflict = [...hints, ...mines];
    complain(error);
    this.#showFacts(null);
    this.draw();
  }

  #found(found) {
    this.#known.found = found;
    say(told(found));
    announce(finding(found));
    this.#showFacts(found);
    this.draw();
    if (this.tip.cell) this.hover(this.tip.cell);  // the mouse has come upon a cell of the new board meanwhile
  }

  draw() {
    const found = this.#known.found ?? this.#before;
    const { cell, burst } = this.position.move ?? {};
    const marks = marksOf({ ...this.#known, found, burst, moved: cell });
    this.view.draw(this.position, marks, (r, c) => found?.probability[r][c] ?? null);
  }

  // Why?

  async #why(cell) {
    await this.explain(cell);
    byId("told").scrollIntoView({ block: "nearest" });  // not while a finger rests on the board, which may go on to paint
  }

  async explain(cell) {
    this.#known.proof = { cell, hints: [] };
    const asked = this.#known.proof, { signal } = this.#asking;
    const tell = (text) => { byId("proof").textContent = text; };
    this.draw();
    const shown = at(this.position, cell);
    if (!isClosed(shown)) return tell(`${capital(place(cell))} is ${shown === MINE ? "a known mine" : "open"}.`);
    if (this.#known.found && this.#known.found.probability[cell[0]][cell[1]] === null) {
      return tell(`Nothing is known of ${place(cell)}: it touches no number, and the total number of mines is not given.`);
    }
    tell("Working it out …");
    const answer = await ask("explain", { board: toJson(this.position), cell }, { signal, topic: "explain", waiting: tell }).catch(() => null);
    if (!answer || signal.aborted || this.#known.proof !== asked) return undefined;
    if (answer.error) return tell(answer.error);
    this.#known.proof = answer;
    tell(proof(answer, this.position.grid));
    return this.draw();
  }

  // What is said beside the board

  #showInputs() {
    const [rows, cols] = size(this.position);
    byId("rows").value = rows;
    byId("cols").value = cols;
    byId("mines").value = this.position.mines ?? "";
    byId("undo").disabled = !this.#history.canUndo;
    byId("redo").disabled = !this.#history.canRedo;
    byId("text-problem").textContent = "";
    this.#showPreset();
  }

  #showFacts(found) {
    byId("count-name").textContent = this.position.mines === null ? "Assignments" : "Layouts";
    byId("count").textContent = found ? number(found.count) : "–";
    byId("safe").textContent = found ? found.safe.length : "–";
    byId("certain").textContent = found ? found.mines.length : "–";
    byId("best").textContent = found ? this.#bestText(found) : "–";
    this.#showRanking(found?.ranking ?? [], scoring(found?.kind));
  }

  #bestText({ move, probability, ranking, wins }) {
    if (!move) return "none";
    const risk = ranking[0]?.risk, won = wins === null ? "" : `, wins ${percent(share(wins))}`;
    const first = probability[move[0]][move[1]] === 0 ? "" : ", as the first cell";  // the rules of a game say so
    if (risk === 0) return `${place(move)} (safe${first}${won})`;
    return `${place(move)}` + (risk === null ? "" : ` (a mine with ${percent(risk)}${won})`);
  }

  #showRanking(ranking, { name, title, shown }) {
    const table = element("table"), head = table.createTHead().insertRow();
    for (const text of ["Cell", "A mine", name, "Mark"]) head.append(element("th", text, { scope: "col" }));
    const body = table.createTBody();
    for (const { cell, risk, score, marks } of ranking) {
      const row = body.insertRow(), go = element("button", `${cell[0]}, ${cell[1]}`, { type: "button" });
      go.setAttribute("aria-label", `Go to ${place(cell)}`);
      go.addEventListener("click", () => this.view.moveTo(cell));
      row.insertCell().append(go);
      row.insertCell().textContent = percent(risk);
      row.insertCell().textContent = score === null ? "–" : shown(score);
      row.insertCell().textContent = marks.join(", ");
    }
    byId("ranks").replaceChildren(...(ranking.length ? [table, element("p", title)] : [element("p", "No move to compare.")]));
  }

  async showTotals(again = false) {
    const list = byId("totals-list"), { signal } = this.#asking;
    if (!again) list.textContent = "Working it out …";
    const answer = await ask("totals", { board: toJson(this.position) }, { signal }).catch(() => null);
    if (!answer || signal.aborted) return;
    if (answer.error) {
      list.textContent = answer.error;
      const repeat = () => { if (byId("totals").open && !signal.aborted) this.showTotals(true); };
      if (answer.kind === "silent") setTimeout(repeat, AGAIN);
      return;
    }
    if (answer.possible === 1) {
      list.textContent = likeliest(answer);
      return;
    }
    const most = Math.max(...answer.totals.map(([, likely]) => likely));
    const rows = answer.totals.map(([total, likely]) => {
      const row = element("div", "", { className: "total" });
      const bar = element("i");
      bar.style.setProperty("--long", `${(100 * likely) / most}%`);
      row.append(element("span", total), bar, element("span", likely.toFixed(3)));
      return row;
    });
    const box = element("div", "", { className: "likelihoods", tabIndex: 0, role: "group", ariaLabel: "Likelihoods" });
    box.append(...rows);
    list.replaceChildren(element("p", `${likeliest(answer)} ${likelihoods(answer)}`), box);
    const best = rows[answer.totals.findIndex(([total]) => total === answer.likeliest[0])];
    box.scrollTop = best.offsetTop - box.offsetTop - box.clientHeight / 2;
  }

  // Controls

  #makePalette() {
    for (const [value, label, does] of TOOLS) {
      const input = element("input", "", { type: "radio", name: "tool", value, checked: value === this.#tool });
      input.setAttribute("aria-label", `A click ${does}`);
      input.addEventListener("change", () => {
        this.#tool = value;
        byId("board").classList.toggle("paints", this.paints);
      });
      const box = element("label");
      box.append(input, element("span", label));
      byId("palette").append(box);
    }
  }

  #listen() {
    const resize = () => {
      if (!byId("rows").reportValidity() || !byId("cols").reportValidity() || !byId("mines").reportValidity()) return;
      this.#change({ ...resized(this.position, whole("rows"), whole("cols")), mines: whole("mines") });
    };
    this.#showPreset = preset("preset", ["rows", "cols", "mines"], resize);
    for (const id of ["rows", "cols", "mines"]) byId(id).addEventListener("change", resize);
    byId("setup").addEventListener("submit", (event) => event.preventDefault());
    byId("clear").addEventListener("click", () => this.#change(blank(...size(this.position), this.position.mines)));
    byId("undo").addEventListener("click", () => this.undo());
    byId("redo").addEventListener("click", () => this.redo());
    byId("totals").addEventListener("toggle", () => { if (byId("totals").open) this.showTotals(); });
    document.addEventListener("keydown", (event) => {
      if (!this.active || !(event.ctrlKey || event.metaKey) || event.target.matches?.("input[type=number], textarea")) return;
      const key = event.key.toLowerCase();
      if (key === "z" && !event.shiftKey) this.undo();
      else if (key === "y" || key === "z") this.redo();
      else return;
      event.preventDefault();
    });
  }
}

// A fraction such as "1/2" as a number.
const share = (text) => text.split("/").map(Number).reduce((above, below) => above / below);
