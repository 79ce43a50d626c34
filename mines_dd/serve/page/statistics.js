// The games of this visit; a page that is loaded again still has them.

import { keep, visit } from "./page.js";
import { many, percent } from "./words.js";

export class Statistics {
  #games = JSON.parse(visit()?.getItem("games") ?? "[]");

  // A finished game: whether it was won, its seconds, whether something helped, and its kind, such as "9x9 with 10
  // mines".
  add(game) {
    this.#games.push(game);
    keep("games", JSON.stringify(this.#games));
  }

  // What is to be said of all games, of those of one kind if there are others, and the best time at that kind.
  text(kind) {
    const alike = this.#games.filter((game) => game.kind === kind);
    if (!this.#games.length) return "No game finished yet.";
    const helped = this.#games.filter((game) => game.helped).length;
    const times = alike.filter((game) => game.won && !game.helped).map((game) => game.seconds);
    const own = [];
    if (alike.length && alike.length < this.#games.length) own.push(score(alike));
    if (times.length) own.push(`best time without help ${Math.min(...times)} s`);
    const parts = [score(this.#games)];
    if (helped) parts.push(`${helped} with help`);
    if (own.length) parts.push(`at ${kind}: ${own.join(", ")}`);
    return `${parts.join("; ")}.`;
  }
}

function score(games) {
  const won = games.filter((game) => game.won).length;
  return `${many(games.length, "game")}, ${won} won (${percent(won / games.length)})`;
}
