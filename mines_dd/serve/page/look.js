// How a cell looks and what a screen reader says of it: plain values, so that only cells that change are drawn again.

import { FLAG, MINE, isClosed } from "./position.js";
import { percent, place, shortPercent } from "./words.js";

const key = ([r, c]) => `${r},${c}`;
const keys = (cells) => new Set((cells ?? []).map(key));

// Sets of cells with a mark, from what is known of a position.
export function marksOf({ found = null, conflict = [], proof = null, wrong = [], burst = null }) {
  return {
    safe: keys(found?.safe),
    mine: keys(found?.mines),
    best: keys(found?.move && [found.move]),
    even: keys(found?.fifty_fifties),
    dead: keys(found?.dead),
    conflict: keys(conflict),
    proof: keys(proof?.hints),
    asked: keys(proof && [proof.cell]),
    wrong: keys(wrong),
    burst: keys(burst && [burst]),
  };
}

const OPEN = ["conflict", "proof", "asked", "wrong", "burst"];  // marks that a cell may have that is not closed

// Whether white digits are easier to read on the shade of a risk; set from the palette by the page.
export function look(cell, character, share, marks, whiteFrom = 0.5) {
  const name = key(cell), closed = isClosed(character);
  const marked = (closed ? Object.keys(marks) : OPEN).filter((mark) => marks[mark].has(name));
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
];

function spoken(character, share, marked) {
  const words = [{ "#": "closed", F: "flagged", "*": "a known mine", 0: "open, no mine around" }[character] ?? character];
  if (marked.includes("safe")) words.push("safe");
  else if (marked.includes("mine")) words.push("certainly a mine");
  else if (share !== null) words.push(`chance of a mine ${percent(share)}`);
  for (const [mark, said] of SPOKEN) if (marked.includes(mark)) words.push(said);
  return words.join(", ");
}
