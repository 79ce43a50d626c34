// A game: where the mines are, and what the player has opened and flagged.

import { CLOSED, FLAG, MINE, around, at, blank, isClosed, isNumber, put, size } from "./position.js";

const key = ([r, c]) => `${r},${c}`;

// Milliseconds; a page that is loaded again has the same clock.
export const clock = () => performance.timeOrigin + performance.now();

export class Game {
  // "new" until the first cell is opened, then "on", "won" or "lost"
  state = "new";
  burst = [];  // the mines that were opened
  before = null;  // the position before it was
  clicks = [];   // for each click its row, its column, "l" or "r", and its time in seconds since the first "l"; or null
  #mines = null;
  #clock;
  #began = null;

  constructor(rows, cols, mines, time = clock) {
    this.position = blank(rows, cols, mines);
    this.#clock = time;
  }

  // All there is to know of a game, as JSON takes it, and the game that goes on from there.
  get kept() {
    const { position, state, burst, before, clicks } = this;
    return { position, state, burst, before, clicks, layout: this.dealt ? this.layout : null, began: this.#began };
  }

  static of({ position, state, burst, before, clicks, layout, began }, time = clock) {
    const game = Object.assign(new Game(1, 1, 0, time), { position, state, burst, before, clicks });
    if (layout) game.deal(layout);
    game.#began = began;
    return game;
  }

  // Say where the mines are; nothing can be opened before.
  deal(layout) {
    this.#mines = new Set(layout.map(key));
    this.position = { ...this.position, mines: this.#mines.size };
  }

  get dealt() { return this.#mines !== null; }

  get over() { return this.state === "won" || this.state === "lost"; }

  // Where the mines are, once it is said.
  get layout() { return [...(this.#mines ?? [])].map((cell) => cell.split(",").map(Number)); }

  isMine(cell) { return this.#mines.has(key(cell)); }

  // Mines without a flag; negative if there are too many flags.
  get left() {
    return this.position.mines - [...this.position.grid.join("")].filter((one) => one === FLAG).length;
  }

  // The position to be analysed: of a lost game, the last one in which there was a choice.
  get judged() { return this.before ?? this.position; }

  // Flags that stand on no mine, once the game is lost.
  get wrongFlags() {
    return this.state === "lost" ? this.#cells(FLAG).filter((cell) => !this.isMine(cell)) : [];
  }

  flag(cell) {
    const character = at(this.position, cell);
    if (this.over || !isClosed(character)) return false;
    this.position = put(this.position, [[cell, character === FLAG ? CLOSED : FLAG]]);
    this.#note(cell, "r");
    return true;
  }

  // A click on a cell that opens some cells: itself, or those of a chord.
  click(cell, cells) {
    const { position } = this;
    this.#note(cell, "l");
    this.#open(cells);
    if (this.state === "lost") this.before = position;
  }

  // Open a closed cell without a flag and, from an empty one, those around it and so on.
  open(cell) { return this.#open([cell]); }

  // Open several at once: all that are safe, even if another one is a mine.
  #open(cells) {
    const closed = cells.filter((one) => at(this.position, one) === CLOSED);
    if (this.over || !this.dealt || !closed.length) return false;
    this.state = "on";
    const mines = closed.filter((one) => this.isMine(one));
    const shown = new Map(), stack = closed.filter((one) => !this.isMine(one));
    while (stack.length) {
      const next = stack.pop();
      if (shown.has(key(next)) || at(this.position, next) !== CLOSED) continue;
      const near = around(this.position, next), count = near.filter((one) => this.isMine(one)).length;
      shown.set(key(next), [next, String(count)]);
      if (count === 0) stack.push(...near);
    }
    this.position = put(this.position, shown.values());
    const left = [...this.position.grid.join("")].filter(isClosed).length;
    if (mines.length) this.#lose(mines);
    else if (left === this.#mines.size) this.#win();
    return true;
  }

  // Play up to a position of this game: flags first, which no opening passes.  By which clicks it came is not known.
  advance(grid) {
    this.#setFlags(grid);
    grid.forEach((row, r) => [...row].forEach((one, c) => { if (isNumber(one)) this.open([r, c]); }));
    if (this.state !== "new") this.clicks = null;
  }

  // Play what the server has read of a replay: what was seen at first, and the moves.
  follow(first, moves) {
    const time = this.#clock, now = time();
    let seconds = 0;
    this.#clock = () => 1000 * seconds;
    this.#began = 0;
    this.#setFlags(first);
    for (const move of moves) {
      seconds = move.time;
      this.click(move.cell, move.chord ?? [move.cell]);
      for (const [cell, character] of move.changes) {
        if (isClosed(character) && at(this.position, cell) !== character) this.flag(cell);
      }
    }
    this.#clock = time;
    this.#began = now - 1000 * seconds;
  }

  #setFlags(grid) {
    grid.forEach((row, r) => [...row].forEach((one, c) => { if (one === FLAG) this.flag([r, c]); }));
  }

  // The cells that a click on a number opens: those around it, if it has as many flags as it says.
  chord(cell) {
    const character = at(this.position, cell), near = around(this.position, cell);
    const flags = near.filter((one) => at(this.position, one) === FLAG).length;
    if (!isNumber(character) || flags !== Number(character)) return [];
    return near.filter((one) => at(this.position, one) === CLOSED);
  }

  #note(cell, button) {
    if (!this.clicks) return;
    const now = this.#clock();
    if (button === "l") this.#began ??= now;
    this.clicks.push(...cell, button, Math.round(now - (this.#began ?? now)) / 1000);
  }

  #cells(character) {
    const [rows, cols] = size(this.position), cells = [];
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < cols; c++) if (at(this.position, [r, c]) === character) cells.push([r, c]);
    }
    return cells;
  }

  #lose(burst) {
    this.state = "lost";
    this.burst = burst;
    const mines = this.#cells(CLOSED).filter((one) => this.isMine(one));
    this.position = put(this.position, mines.map((one) => [one, MINE]));
  }

  #win() {
    this.state = "won";
    this.position = put(this.position, this.#cells(CLOSED).map((one) => [one, FLAG]));
  }
}
