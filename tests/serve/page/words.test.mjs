import assert from "node:assert/strict";
import test from "node:test";

import { dealt, hit, likelihoods, likeliest, number, percent, proof, shortPercent, step } from "../../../mines_dd/serve/page/words.js";

test("only what is certain is 0% or 100%", () => {
  const shares = [0, 1e-9, 0.234, 1 - 1e-9, 1, null];
  assert.deepEqual(shares.map(percent), ["0%", "<0.1%", "23.4%", ">99.9%", "100%", "–"]);
  assert.deepEqual([1e-9, 0.234, 0.999].map(shortPercent), ["<1", "23", ">99"]);
});

test("halves are rounded up, as in the server's sentences", () => {
  assert.equal(percent(9 / 80), "11.3%");
  assert.equal(shortPercent(0.125), "13");
});

test("a game is named by its seed, and graded if it needs no guess", () => {
  assert.equal(dealt(7, [4, 5], null), "Seed 7 gives this game again if row 4, column 5 is opened first.");
  assert.equal(dealt(7, [0, 1], "easy"), "Seed 7 gives this game again if row 0, column 1 is opened first; it needs no guess and is easy.");
});

test("long counts are rounded, short ones grouped", () => {
  assert.equal(number("1234567"), "1,234,567");
  assert.equal(number("12345678901234567890"), "1.235 × 10^19");
  assert.equal(number("9".repeat(400)), "1.000 × 10^400");
  assert.equal(number("5.77995190e+43"), "5.780 × 10^43");
  assert.equal(number("1.77827941e+42"), "1.778 × 10^42");
});

test("the likeliest numbers of mines are named, and it is said if there is none", () => {
  const totals = [[1, 1], [2, 1], [3, 0.5]];
  assert.equal(likeliest({ likeliest: [2], totals }), "2 mines is the likeliest number.");
  assert.equal(likeliest({ likeliest: [2], totals: [[2, 1]], possible: 1 }), "Only 2 mines are possible.");
  assert.equal(likeliest({ likeliest: [1], totals: [[1, 1]], possible: 1 }), "Only 1 mine is possible.");
  assert.equal(likeliest({ likeliest: [1, 2], totals }), "Equally likely, and more than others, are 1, 2 mines.");
  assert.equal(likeliest({ likeliest: [1, 2, 3], totals }), "All these numbers of mines are equally likely.");
  assert.match(likelihoods({ totals, possible: 3 }), /the greatest likelihood:$/);
  assert.match(likelihoods({ totals, possible: 4 }), /; another number has less than a thousandth of it:$/);
  assert.match(likelihoods({ totals, possible: 9 }), /; 6 other numbers have less than a thousandth of it:$/);
});

test("a proof names its numbers, and the total", () => {
  const grid = ["#1"], answer = { cell: [0, 0], verdict: "mine", hints: [[0, 1]], needs_total: true };
  assert.equal(
    proof(answer, grid),
    "Row 0, column 0 is a mine. That follows from the outlined number (1 at row 0, column 1) and the total number " +
      "of mines. None of them can be left out.",
  );
});

test("a game says how far it has gone and where", () => {
  assert.equal(step({ number: 0, of: 2 }), "Before the first of 2 moves.");
  assert.equal(step({ number: 1, of: 2, cell: [3, 4], burst: [] }), "Move 1 of 2: row 3, column 4.");
  const chord = step({ number: 2, of: 2, cell: [3, 4], chord: true, burst: [] });
  assert.match(chord, /^Move 2 of 2: the cells around row 3, column 4\. Here the record ends/);
  assert.match(step({ number: 2, of: 2, cell: [3, 4], burst: [[3, 5]] }), /Here the game is lost/);
  assert.equal(hit([[0, 1]]), "row 0, column 1 was a mine");
  assert.equal(hit([[0, 1], [2, 3], [4, 5]]), "row 0, column 1; row 2, column 3 and row 4, column 5 were mines");
});
