// What the coach says of a move, from what was known of the position before it.

import { capital, percent, place } from "./words.js";

const has = (cells, [r, c]) => cells.some(([i, j]) => i === r && j === c);

// A mark, a sentence, and whether the move was a guess.
export function judge(found, cell) {
  const where = capital(place(cell)), risk = found.probability[cell[0]][cell[1]];
  const best = found.ranking[0], own = found.ranking.find((one) => String(one.cell) === String(cell));
  if (has(found.safe, cell)) return { mark: "good", guess: false, text: `${where} was certainly safe.` };
  if (has(found.mines, cell)) {
    return { mark: "blunder", guess: true, text: `${where} was certainly a mine.` };
  }
  const chance = risk === null ? "nothing was known of it" : `a mine with ${percent(risk)}`;
  if (found.safe.length) {
    const needless = `${where} was a needless guess: ${chance}, but ${place(found.safe[0])} was certainly safe.`;
    return { mark: "mistake", guess: true, text: needless };
  }
  const equal = own && own.score !== null && best.score !== null && own.score >= best.score - 1e-9;
  if (String(found.move) === String(cell) || equal) {
    return { mark: "good", guess: true, text: `${where} was the best guess: ${chance}.` };
  }
  const better = `${place(found.move)} was better: ${found.reason}`;
  return { mark: "inferior", guess: true, text: `${where} was a guess, ${chance}; ${better}.` };
}

const MARKS = ["good", "inferior", "mistake", "blunder"];
const badness = ({ mark, guess }) => 2 * MARKS.indexOf(mark) + guess;

// Of what is said of the cells of a chord, the worst; of good moves a guess.
export function worst(judged) {
  return judged.reduce((found, one) => (badness(one) > badness(found) ? one : found));
}
