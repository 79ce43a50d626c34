import assert from "node:assert/strict";
import test from "node:test";

import { cause, look, marksOf } from "../../../mines_dd/serve/page/look.js";

const found = { safe: [[0, 0]], mines: [[0, 1]], move: [0, 0], dead: [], fifty_fifties: [[0, 2]] };
const marks = marksOf({ found });

test("certain cells carry a sign, others their chance, numbers themselves", () => {
  assert.equal(look([0, 0], "#", 0, marks).classes, "cell closed safe best");
  assert.equal(look([0, 1], "F", 1, marks).classes, "cell closed mine flag");
  const even = look([0, 2], "#", 0.5, marks, 0.6);
  assert.deepEqual([even.classes, even.text, even.share], ["cell closed even shade", "50", 50]);
  assert.equal(look([0, 2], "#", 0.7, marks, 0.6).classes, "cell closed even shade dark");
  assert.deepEqual([look([1, 0], "3", null, marks).text, look([1, 0], "0", null, marks).text], ["3", ""]);
});

test("a screen reader hears all that is shown", () => {
  assert.equal(look([0, 0], "#", 0, marks).label, "row 0, column 0: closed, safe, best move");
  assert.equal(look([0, 2], "#", 0.5, marks).label, "row 0, column 2: closed, chance of a mine 50.0%, half of a 50/50");
  assert.equal(look([0, 0], "1", null, marksOf({ moved: [0, 0] })).label, "row 0, column 0: 1, the move");
});

test("a cell that was opened loses the marks of closed cells", () => {
  assert.equal(look([0, 0], "1", 0, marks).classes, "cell open digit-1");
});

test("a cell is only drawn again if something that can be seen of it has changed", () => {
  const why = (character, share) => cause([5, 5], character, share, marks);
  assert.equal(why("#", 0.2), why("#", 0.2002));
  assert.equal(new Set([why("#", 0.2), why("#", 0.201), why("F", 0.2), why("#", null), why("#", 1e-9)]).size, 5);
});
