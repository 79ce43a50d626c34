// The board on the page: one element a cell.  Only cells whose look has changed are drawn again.

import { cause, look } from "./look.js";
import { size } from "./position.js";

const SMALLEST = 6, LARGEST = 64, FINGER = 24, USUAL = 40;  // pixels of a cell
const TOUCH = matchMedia("(pointer: coarse)");

export class BoardView {
  #cells = [];   // the elements, row by row
  #drawn = [];   // what the look of each is for
  #whiteFrom = Number(getComputedStyle(document.documentElement).getPropertyValue("--white-from"));
  #pixels = 0;   // chosen size of a cell; 0 is what fits
  #whole = false;  // whether all cells are to be seen, however small

  constructor(board, scroller) {
    this.board = board;
    this.scroller = scroller;
    this.cursor = [0, 0];
  }

  // Draw a position; `share` gives the risk of a cell, or null.
  draw(position, marks, share = () => null) {
    const [rows, cols] = size(position);
    if (this.#cells.length !== rows || this.#cells[0].length !== cols) this.#make(rows, cols);
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < cols; c++) {
        const character = position.grid[r][c], risk = share(r, c), why = cause([r, c], character, risk, marks);
        if (this.#drawn[r][c] !== why) {
          this.#drawn[r][c] = why;
          this.#show(this.#cells[r][c], look([r, c], character, risk, marks, this.#whiteFrom));
        }
      }
    }
  }

  #show(element, { classes, text, share, label }) {
    element.className = classes;
    element.textContent = text;
    if (share === null) element.style.removeProperty("--share");
    else element.style.setProperty("--share", `${share}%`);
    element.setAttribute("aria-label", label);
  }

  #make(rows, cols) {
    const made = (role, name, data = {}) => {
      const one = document.createElement("div");
      if (role) one.setAttribute("role", role);
      one.className = name;
      Object.assign(one.dataset, data);
      return one;
    };
    const axis = (side, numbers) => {
      const one = made("", `axis ${side}`);
      one.append(...numbers.map((text) => Object.assign(made("", ""), { textContent: text })));
      one.setAttribute("aria-hidden", "true");
      return one;
    };
    this.#cells = Array.from({ length: rows }, (_, r) => Array.from({ length: cols }, (_, c) => {
      const cell = made("gridcell", "cell", { r, c });
      cell.tabIndex = -1;
      return cell;
    }));
    this.#drawn = this.#cells.map((row) => row.map(() => ""));
    const { focused } = this;
    this.board.replaceChildren(axis("top", ["", ...Array(cols).keys()]), axis("left", [...Array(rows).keys()]));
    this.board.append(...this.#cells.map((row) => {
      const line = made("row", "line");
      line.append(...row);
      return line;
    }));
    this.board.setAttribute("aria-rowcount", rows);
    this.board.setAttribute("aria-colcount", cols);
    this.board.style.setProperty("--rows", rows);
    this.board.style.setProperty("--cols", cols);
    this.moveTo(this.cursor, focused);
    this.fit();
  }

  // Whether keys go to the board.
  get focused() { return this.board.contains(document.activeElement); }

  // One cell can be reached with Tab; arrows move from there.
  moveTo([r, c], focus = true) {
    const rows = this.#cells.length, cols = this.#cells[0].length;
    this.#cells[this.cursor[0]]?.[this.cursor[1]]?.setAttribute("tabindex", "-1");
    this.cursor = [Math.max(0, Math.min(rows - 1, r)), Math.max(0, Math.min(cols - 1, c))];
    const cell = this.element(this.cursor);
    cell.tabIndex = 0;
    if (focus) cell.focus({ preventScroll: false });
  }

  // Scroll to a cell.
  reveal(cell) { this.element(cell)?.scrollIntoView({ block: "nearest", inline: "nearest" }); }

  element([r, c]) {
    return this.#cells[r]?.[c];
  }

  // Whether a point of the window is among the cells, between two of them too, and not on the numbers around them.
  has([x, y]) {
    const { left, top, width, height } = this.#area();
    const among = x >= left && y >= top && x <= left + width && y <= top + height;
    const there = document.elementFromPoint(x, y);
    return among && this.board.contains(there) && !there.closest(".axis");
  }

  static cellOf(target) {
    const { r, c } = target?.closest?.("#board .cell")?.dataset ?? {};
    return r === undefined ? null : [Number(r), Number(c)];
  }

  // See all cells, on this board and on the next ones, until a size is chosen.
  showWhole() {
    this.#pixels = 0;
    this.#whole = true;
    this.fit();
  }

  fit() { if (this.#cells.length) this.#set(this.#pixels || this.#fitting()); }

  // As large as there is room for, but for a whole board at least the size of a finger.  Where fingers scroll, only the
  // width counts.  The room is that without scroll bars: where the board ends up must not change the answer.
  #fitting() {
    const { minHeight, maxHeight } = getComputedStyle(this.scroller), edges = 2 * this.scroller.clientLeft;
    const letter = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const high = Math.max(parseFloat(minHeight), parseFloat(maxHeight)) - edges - Math.ceil(1.1 * letter) - 8;
    const wide = this.scroller.offsetWidth - edges - Math.ceil(1.4 * letter) - 7;
    const width = Math.floor(wide / this.#cells[0].length - 1), height = Math.floor(high / this.#cells.length - 1);
    const room = TOUCH.matches && !this.#whole ? width : Math.min(width, height);
    return Math.max(this.#whole ? SMALLEST : FINGER, Math.min(USUAL, room));
  }

  // What is at the point `from` of the window is at `to` afterwards, as far as the board can be scrolled.
  zoom(factor, from = null, to = from) {
    const before = this.#area();
    this.#pixels = Math.max(SMALLEST, Math.min(LARGEST, this.#size * factor));
    this.#set(this.#pixels);
    if (!from) return;
    const after = this.#area();
    const x = after.left + ((from[0] - before.left) / before.width) * after.width;
    const y = after.top + ((from[1] - before.top) / before.height) * after.height;
    this.scroller.scrollBy(x - to[0], y - to[1]);
  }

  // Where the cells are in the window, without the axes, which keep their size.
  #area() {
    const first = this.#cells[0][0].getBoundingClientRect(), last = this.#cells.at(-1).at(-1).getBoundingClientRect();
    return { left: first.left, top: first.top, width: last.right - first.left, height: last.bottom - first.top };
  }

  #size = USUAL;

  #set(pixels) {
    this.#size = pixels;
    this.board.style.setProperty("--cell", `${Math.round(pixels)}px`);
    this.board.classList.toggle("tiny", pixels < 18);
  }
}
