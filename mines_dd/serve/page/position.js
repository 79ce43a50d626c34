// A position: what the player sees, as rows of characters, and the number of mines.  It never changes; changes make
// a new one.  A cell is "#" closed, "F" closed and flagged, "0" to "8" open, "*" a known mine.  One of a replay has a
// `move`, too, the one that led there; what is made of it has none.  If it is `laid`, its mines lie already: nothing is
// promised of its first cell.

export const CLOSED = "#", FLAG = "F", MINE = "*";
export const SIDE = 100;  // the most rows, and the most columns

export const isClosed = (character) => character === CLOSED || character === FLAG;
export const isNumber = (character) => character >= "0" && character <= "8";

export function blank(rows, cols, mines = null) {
  return { grid: Array(rows).fill(CLOSED.repeat(cols)), mines };
}

export function size({ grid }) {
  return [grid.length, grid[0].length];
}

export function at({ grid }, [r, c]) {
  return grid[r]?.[c];
}

// The cells around one, those outside of the board left out.
export function around(position, [r, c]) {
  const [rows, cols] = size(position), cells = [];
  for (let i = Math.max(0, r - 1); i <= Math.min(rows - 1, r + 1); i++) {
    for (let j = Math.max(0, c - 1); j <= Math.min(cols - 1, c + 1); j++) if (i !== r || j !== c) cells.push([i, j]);
  }
  return cells;
}

// The cells of a straight line from one to another, without the first.
export function line([r, c], [toR, toC]) {
  const steps = Math.max(Math.abs(toR - r), Math.abs(toC - c)), far = (i) => (i + 1) / steps;
  return Array.from({ length: steps }, (_, i) => [Math.round(r + far(i) * (toR - r)), Math.round(c + far(i) * (toC - c))]);
}

// The most mines with which some first cell is safe, or has no mine around it either.
export function mostMines(rows, cols, rule) {
  return rows * cols - (rule === "zero" ? Math.min(rows, 2) * Math.min(cols, 2) : 1);
}

// The position with some cells changed: pairs of a cell and its new character.  The same object if nothing changes.
export function put(position, changes) {
  const grid = [...position.grid], rows = new Map();
  for (const [[r, c], character] of changes) {
    if (!rows.has(r)) rows.set(r, [...grid[r]]);
    rows.get(r)[c] = character;
  }
  for (const [r, row] of rows) grid[r] = row.join("");
  return grid.every((row, r) => row === position.grid[r]) ? position : { ...still(position), grid };
}

const still = ({ move: _, ...position }) => position;

// The positions of a game, from the first one on and by what each move changed.
export function followed(first, moves) {
  const of = moves.length, positions = [{ ...first, move: { number: 0, of } }];
  moves.forEach(({ cell, changes, chord = null }, i) => {
    const burst = changes.filter(([, character]) => character === MINE).map(([one]) => one);
    const move = { number: i + 1, of, cell, chord: chord !== null, burst };
    positions.push({ ...put(positions[i], changes), move });
  });
  return positions;
}

// Another size: rows and columns are added or cut off below and on the right, all other cells stay.
export function resized(position, rows, cols) {
  const grid = Array.from({ length: rows }, (_, r) => (position.grid[r] ?? "").slice(0, cols).padEnd(cols, CLOSED));
  return { grid, mines: position.mines };
}

// What a click makes of a cell: a closed one opens with as many mines as are marked around it, a number grows until
// the cell closes again.
export function clicked(position, cell) {
  const character = at(position, cell), near = around(position, cell);
  if (character === FLAG || character === MINE) return CLOSED;
  if (character === CLOSED) return String(near.filter((one) => [FLAG, MINE].includes(at(position, one))).length);
  return Number(character) < near.length ? String(Number(character) + 1) : CLOSED;
}

// What the second button makes of it: a flag, no flag, or a closed cell.
export function flagged(character) {
  return character === CLOSED ? FLAG : CLOSED;
}

// What a turn of the wheel makes of it: closed, then 0 to the number of cells around it.
export function turned(position, cell, step) {
  const character = at(position, cell), most = around(position, cell).length;
  const now = isNumber(character) ? Number(character) : -1;
  const next = Math.max(-1, Math.min(most, now + step));
  return next < 0 ? (isNumber(character) ? CLOSED : character) : String(next);
}

// Positions as JSON takes them, for short: a row that is as in the position before is 0.
export function packed(positions) {
  const rows = ({ grid }, i) => grid.map((row, r) => (row === positions[i - 1]?.grid[r] ? 0 : row));
  return positions.map((one, i) => ({ ...one, grid: rows(one, i) }));
}

export function unpacked(kept) {
  const positions = [];
  for (const one of kept) positions.push({ ...one, grid: one.grid.map((row, r) => row || positions.at(-1).grid[r]) });
  return positions;
}

export function toText({ grid, mines }) {
  return (mines === null ? "" : `mines: ${mines}\n`) + grid.join("\n") + "\n";
}

// Without lines, of which an error would speak.
export function toJson({ grid, mines }) {
  return JSON.stringify({ board: grid, mines });
}

export function fromText(text) {
  const lines = text.trim().split("\n");
  const mines = lines[0].startsWith("mines:") ? Number(lines.shift().slice(6)) : null;
  return { grid: lines, mines };
}

// One line for a link: rows with / between, - a closed cell, M a known mine; then the number of mines.
export function toFragment({ grid, mines }) {
  const rows = grid.join("/").replaceAll(CLOSED, "-").replaceAll(MINE, "M");
  return `#board=${rows}` + (mines === null ? "" : `&mines=${mines}`);
}

// The position of a link, or null.  On their way, / may become %2F and & become &amp;, and trackers add something.
export function fromFragment(fragment) {
  const link = new URLSearchParams(fragment.slice(1).replaceAll("&amp;", "&"));
  const board = link.get("board") ?? "", mines = link.get("mines");
  const grid = board.replaceAll("-", CLOSED).replaceAll("M", MINE).split("/");
  const [rows, cols] = [grid.length, grid[0].length];
  if (!/^[-0-8FM/]+$/.test(board) || (mines !== null && !/^\d{1,5}$/.test(mines))) return null;
  if (cols === 0 || rows > SIDE || cols > SIDE || grid.some((row) => row.length !== cols)) return null;
  return { grid, mines: mines === null ? null : Number(mines) };
}
