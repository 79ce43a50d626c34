// Mouse, touch, wheel and keys on the board, told to whoever has the board now.
//
// `now()` gives an object with the functions it cares about:
//   stroke(cell, first)   the main button of a mouse goes down, or is dragged on to another cell
//   tap(cell)             a click: by touch and assistive technology, and by mouse where there is no `stroke`
//   second(cell)          the second button
//   hold(cell)            a long press
//   turn(cell, step)      the wheel on the cell chosen last
//   hover(cell)           the mouse rests on a cell, or on none (null)
//   key(event, cell)      a key; true if it was used

import { BoardView } from "./board_view.js";

const LONG = 450;  // milliseconds of a long press
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export function listen(view, now) {
  const { board } = view;
  mouse(board, view, now);
  touch(board, view, now);
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

function mouse(board, view, now) {
  let last = null;  // the cell of the stroke that was reached last
  board.addEventListener("pointerdown", (event) => {
    const cell = BoardView.cellOf(event.target);
    if (!cell || event.pointerType === "touch" || event.button !== 0 || !now().stroke) return;
    view.moveTo(cell);
    last = cell;
    now().stroke(cell, true);
  });
  board.addEventListener("pointerover", (event) => {
    const cell = BoardView.cellOf(event.target);
    if (event.pointerType === "touch") return;
    now().hover?.(cell);
    if (cell && last && event.buttons === 1 && String(cell) !== String(last)) {
      last = cell;
      now().stroke?.(cell, false);
    }
  });
  board.addEventListener("pointerleave", () => now().hover?.(null));
  document.addEventListener("pointerup", () => { last = null; });
  board.addEventListener("dragstart", (event) => event.preventDefault());
  board.addEventListener("click", (event) => {
    const cell = BoardView.cellOf(event.target);
    const byMouse = event.pointerType !== "touch" && event.detail > 0;
    if (!cell || (byMouse && now().stroke)) return;
    view.moveTo(cell);
    now().tap?.(cell);
  });
  board.addEventListener("contextmenu", (event) => {
    const cell = BoardView.cellOf(event.target);
    if (!cell) return;
    event.preventDefault();
    if (event.pointerType === "touch") return;  // the long press says it
    view.moveTo(cell);
    now().second?.(cell);
  });
}

function touch(board, view, now) {
  let timer = 0, held = false, apart = 0;
  const distance = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  const stop = () => clearTimeout(timer);
  board.addEventListener("touchstart", (event) => {
    stop();
    held = false;
    if (event.touches.length === 2) apart = distance(event.touches);
    const cell = BoardView.cellOf(event.target);
    if (!cell || event.touches.length > 1) return;
    timer = setTimeout(() => {
      held = true;
      view.moveTo(cell, false);
      now().hold?.(cell);
    }, LONG);
  }, { passive: true });
  board.addEventListener("touchmove", (event) => {
    stop();
    if (event.touches.length !== 2 || !apart) return;
    event.preventDefault();
    const next = distance(event.touches);
    view.zoom(next / apart);
    apart = next;
  }, { passive: false });
  board.addEventListener("touchend", (event) => {
    stop();
    apart = 0;
    if (held) event.preventDefault();  // no click after a long press
  }, { passive: false });
  board.addEventListener("touchcancel", stop);
}

function wheel(board, view, now) {
  board.addEventListener("wheel", (event) => {
    const cell = BoardView.cellOf(event.target);
    if (event.ctrlKey) view.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    else if (cell && now().turn && String(cell) === String(view.cursor) && document.activeElement === view.element(cell)) {
      now().turn(cell, event.deltaY < 0 ? 1 : -1);
    } else return;
    event.preventDefault();
  }, { passive: false });
}
