import assert from "node:assert/strict";
import test from "node:test";

import { judge } from "../../../mines_dd/serve/page/coach.js";
import { Game } from "../../../mines_dd/serve/page/game.js";
import { Statistics } from "../../../mines_dd/serve/page/statistics.js";

function game() {
  const one = new Game(3, 4, 2);
  one.deal([[0, 0], [2, 0]]);
  return one;
}

test("nothing opens before the mines are placed", () => {
  const one = new Game(2, 2, 1);
  assert.equal(one.open([0, 0]), false);
  assert.equal(one.dealt, false);
});

test("an empty cell opens its area, and the last safe cell wins", () => {
  const one = game();
  one.open([0, 3]);
  assert.deepEqual(one.position.grid, ["#100", "#200", "#100"]);
  assert.equal(one.state, "on");
  one.open([1, 0]);
  assert.deepEqual([one.state, one.position.grid], ["won", ["F100", "2200", "F100"]]);
});

test("a game is written down: who clicks where, with which button and when", () => {
  let now = 5000;
  const one = new Game(3, 4, 2, () => now);
  one.flag([2, 1]);
  now += 500;
  one.flag([1, 1]);
  one.deal([[0, 0], [2, 0]]);
  now += 500;
  one.click([0, 3], [[0, 3]]);  // from here the clock runs
  now += 1234.4;
  one.flag([2, 1]);
  one.click([0, 1], one.chord([0, 1]));
  assert.deepEqual(one.clicks, [2, 1, "r", 0, 1, 1, "r", 0, 0, 3, "l", 0, 2, 1, "r", 1.234, 0, 1, "l", 1.234]);
  assert.deepEqual(one.layout, [[0, 0], [2, 0]]);
});

test("a game that was kept goes on as if it had not been", () => {
  let now = 5000;
  const one = new Game(3, 4, 2, () => now), again = () => Game.of(JSON.parse(JSON.stringify(one.kept)), () => now);
  one.flag([1, 1]);
  assert.deepEqual([again().dealt, again().position], [false, one.position]);
  one.deal([[0, 0], [2, 0]]);
  one.click([0, 3], [[0, 3]]);
  const other = again();
  now += 1500;
  for (const game of [one, other]) game.click([2, 0], [[2, 0]]);
  assert.deepEqual(other.kept, one.kept);
  assert.deepEqual([one.judged.grid, one.position.grid], [["#100", "#F00", "#100"], ["*100", "#F00", "*100"]]);
  assert.deepEqual([other.state, other.burst, other.wrongFlags], ["lost", [[2, 0]], [[1, 1]]]);
  assert.deepEqual(other.clicks.slice(-4), [2, 0, "l", 1.5]);
  assert.deepEqual(again().kept, one.kept);
});

test("a game is played up to a position of it, without clicks that nobody made", () => {
  const one = game();
  one.advance(["#100", "#F00", "#100"]);
  assert.deepEqual([one.position.grid, one.state, one.clicks], [["#100", "#F00", "#100"], "on", null]);
  one.flag([0, 0]);
  assert.equal(one.clicks, null);
  const fresh = game();
  fresh.advance(["####", "#F##", "####"]);
  assert.deepEqual([fresh.state, fresh.clicks], ["new", [1, 1, "r", 0]]);
});

test("a replay is followed, and goes on with its clicks and its time", () => {
  let now = 9000;
  const one = new Game(1, 6, 2, () => now);
  one.deal([[0, 2], [0, 4]]);
  one.follow(["#####F"], [
    { cell: [0, 0], time: 0.5, changes: [[[0, 0], "0"], [[0, 1], "1"], [[0, 2], "F"]] },
    { cell: [0, 1], chord: [], time: 2, changes: [[[0, 5], "#"]] },
  ]);
  assert.deepEqual([one.position.grid, one.state], [["01F###"], "on"]);
  now += 1000;
  one.click([0, 3], [[0, 3]]);
  assert.deepEqual(one.clicks, [
    0, 5, "r", 0, 0, 0, "l", 0.5, 0, 2, "r", 0.5, 0, 1, "l", 2, 0, 5, "r", 2, 0, 3, "l", 3,
  ]);
});

test("an area stops at a flag, and a flagged cell does not open", () => {
  const one = game();
  one.flag([1, 1]);
  one.open([0, 3]);
  assert.deepEqual(one.position.grid, ["#100", "#F00", "#100"]);
  assert.equal(one.open([1, 1]), false);
  assert.equal(one.left, 1);
});

test("a mine loses: it is marked, so are the others and the wrong flags", () => {
  const one = game();
  one.flag([0, 1]);
  one.open([2, 0]);
  assert.deepEqual([one.state, one.burst, one.wrongFlags], ["lost", [[2, 0]], [[0, 1]]]);
  assert.deepEqual(one.position.grid, ["*F##", "####", "*###"]);
  assert.equal(one.flag([1, 1]), false);
});

test("a number opens what is around it once it has its flags", () => {
  const one = game();
  one.open([0, 3]);
  assert.deepEqual(one.chord([0, 1]), []);
  one.flag([0, 0]);
  assert.deepEqual(one.chord([0, 1]), [[1, 0]]);
});

test("a chord with a wrong flag opens all but the mine, and loses even if nothing else is left", () => {
  const one = game();
  one.open([0, 3]);
  one.flag([1, 0]);
  one.click([0, 1], one.chord([0, 1]));
  assert.deepEqual([one.state, one.burst, one.wrongFlags], ["lost", [[0, 0]], [[1, 0]]]);
  const two = game();
  two.open([0, 3]);
  two.flag([0, 0]);
  two.flag([1, 0]);
  two.click([1, 1], two.chord([1, 1]));
  assert.deepEqual([two.state, two.position.grid], ["lost", ["F100", "F200", "*100"]]);
});

test("a chord is judged as a whole, and a guess as risky as the best is not called worse", () => {
  const found = {
    probability: [[0.5, 0.5, 0.5, 0.1]], safe: [], mines: [], move: [0, 3], reason: "weighed",
    ranking: [{ cell: [0, 3], risk: 0.1, score: 0.8 }],
  };
  const chord = (risk, more = {}) => judge({ ...found, ...more, chord_risk: risk }, [0, 0], [[0, 1], [0, 2]]);
  assert.deepEqual(chord(0), { mark: "good", guess: false, text: "The chord at row 0, column 0 was certainly safe." });
  assert.deepEqual([chord(1).mark, chord(1).text], ["blunder", "The chord at row 0, column 0 certainly opened a mine."]);
  assert.equal(chord(0.1).mark, "good");
  assert.match(chord(0.9).text, /^The chord at row 0, column 0 was a guess, a mine with 90.0%; row 0, column 3 was better/);
  assert.equal(chord(0.9, { safe: [[0, 3]] }).mark, "mistake");
  const even = { ...found, probability: [[0.1, 0.5, 0.5, 0.1]] };
  assert.deepEqual(judge(even, [0, 0]), {
    mark: "good", guess: true, text: "Row 0, column 0 was as safe as the best guess: a mine with 10.0%.",
  });
});

test("the coach tells what is certain, needless, best and inferior", () => {
  const found = {
    probability: [[0.5, 0.2, 0, 1]], safe: [], mines: [[0, 3]], move: [0, 1], reason: "weighed",
    ranking: [{ cell: [0, 1], score: 0.8 }, { cell: [0, 0], score: 0.5 }],
  };
  assert.equal(judge(found, [0, 1]).mark, "good");
  assert.equal(judge(found, [0, 0]).mark, "inferior");
  assert.equal(judge(found, [0, 3]).mark, "blunder");
  const easy = { ...found, safe: [[0, 2]] };
  assert.deepEqual([judge(easy, [0, 2]).mark, judge(easy, [0, 1]).mark], ["good", "mistake"]);
});

test("the statistics count games, and times without help", () => {
  const games = new Statistics();
  assert.equal(games.text(), "No game finished yet.");
  const kind = "9x9 with 10 mines";
  games.add({ won: true, seconds: 40, helped: false, kind });
  games.add({ won: true, seconds: 3, helped: true, kind });
  games.add({ won: false, seconds: 9, helped: false, kind });
  assert.equal(
    games.text(kind), "3 games, 2 won (66.7%); 1 with help; at 9x9 with 10 mines: best time without help 40 s.",
  );
  games.add({ won: true, seconds: 0, helped: false, kind: "1x1 with 0 mines" });
  assert.equal(
    games.text(kind),
    "4 games, 3 won (75.0%); 1 with help; at 9x9 with 10 mines: 3 games, 2 won (66.7%), best time without help 40 s.",
  );
  assert.equal(games.text("16x16 with 40 mines"), "4 games, 3 won (75.0%); 1 with help.");
});

test("the statistics are kept for a visit, and not longer than they fit", () => {
  const values = {};
  const sessionStorage = {
    getItem: (name) => values[name] ?? null,
    setItem: (name, value) => { values[name] = value; },
    removeItem: (name) => { delete values[name]; },
  };
  globalThis.window = { sessionStorage };
  const lost = { won: false, seconds: 9, helped: false };
  const games = new Statistics();
  games.add(lost);
  assert.equal(new Statistics().text(), "1 game, 0 won (0%).");
  sessionStorage.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
  games.add(lost);
  assert.equal(games.text(), "2 games, 0 won (0%).");
  assert.equal(new Statistics().text(), "No game finished yet.");
  delete globalThis.window;
});
