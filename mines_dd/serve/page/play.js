// Play: a game on the board, with hints, a coach and autoplay.

import { save } from "./boards_in_and_out.js";
import { judge } from "./coach.js";
import { Game, clock } from "./game.js";
import { marksOf } from "./look.js";
import { announce, byId, complain, element, keep, preset, refuse, say, sayIfSlow, show, visit, whole } from "./page.js";
import { FLAG, at, isClosed, isNumber, mostMines, size, toJson } from "./position.js";
import { ask } from "./server.js";
import { Statistics } from "./statistics.js";
import { capital, dealt, hit, many, proof, told } from "./words.js";

// the name under which the page keeps a game; another number for another form of it
const KEPT = "game 2";
const FIRST = { zero: "opens an area", safe: "is safe" };
const OVER = "This game is over; start a new one.";
const HINT = "Ask for a hint to see why a cell is safe.";
// what is kept of the page with a game
const SHOWN = ["time", "outcome", "dealt"];
const SIZE = ["game-rows", "game-cols", "game-mines"];
const FORM = ["level", ...SIZE, "rule", "seed", "guesses", "game-form", "speed"];

// What is certain of the first cell: on a board that needs no guess it opens an area.
const ruleOf = ({ rule, guesses }) => (guesses ? "zero" : rule);

const closed = (grid) => [...grid.join("")].filter(isClosed).length;

export class Player {
  active = false;
  #game = new Game(9, 9, 10);
  #deal = { rule: "zero", seed: null, guesses: "" };
  #hint = null;       // the analysis that is shown
  #proof = null;
  #asking = new AbortController();
  #started = 0;
  #clock = 0;
  #showLevel;         // the level of the form's size
  #auto = null;       // the run of autoplay that goes on
  #opening = null;    // that which is under way
  #marked = Promise.resolve();  // that all moves so far are marked
  #helped = false;
  #statistics = new Statistics();

  constructor(view, inspect) {
    this.view = view;
    this.#listen(inspect);
    this.#resume();
  }

  begin() {
    this.active = true;
    this.#draw();
    byId("proof").textContent = HINT;
    this.#showStatistics();
  }

  // Somebody else has the board from now on: answers that are still to come are not wanted.
  leave() {
    this.active = false;
    this.#stop();
    this.#forgetHint();
  }

  // Whether there is no game that another one would end.
  get idle() { return this.#game.state !== "on"; }

  // A game whose mines are known, from a file; of a replay with all moves.  A new game has its size.  Tell whether more is
  // open than in the file, which may leave cells around a 0 closed.
  take({ board, layout, first, moves }) {
    const size = [board.length, board[0].length, layout.length];
    size.forEach((value, i) => { byId(SIZE[i]).value = value; });
    this.#showLevel();
    this.#new(...size, { layout });
    if (moves) this.#game.follow(first, moves);
    else this.#game.advance(board);
    if (!this.idle) {
      this.#helped = true;  // nobody knows how it came so far
      this.#started = clock() - 1000 * (moves?.at(-1)?.time ?? 0);
      this.#runClock();
    }
    if (this.#game.over) this.#showOutcome();
    this.#draw();
    return !moves && closed(this.#game.position.grid) < closed(board);
  }

  // Gestures

  // "Tap flags" does not count for the first cell of a game.
  tap(cell) {
    const { position, state } = this.#game, flags = byId("flagging").getAttribute("aria-pressed") === "true";
    if (flags && state !== "new" && !isNumber(at(position, cell))) {
      this.second(cell);
    } else this.#open(cell);
  }

  second(cell) {
    if (this.#game.flag(cell)) this.#draw();
  }

  hold(cell) {
    navigator.vibrate?.(20);
    this.second(cell);
  }

  key({ key }, cell) {
    if (key === "Enter" || key === " ") this.#open(cell);
    else if (key.toLowerCase() === "f") this.second(cell);
    else if (key.toLowerCase() === "h") this.#showHint();
    else if (key.toLowerCase() === "n") this.#newFromForm();
    else return false;
    return true;
  }

  // Moves

  // One at a time: another cell is not opened, but waits with this one.
  #open(cell) {
    this.#opening ??= this.#opened(cell).finally(() => { this.#opening = null; });
    return this.#opening;
  }

  async #opened(cell) {
    const game = this.#game;
    if (game.over) return;
    const character = at(game.position, cell);
    const cells = isNumber(character) ? game.chord(cell) : character === FLAG ? [] : [cell];
    if (!cells.length || !(await this.#ready(cell))) return;
    const before = game.position, fresh = game.state === "new";
    if (fresh && at(before, cell) === FLAG) game.flag(cell);  // put there while the mines were placed: too late
    game.click(cell, cells);
    if (fresh) {
      this.#started = clock();
      this.#runClock();
    }
    this.#forgetHint();
    if (!fresh && !this.#auto && byId("coach").checked) this.#mark(before, cell, cells);
    if (game.over) this.#end();
    this.#draw();
  }

  // Where the mines are is only decided when the first cell is opened.
  async #ready(first) {
    const game = this.#game;
    if (game.dealt) return true;
    const { grid, mines } = game.position;
    const { rule, guesses } = this.#deal, seed = this.#deal.seed ?? Math.floor(Math.random() * 1e9);
    const values = { rule, seed, rows: grid.length, cols: grid[0].length, mines, first, no_guess: guesses !== "" };
    if (guesses && guesses !== "any") values.difficulty = guesses;
    const answered = sayIfSlow(values.no_guess ? "Looking for a board that needs no guess …" : "Placing the mines …");
    const answer = await this.#dealt(values, answered).catch(() => null);
    answered();
    if (!answer || this.#game !== game) return false;
    if (answer.error) complain(answer.error);
    else {
      byId("dealt").textContent = dealt(seed, first, answer.difficulty);
      game.deal(answer.layout);
    }
    return game.dealt;
  }

  // A board that needs no guess may take long to find: the server looks for a while at a time.
  async #dealt(values, waiting) {
    const { signal } = this.#asking;
    for (let tried = 0; ;) {
      const answer = await ask("deal", { ...values, tried }, { signal, waiting });
      if (answer.error || answer.layout) return answer;
      ({ tried } = answer);
      waiting(`Looking for a board that needs no guess … ${tried} tried; New game ends this`);
    }
  }

  // Moves are told in their order, whatever the order of the answers.
  #mark(before, cell, cells) {
    const game = this.#game, { burst } = game;
    const chord = isNumber(at(before, cell)) ? [cell, ...cells].flat() : null;
    const asked = ask("analyse", { board: toJson(before), chord });
    this.#marked = this.#marked.then(async () => {
      const found = await asked;
      if (this.#game !== game) return;
      if (found.error) complain(`This move is not marked. ${found.error}`);
      else this.#tell(judge(found, cell, chord && cells), chord && burst.length ? ` ${capital(hit(burst))}.` : "");
    });
  }

  #tell({ mark, text, guess }, more) {
    this.#helped = true;  // a mark may tell of other cells that were safe
    byId("advice").textContent = text + more;
    say(text + more);  // on a phone the advice is below the screen
    if (!guess) return;
    byId("marks").hidden = false;
    byId("marks").prepend(element("li", text + more, { className: mark }));
    this.#keep();
  }

  #end() {
    clearInterval(this.#clock);
    this.#stop();
    const won = this.#showOutcome(), seconds = this.#seconds();
    announce(won ? `Won in ${many(seconds, "second")}.` : `Lost: ${hit(this.#game.burst)}.`);
    this.#statistics.add({ won, seconds, helped: this.#helped, kind: this.#kind });
    this.#showStatistics();
  }

  #showOutcome() {
    const won = this.#game.state === "won";
    byId("outcome").textContent = won ? "Won!" : "Lost.";
    return won;
  }

  // Games of one kind are compared.
  get #kind() {
    const { position } = this.#game;
    return `${size(position).join("x")} with ${many(position.mines, "mine")}`;
  }

  #showStatistics() { byId("statistics").textContent = this.#statistics.text(this.#kind); }

  // Help

  async #analysed() {
    const game = this.#game, { signal } = this.#asking;
    const rule = game.dealt ? "none" : ruleOf(this.#deal);
    const answered = sayIfSlow("Working it out …");
    const asked = ask("analyse", { board: toJson(game.position), rule }, { signal, waiting: answered });
    const found = await asked.catch(() => null);
    answered();
    if (!found || signal.aborted || this.#game !== game) return null;
    if (!found.error) return found;
    complain(found.hints ? "Some flag or number is wrong: no layout of the mines fits." : found.error);
    return null;
  }

  async #showHint() {
    if (this.#game.over) return say(OVER);
    this.#helped = true;
    byId("advice").textContent = "Working it out …";
    const found = await this.#analysed();
    if (!found) {
      byId("advice").textContent = "";
      return undefined;
    }
    this.#hint = found;
    byId("advice").textContent = told(found);
    say(told(found));
    this.#draw();
    if (found.move) this.view.reveal(found.move);
    const { signal } = this.#asking;
    if (!this.#game.dealt) byId("proof").textContent = "No number is open yet that could prove anything.";
    if (!found.move || !this.#game.dealt) return undefined;
    const why = await ask("explain", { board: toJson(this.#game.position), cell: found.move }, { signal }).catch(() => null);
    if (!why || why.error || signal.aborted) return undefined;
    this.#proof = why;
    for (const cell of [...why.hints, found.move]) this.view.reveal(cell);
    byId("proof").textContent = proof(why, this.#game.position.grid);
    return this.#draw();
  }

  #forgetHint() {
    byId("proof").textContent = HINT;
    refuse("");
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#hint = this.#proof = null;
    if (!this.#auto) byId("advice").textContent = "";
    say("");
  }

  // A run of autoplay ends for good when another one begins, or the game is another one.
  async #play() {
    const run = this.#auto = {}, goesOn = () => this.#auto === run && this.active && !this.#game.over;
    this.#helped = true;
    this.#showAuto();
    while (goesOn()) {
      const found = await this.#analysed();
      if (!goesOn() || !found?.move) break;
      for (const cell of found.mines) if (at(this.#game.position, cell) !== FLAG) this.#game.flag(cell);
      this.#draw();
      byId("advice").textContent = found.safe.length ? "Opening what is safe." : told(found);
      for (const cell of found.safe.length ? found.safe : [found.move]) {
        if (at(this.#game.position, cell) === FLAG) this.#game.flag(cell);
        if (isNumber(at(this.#game.position, cell))) continue;
        await this.#open(cell);
        if (goesOn() && !this.#game.dealt) this.#stop();
        await new Promise((done) => setTimeout(done, 1000 / byId("speed").valueAsNumber ** 2));
        if (!goesOn()) break;
      }
    }
    if (this.#auto === run) this.#stop();
  }

  #stop() {
    if (this.#auto) byId("advice").textContent = "";
    this.#auto = null;
    this.#showAuto();
  }

  // The game

  #new(rows, cols, mines, deal) {
    this.#helped = false;
    this.#stop();
    this.#forgetHint();
    clearInterval(this.#clock);
    this.#game = new Game(rows, cols, mines);
    this.#deal = { rule: deal.rule ?? "zero", seed: deal.seed ?? null, guesses: deal.guesses ?? "" };
    if (deal.layout) this.#game.deal(deal.layout);
    this.#started = 0;
    for (const id of ["outcome", "marks", "dealt"]) byId(id).textContent = "";
    byId("marks").hidden = true;
    byId("time").textContent = "0";
    if (!this.active) return;
    this.#draw();
    this.#showStatistics();
    show();
  }

  // A board that needs no guess has a first cell that opens an area.
  #showRule() {
    byId("rule").disabled = byId("guesses").value !== "";
    if (byId("rule").disabled) byId("rule").value = "zero";
  }

  #newFromForm() {
    if (!byId("deal").reportValidity()) return;
    const deal = { rule: byId("rule").value, seed: whole("seed"), guesses: byId("guesses").value };
    const rows = whole("game-rows"), cols = whole("game-cols"), mines = whole("game-mines");
    const rule = ruleOf(deal), most = mostMines(rows, cols, rule);
    if (mines <= most) this.#new(rows, cols, mines, deal);
    else refuse(`${many(mines, "mine")} cannot be placed: if the first cell ${FIRST[rule]}, ${most} is the most.`);
  }

  // A page that is loaded again goes on with its game.
  #keep() {
    const shown = SHOWN.map((id) => byId(id).textContent), form = FORM.map((id) => byId(id).value);
    const marks = [...byId("marks").children].map(({ textContent, className }) => [textContent, className]);
    const state = { game: this.#game.kept, deal: this.#deal, started: this.#started, helped: this.#helped };
    const ticks = { coach: byId("coach").checked, flagging: byId("flagging").getAttribute("aria-pressed") };
    keep(KEPT, JSON.stringify({ ...state, shown, form, marks, ...ticks }));
  }

  #resume() {
    const values = JSON.parse(visit()?.getItem(KEPT) ?? "null");
    if (!values) return;
    this.#game = Game.of(values.game);
    [this.#deal, this.#started, this.#helped] = [values.deal, values.started, values.helped];
    SHOWN.forEach((id, i) => { byId(id).textContent = values.shown[i]; });
    FORM.forEach((id, i) => { byId(id).value = values.form[i]; });
    this.#showRule();
    byId("marks").append(...values.marks.map(([text, className]) => element("li", text, { className })));
    byId("marks").hidden = !values.marks.length;
    byId("coach").checked = values.coach;
    byId("flagging").setAttribute("aria-pressed", values.flagging);
    if (this.#game.state === "on") this.#runClock();
  }

  #seconds() { return Math.floor((clock() - this.#started) / 1000); }

  #runClock() {
    const tick = () => { byId("time").textContent = this.#seconds(); };
    tick();
    clearInterval(this.#clock);
    this.#clock = setInterval(tick, 500);
  }

  #draw() {
    if (!this.active) return;
    const game = this.#game, hint = this.#hint;
    const marks = marksOf({ found: hint, proof: this.#proof, wrong: game.wrongFlags, burst: game.burst });
    this.view.draw(game.position, marks, (r, c) => hint?.probability[r][c] ?? null);
    byId("left").textContent = game.left;
    this.#keep();
    byId("board").setAttribute("aria-busy", "false");
  }

  #save() {
    const { clicks, dealt, layout, position: { grid, mines } } = this.#game;
    const form = byId("game-form").value, board = JSON.stringify({ board: grid, mines, layout });
    if (!dealt) refuse("There is no game to save yet: open a cell first.");
    else if (form === "rawvf" && !clicks) refuse("How this game began is not known, so there is no replay of it: save it as JSON.");
    else save({ board, clicks: clicks ?? [], form });
  }

  #showAuto() { byId("auto").setAttribute("aria-pressed", String(this.#auto !== null)); }

  #listen(inspect) {
    this.#showLevel = preset("level", SIZE, () => { if (this.#game.state !== "on") this.#newFromForm(); });
    for (const id of SIZE) byId(id).addEventListener("change", this.#showLevel);
    byId("deal").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#newFromForm();
    });
    byId("again").addEventListener("click", () => this.#newFromForm());
    byId("guesses").addEventListener("change", () => this.#showRule());
    this.#showRule();
    byId("coach").addEventListener("change", () => this.#keep());
    byId("hint").addEventListener("click", () => this.#showHint());
    byId("flagging").addEventListener("click", () => {
      const on = byId("flagging").getAttribute("aria-pressed") === "true";
      byId("flagging").setAttribute("aria-pressed", String(!on));
      this.#keep();
    });
    byId("auto").addEventListener("click", () => {
      if (this.#game.over) say(OVER);
      else if (this.#auto) this.#stop();
      else this.#play();
    });
    byId("inspect").addEventListener("click", () => {
      this.#helped = true;
      this.#keep();
      inspect({ ...this.#game.judged, laid: this.#game.dealt });
    });
    byId("save-game").addEventListener("click", () => this.#save());
  }
}
