// How a cell looks and what a screen reader says of it: plain values, so that only cells that change are drawn again.

import { FLAG, MINE, isClosed } from "./position.js";
import { percent, place, shortPercent } from "./words.js";

const key = ([r, c]) => `${r},${c}`;

// For each cell its marks, from what is known of a position.
export function marksOf({ found = null, conflict = [], proof = null, wrong = [], burst = [], moved = null }) {
  const marks = new Map();
  const mark = (name, cells) => {
    for (const cell of cells ?? []) marks.set(key(cell), [...(marks.get(key(cell)) ?? []), name]);
  };
  mark("safe", found?.safe);
  mark("mine", found?.mines);
  mark("best", found?.move && [found.move]);
  mark("even", found?.fifty_fifties);
  mark("dead", found?.dead);
  mark("conflict", conflict);
  mark("proof", proof?.hints);
  mark("asked", proof && [proof.cell]);
  mark("wrong", wrong);
  mark("burst", burst);
  mark("moved", moved && [moved]);
  return marks;
}

const OPEN = ["conflict", "proof", "asked", "wrong", "burst", "moved"];  // marks that a cell may have that is not closed

// All that the look of a cell depends on, as a text; cheaper than the look.
export function cause(cell, character, share, marks) {
  const risk = share === null ? "" : `${percent(share)} ${shortPercent(share)}`;
  return `${character} ${risk} ${marks.get(key(cell)) ?? ""}`;
}

// The look of a cell.  From the risk `whiteFrom` on, which the palette says, white digits are easier to read.
export function look(cell, character, share, marks, whiteFrom = 0.5) {
  const closed = isClosed(character);
  const marked = (marks.get(key(cell)) ?? []).filter((mark) => closed || OPEN.includes(mark));
  const certain = marked.includes("safe") || marked.includes("mine");
  const known = closed && !certain && share !== null && share !== undefined;
  const kind = closed ? "closed" : character === MINE ? "known" : `open digit-${character}`;
  const classes = ["cell", kind, ...marked];
  if (character === FLAG) classes.push("flag");
  if (known) classes.push(share < whiteFrom ? "shade" : "shade dark");
  let text = "";
  if (known) text = shortPercent(share);
  else if (!closed && character !== MINE && character !== "0") text = character;
  return {
    classes: classes.join(" "),
    text,
    share: known ? Math.round(1000 * share) / 10 : null,
    label: `${place(cell)}: ${spoken(character, known ? share : null, marked)}`,
  };
}

const SPOKEN = [
  ["even", "half of a 50/50"], ["dead", "tells nothing"], ["best", "best move"], ["conflict", "in conflict"],
  ["proof", "part of the proof"], ["wrong", "wrong flag"], ["burst", "the mine that was opened"],
  ["moved", "the move"],
];

function spoken(character, share, marked) {
  const words = [{ "#": "closed", F: "flagged", "*": "a known mine", 0: "open, no mine around" }[character] ?? character];
  if (marked.includes("safe")) words.push("safe");
  else if (marked.includes("mine")) words.push("certainly a mine");
  else if (share !== null) words.push(`chance of a mine ${percent(share)}`);
  for (const [mark, said] of SPOKEN) if (marked.includes(mark)) words.push(said);
  return words.join(", ");
}
