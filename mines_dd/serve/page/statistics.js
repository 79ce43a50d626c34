// The games of this visit; a page that is loaded again still has them.

import { many, percent } from "./words.js";

export class Statistics {
  #games;
  #kept;

  // What is kept is a Storage, such as the browser's for a visit.
  constructor(kept = null) {
    this.#kept = kept;
    this.#games = JSON.parse(kept?.getItem("games") ?? "[]");
  }

  // A finished game: whether it was won, its seconds, whether something helped, and its kind, such as "9x9 with 10
  // mines".
  add(game) {
    this.#games.push(game);
    this.#kept?.setItem("games", JSON.stringify(this.#games));
  }

  // What is to be said of all games, and the best time at one kind.
  text(kind) {
    const won = this.#games.filter((game) => game.won);
    if (!this.#games.length) return "No game finished yet.";
    const parts = [`${many(this.#games.length, "game")}, ${won.length} won (${percent(won.length / this.#games.length)})`];
    const alone = won.filter((game) => !game.helped && game.kind === kind).map((game) => game.seconds);
    if (alone.length) parts.push(`best time at ${kind} without help ${Math.min(...alone)} s`);
    const helped = this.#games.filter((game) => game.helped).length;
    if (helped) parts.push(`${helped} with help`);
    return `${parts.join("; ")}.`;
  }
}
