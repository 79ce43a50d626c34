import assert from "node:assert/strict";
import test from "node:test";

import { History } from "../../../mines_dd/serve/page/history.js";

test("changes are undone and done again", () => {
  const history = new History("a");
  assert.equal(history.undo(), false);
  history.change("b");
  history.change("c");
  assert.equal(history.change("c"), false);
  assert.ok(history.undo() && history.now === "b" && history.undo() && history.now === "a");
  assert.ok(history.redo() && history.redo() && history.now === "c");
  assert.equal(history.canRedo, false);
});

test("a stroke is undone at once, and a new change forgets what was undone", () => {
  const history = new History(""), stroke = {};
  for (const value of ["1", "12", "123"]) history.change(value, stroke);
  history.undo();
  assert.equal(history.now, "");
  history.change("x");
  assert.equal(history.redo(), false);
});

test("a stroke takes nothing along that was there before it, or before an undo in its midst", () => {
  const history = new History("a"), [first, second] = [{}, {}];
  history.change("ab", first);
  history.change("ab", second);  // its first cell changes nothing
  history.change("abc", second);
  assert.ok(history.undo() && history.now === "ab");
  history.change("abd", second);
  for (const value of ["ab", "a"]) assert.ok(history.undo() && history.now === value);
});

test("no more is kept than asked for", () => {
  const history = new History(0, 2);
  for (const value of [1, 2, 3]) history.change(value);
  history.undo();
  history.undo();
  assert.equal(history.undo(), false);
  assert.equal(history.now, 1);
});

test("a whole game is kept besides the changes", () => {
  const history = new History("", 2);
  history.follow([..."game"]);
  for (const value of "12") history.change(value);
  for (const value of ["1", ..."emag", ""]) assert.ok(history.undo() && history.now === value);
});

test("what is kept can be undone and done again as before", () => {
  const history = new History("a");
  history.follow([..."bcd"]);
  history.undo();
  history.undo();
  const again = History.of(JSON.parse(JSON.stringify(history.kept)));
  assert.ok(again.now === "b" && again.redo() && again.redo() && again.now === "d" && !again.canRedo);
  for (const value of "cba") assert.ok(again.undo() && again.now === value);
  assert.equal(again.canUndo, false);
});
