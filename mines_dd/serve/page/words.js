// Numbers and findings in words.

export const place = ([r, c]) => `row ${r}, column ${c}`;
export const many = (n, one, more = `${one}s`) => `${n} ${n === 1 ? one : more}`;
export const capital = (text) => text && text[0].toUpperCase() + text.slice(1);

// A count in groups of three digits, or rounded.
export function number(digits) {
  const rounded = digits.match(/^(\d\.\d+)e\+(\d+)$/);  // only its logarithm is known
  if (rounded) return scientific(rounded[1], Number(rounded[2]));
  if (digits.length > 15) return scientific(`${digits[0]}.${digits.slice(1, 17)}`, digits.length - 1);
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

function scientific(mantissa, exponent) {
  const [shown, carried] = Number(mantissa).toExponential(3).split("e");
  return `${shown} × 10^${exponent + Number(carried)}`;
}

// A share in percent; only 0 and 1 themselves are 0% and 100%.
export function percent(share) {
  if (share === null || share === undefined) return "–";
  if (share === 0 || share === 1) return `${100 * share}%`;
  if (share < 0.0005) return "<0.1%";
  if (share > 0.9995) return ">99.9%";
  return `${(100 * share).toFixed(1)}%`;
}

// The same as short as it fits in a cell, without the sign.
export function shortPercent(share) {
  const whole = Math.round(100 * share);
  return whole < 1 ? "<1" : whole > 99 ? ">99" : String(whole);
}

// Why a cell is safe or a mine, or what speaks for either.
export function proof(answer, grid) {
  const { cell, verdict, hints } = answer;
  if (verdict === "open question") {
    const guess = `${capital(place(cell))} holds a mine with probability ${percent(answer.probability)}.`;
    if (answer.with_mine === null) return guess;
    return `${guess} Ways with a mine there: ${number(answer.with_mine)}; without: ${number(answer.without)}.`;
  }
  const reasons = [];
  if (hints.length) {
    const named = hints.slice(0, 8).map(([r, c]) => `${grid[r][c]} at ${place([r, c])}`);
    if (hints.length > 8) named.push("…");
    const outlined = hints.length > 1 ? many(hints.length, "outlined number") : "outlined number";
    reasons.push(`the ${outlined} (${named.join("; ")})`);
  }
  if (answer.needs_total) reasons.push("the total number of mines");
  const only = hints.length + answer.needs_total > 1 ? " None of them can be left out." : "";
  const what = verdict === "safe" ? "safe" : "a mine";
  return `${capital(place(cell))} is ${what}. That follows from ${reasons.join(" and ")}.${only}`;
}

// The mines that a lost game has opened, as a clause.
export function hit(mines) {
  const places = mines.map(place), last = places.pop();
  return places.length ? `${places.join("; ")} and ${last} were mines` : `${last} was a mine`;
}

// Where one is in a game that goes from move to move.
export function step({ number: done, of, cell, chord, burst }) {
  if (!done) return `Before the first of ${many(of, "move")}.`;
  const what = burst.length ? "the game is lost" : "the record ends";
  const end = done === of ? ` Here ${what}: Undo and Redo go from move to move.` : "";
  return `Move ${done} of ${of}: ${chord ? "the cells around " : ""}${place(cell)}.${end}`;
}

// What the moves are ranked by: a heading, and what it means.
export function scoring(kind) {
  const [name, title] = {
    book: ["Opens", "Opens: the chance that the cell shows 0, if it is safe."],
    certain: ["Safe", "Safe: 1, for these cells are safe in every layout."],
    searched: ["Wins", "Wins: the share of the layouts that the best play wins if it opens the cell first."],
    weighed: ["Prospects", "Prospects: the chance to survive this cell and the openings after it."],
  }[kind] ?? ["Rank", "Rank: the chance that the cell is safe, raised a little by the chance that it opens an area."];
  const shown = name === "Wins" ? percent : (score) => score.toFixed(3);
  return { name, title, shown };
}

// Which numbers of mines explain a board best.
export function likeliest({ likeliest: best, totals, possible }) {
  if (possible === 1) return `Only ${many(best[0], "mine")} ${best[0] === 1 ? "is" : "are"} possible.`;
  if (best.length === 1) return `${capital(many(best[0], "mine"))} is the likeliest number.`;
  if (best.length === totals.length) return "All these numbers of mines are equally likely.";
  return `Equally likely, and more than others, are ${best.join(", ")} mines.`;
}

// What a list of their likelihoods shows, and how many it leaves out.
export function likelihoods({ totals, possible }) {
  const more = possible - totals.length, others = more === 1 ? "another number has" : `${more} other numbers have`;
  return "In a game whose opened cells these are, compared with the greatest likelihood" +
    `${more ? `; ${others} less than a thousandth of it` : ""}:`;
}

// How to have a game again, and how hard it is if it needs no guess.
export function dealt(seed, first, difficulty) {
  const again = `Seed ${seed} gives this game again if ${place(first)} is opened first`;
  return again + (difficulty ? `; it needs no guess and is ${difficulty}.` : ".");
}

// What a cell may show if it is opened.
export function shows(numbers) {
  return numbers.map(([digit, share]) => `${digit} with ${percent(share)}`).join(", ");
}

// The move to make, and why; or why there is none.
export const told = ({ move, reason }) => `${capital(move ? `${place(move)}: ${reason}` : reason)}.`;

// What is announced when a position has been worked out.
export function finding(found) {
  const parts = [many(found.safe.length, "safe cell"), many(found.mines.length, "certain mine")];
  if (found.move) parts.push(`best move ${place(found.move)}, ${found.reason}`);
  return `${capital(parts.join("; "))}.`;
}
