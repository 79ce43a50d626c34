import assert from "node:assert/strict";
import test from "node:test";

import {
  around, blank, clicked, flagged, followed, fromFragment, fromText, line, mostMines, packed, put, resized, toFragment,
  toText, turned, unpacked,
} from "../../../mines_dd/serve/page/position.js";

const of = (text) => fromText(text);

test("a position goes through its text and its link unchanged", () => {
  for (const text of ["#1F\n*08\n", "mines: 3\n##\n#2\n"]) {
    assert.equal(toText(of(text)), text);
    assert.deepEqual(fromFragment(toFragment(of(text))), of(text));
  }
});

test("a link is read as a mail program writes it, with what a tracker adds", () => {
  for (const link of ["#board=1F%2F-M&mines=2", "#board=1F/-M&mines=2&utm_source=mail", "#utm_source=a&mines=2&board=1F/-M",
                      "#board=1F/-M&amp;mines=2"]) {
    assert.deepEqual(fromFragment(link), of("mines: 2\n1F\n#*\n"));
  }
});

test("a link that is no board gives none", () => {
  for (const link of ["", "#", "#board=", "#board=<script>", "#board=1/11", "#board=-&mines=x", "#board=-&mines=", "#board=-%zz", `#board=${"-".repeat(101)}`]) {
    assert.equal(fromFragment(link), null);
  }
});

test("a line has all cells on its way but the first", () => {
  assert.deepEqual(line([1, 1], [1, 4]), [[1, 2], [1, 3], [1, 4]]);
  assert.deepEqual(line([4, 2], [1, 0]), [[3, 1], [2, 1], [1, 0]]);
  assert.deepEqual(line([2, 2], [2, 2]), []);
});

test("so many mines leave a first cell", () => {
  assert.deepEqual(["zero", "safe"].map((rule) => mostMines(9, 9, rule)), [77, 80]);
  assert.deepEqual(["zero", "safe"].map((rule) => mostMines(1, 5, rule)), [3, 4]);
});

test("another size keeps the cells that are in both", () => {
  const position = of("mines: 2\n12\n#F");
  assert.deepEqual(resized(position, 3, 3).grid, ["12#", "#F#", "###"]);
  assert.deepEqual(resized(position, 1, 1), { grid: ["1"], mines: 2 });
});

test("a change that changes nothing is the same position", () => {
  const position = blank(2, 2, 1);
  assert.equal(put(position, [[[0, 0], "#"]]), position);
  assert.deepEqual(put(position, [[[0, 0], "1"], [[0, 1], "2"], [[1, 1], "F"]]).grid, ["12", "#F"]);
  assert.deepEqual(position.grid, ["##", "##"]);
});

test("a click opens with the mines marked around, then counts up to the neighbours, then closes", () => {
  assert.equal(clicked(of("#F\n*#"), [0, 0]), "2");
  assert.equal(clicked(of("2F\n*#"), [0, 0]), "3");
  assert.equal(clicked(of("3F\n*#"), [0, 0]), "#");
  assert.equal(clicked(of("#F"), [0, 1]), "#");
});

test("the second button flags, takes the flag away, and closes", () => {
  assert.deepEqual(["#", "F", "3", "*"].map(flagged), ["F", "#", "#", "#"]);
});

test("the wheel goes from closed to the number of neighbours and back", () => {
  const values = ["#"];
  for (let i = 0; i < 5; i++) values.push(turned(of(`${values.at(-1)}#\n##`), [0, 0], 1));
  assert.deepEqual(values, ["#", "0", "1", "2", "3", "3"]);
  assert.equal(turned(of("0#"), [0, 0], -1), "#");
  assert.equal(turned(of("F#"), [0, 0], -1), "F");
});

test("a corner has three neighbours", () => {
  assert.deepEqual(around(blank(3, 3), [0, 0]), [[0, 1], [1, 0], [1, 1]]);
});

test("a game is followed move by move, and what is made of its positions has no move", () => {
  const moves = [{ cell: [0, 0], changes: [[[0, 0], "1"], [[0, 2], "F"]] }, { cell: [0, 1], chord: [[0, 1]], changes: [[[0, 1], "1"]] }];
  const game = followed(of("mines: 1\n###"), moves);
  assert.deepEqual(game.map(({ grid }) => grid[0]), ["###", "1#F", "11F"]);
  assert.deepEqual(game.map(({ move }) => move), [
    { number: 0, of: 2 }, { number: 1, of: 2, cell: [0, 0], chord: false, burst: [] },
    { number: 2, of: 2, cell: [0, 1], chord: true, burst: [] },
  ]);
  assert.deepEqual(put(game[1], [[[0, 2], "#"]]), { grid: ["1##"], mines: 1 });
  assert.deepEqual(resized(game[1], 1, 2), { grid: ["1#"], mines: 1 });
});

test("positions are kept without the rows that stay, and come back", () => {
  const positions = ["mines: 1\n##\n##", "mines: 1\n##\n#1", "##", "1F\n##\n##"].map(of);
  assert.deepEqual(packed(positions)[1], { grid: [0, "#1"], mines: 1 });
  assert.deepEqual(unpacked(JSON.parse(JSON.stringify(packed(positions)))), positions);
});
