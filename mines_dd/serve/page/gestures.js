// Mouse, touch, wheel and keys on the board, told to whoever has the board now.
//
// `now()` gives an object with the functions it cares about:
//   stroke(cell, first)   the main button of a mouse goes down, or is dragged on to another cell: each on the way
//   paints                whether one finger that is dragged does the same; otherwise it scrolls
//   tap(cell)             a click: by touch and assistive technology, and by mouse where there is no `stroke`
//   second(cell)          the second button
//   hold(cell)            a long press
//   turn(cell, step)      the wheel on the cell chosen last
//   hover(cell)           the mouse rests on a cell, or on none (null), as from a key or a finger until it moves
//   key(event, cell)      a key; true if it was used

import { BoardView } from "./board_view.js";
import { line } from "./position.js";

const LONG = 450;  // milliseconds of a long press
const STILL = 8;   // pixels that a resting finger may tremble
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export function listen(view, now) {
  const { board } = view, stroke = new Stroke(view, now);
  mouse(board, view, now, stroke);
  touch(board, view, now, stroke);
  wheel(board, view, now);
  board.addEventListener("focusin", (event) => {
    const cell = BoardView.cellOf(event.target);
    if (cell && String(cell) !== String(view.cursor)) view.moveTo(cell, false);
  });
  board.addEventListener("keydown", (event) => {
    const [r, c] = view.cursor, step = MOVES[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) view.moveTo([r + step[0], c + step[1]]);
    else if (event.key === "Home") view.moveTo([r, 0]);
    else if (event.key === "End") view.moveTo([r, Infinity]);
    else if (!now().key?.(event, view.cursor)) return;
    event.preventDefault();
  });
}

// A stroke over the board.  A quick hand leaves out cells on its way; what comes back to the board comes from nowhere.
class Stroke {
  #last = null;  // the cell that it reached last, on its way over the cells

  constructor(view, now) {
    this.view = view;
    this.now = now;
    this.begun = false;
    this.touched = false;  // by a finger, or by a pen of which there are events of both kinds
  }

  begin(cell, focus = true) {
    this.begun = true;
    this.#last = cell;
    this.view.moveTo(cell, focus);
    this.now().stroke(cell, true);
  }

  // On to a cell, or to none (null) at a point.
  goOn(cell, point) {
    if (!this.begun || String(cell) === String(this.#last)) return;
    if (cell) for (const one of this.#last ? line(this.#last, cell) : [cell]) this.now().stroke?.(one, false);
    if (cell || !this.view.has(point)) this.#last = cell;
  }

  end() { this.begun = false; }
}

const pointOf = ({ clientX, clientY }) => [clientX, clientY];

function mouse(board, view, now, stroke) {
  let still = false;  // from a key or a finger until the mouse moves: it also enters a cell that comes under it
  // A pen scrolls as a finger does, unless it paints.
  const strokes = ({ pointerType: by }) => by !== "touch" && now().stroke && (by !== "pen" || now().paints);
  board.addEventListener("pointerdown", (event) => {
    const cell = BoardView.cellOf(event.target);
    if (!cell || event.button !== 0 || event.ctrlKey || !strokes(event)) return;  // a Mac's second button is Ctrl
    stroke.begin(cell);
  });
  board.addEventListener("pointerover", (event) => {
    const cell = BoardView.cellOf(event.target);
    if (event.pointerType === "touch") return;
    if (!still) now().hover?.(cell);
    if (event.buttons === 1 && !stroke.touched) stroke.goOn(cell, pointOf(event));
  });
  board.addEventListener("pointermove", (event) => {
    if (!still || event.pointerType === "touch") return;
    still = false;
    now().hover?.(BoardView.cellOf(event.target));
  });
  const rest = () => {
    still = true;
    now().hover?.(null);
  };
  board.addEventListener("keydown", rest);
  document.addEventListener("touchstart", rest, { passive: true });
  board.addEventListener("pointerleave", (event) => {
    now().hover?.(null);
    if (!stroke.touched) stroke.goOn(null, pointOf(event));
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    document.addEventListener(kind, () => { if (!stroke.touched) stroke.end(); });
  }
  board.addEventListener("dragstart", (event) => event.preventDefault());
  board.addEventListener("click", (event) => {
    const cell = BoardView.cellOf(event.target);
    if (!cell || (event.detail > 0 && strokes(event))) return;
    view.moveTo(cell);
    now().tap?.(cell);
  });
  board.addEventListener("contextmenu", (event) => {
    const cell = BoardView.cellOf(event.target);
    if (!cell) return;
    event.preventDefault();
    if (event.pointerType === "touch" || stroke.touched) return;  // the long press says it
    view.moveTo(cell);
    now().second?.(cell);
  });
}

function touch(board, view, now, stroke) {
  let timer = 0;
  let start = null;   // where one finger went down, with its cell; a stroke may begin there, after a long press too
  let held = false;
  let pinch = null;   // two fingers: how far they are apart, and the point between them
  const apart = ([x, y], [u, v]) => Math.hypot(x - u, y - v);
  const between = ([a, b]) => ({
    apart: apart(pointOf(a), pointOf(b)), at: [(a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2],
  });
  const stop = () => clearTimeout(timer);
  const end = () => {
    stop();
    pinch = start = null;
    stroke.touched = false;
    stroke.end();
  };
  board.addEventListener("touchstart", (event) => {
    stop();
    held = false;
    start = null;
    stroke.touched = true;
    if (event.touches.length > 1) stroke.end();
    pinch = event.touches.length === 2 ? between(event.touches) : null;
    const cell = BoardView.cellOf(event.target);
    if (!cell || event.touches.length > 1) return;
    start = { cell, at: pointOf(event.touches[0]) };
    timer = setTimeout(() => {
      held = true;
      view.moveTo(cell, false);
      now().hold?.(cell);
    }, LONG);
  }, { passive: true });
  board.addEventListener("touchmove", (event) => {
    if (pinch && event.touches.length === 2) {
      event.preventDefault();
      const next = between(event.touches);
      view.zoom(next.apart / pinch.apart, pinch.at, next.at);
      pinch = next;
    } else if (start && now().paints) {
      event.preventDefault();  // no scrolling
      const at = pointOf(event.touches[0]);
      if (!stroke.begun && apart(at, start.at) < STILL) return;
      if (!stroke.begun) stroke.begin(start.cell, false);
      stroke.goOn(BoardView.cellOf(document.elementFromPoint(...at)), at);
    }
    stop();
  }, { passive: false });
  board.addEventListener("touchend", (event) => {
    if (held || stroke.begun) event.preventDefault();  // no click after a long press or a stroke
    end();
  }, { passive: false });
  board.addEventListener("touchcancel", end);
}

function wheel(board, view, now) {
  board.addEventListener("wheel", (event) => {
    const cell = BoardView.cellOf(event.target);
    if (event.ctrlKey) view.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1, [event.clientX, event.clientY]);
    else if (cell && now().turn && String(cell) === String(view.cursor) && document.activeElement === view.element(cell)) {
      now().turn(cell, event.deltaY < 0 ? 1 : -1);
    } else return;
    event.preventDefault();
  }, { passive: false });
}
