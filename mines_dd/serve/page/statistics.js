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

  // A finished game: whether it was won, its seconds, and whether hints or autoplay helped.
  add(game) {
    this.#games.push(game);
    this.#kept?.setItem("games", JSON.stringify(this.#games));
  }

  text() {
    const won = this.#games.filter((game) => game.won);
    if (!this.#games.length) return "No game finished yet.";
    const parts = [`${many(this.#games.length, "game")}, ${won.length} won (${percent(won.length / this.#games.length)})`];
    const alone = won.filter((game) => !game.helped).map((game) => game.seconds);
    if (alone.length) parts.push(`best time without help ${Math.min(...alone)} s`);
    const helped = this.#games.filter((game) => game.helped).length;
    if (helped) parts.push(`${helped} with help`);
    return `${parts.join("; ")}.`;
  }
}
