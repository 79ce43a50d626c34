// What the coach says of a move, from what was known of the position before it.

import { capital, percent, place } from "./words.js";

const SAME = 1e-6;  // risks are sent with six digits
const has = (cells, [r, c]) => cells.some(([i, j]) => i === r && j === c);

// A mark, a sentence, and whether the move was a guess; of a chord, which opens several cells around the one.
export function judge(found, cell, chord = null) {
  const where = chord ? `The chord at ${place(cell)}` : capital(place(cell));
  const risk = chord ? found.chord_risk : found.probability[cell[0]][cell[1]];
  if (chord ? risk === 0 : has(found.safe, cell)) return { mark: "good", guess: false, text: `${where} was certainly safe.` };
  if (chord ? risk === 1 : has(found.mines, cell)) {
    return { mark: "blunder", guess: true, text: `${where} ${chord ? "certainly opened" : "was certainly"} a mine.` };
  }
  const chance = risk === null ? "nothing was known of it" : `a mine with ${percent(risk)}`;
  if (found.safe.length) {
    const needless = `${where} was a needless guess: ${chance}, but ${place(found.safe[0])} was certainly safe.`;
    return { mark: "mistake", guess: true, text: needless };
  }
  const [best] = found.ranking, own = found.ranking.find((one) => String(one.cell) === String(cell));
  const equal = !chord && own && own.score !== null && best.score !== null && own.score >= best.score - 1e-9;
  if (equal || (!chord && String(found.move) === String(cell))) {
    return { mark: "good", guess: true, text: `${where} was the best guess: ${chance}.` };
  }
  if ((chord || !own) && risk !== null && risk <= best.risk + SAME) {
    return { mark: "good", guess: true, text: `${where} was as safe as the best guess: ${chance}.` };
  }
  const better = `${place(found.move)} was better: ${found.reason}`;
  return { mark: "inferior", guess: true, text: `${where} was a guess, ${chance}; ${better}.` };
}
