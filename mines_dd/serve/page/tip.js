// The small window beside a cell: its risk and, after a moment, the numbers it may show.

import { byId } from "./page.js";
import { ask } from "./server.js";
import { isClosed, at, toJson } from "./position.js";
import { shows } from "./words.js";

const REST = 350;  // milliseconds on a cell until the server is asked

export class Tip {
  #timer = 0;
  #numbers = new Map();  // what was answered for this position
  #of = null;
  cell = null;  // what it tells about

  constructor(view) {
    this.view = view;
  }

  hide() {
    clearTimeout(this.#timer);
    this.cell = null;
    byId("tip").hidden = true;
  }

  // Tell about a cell of a position; only where it has been `found` the numbers are asked for.
  show(cell, position, found, signal) {
    this.hide();
    const element = cell && this.view.element(cell);
    if (!element) return;
    this.cell = cell;
    if (this.#of !== position) this.#numbers = new Map();
    this.#of = position;
    const label = element.getAttribute("aria-label"), key = String(cell), known = this.#numbers.get(key);
    this.#put(element, known ? `${label}. ${known}` : label);
    if (known || !found || !isClosed(at(position, cell))) return;
    this.#timer = setTimeout(async () => {
      const answer = await ask("numbers", { board: toJson(position), cell }, { signal, topic: "numbers" }).catch(() => null);
      if (!answer?.numbers || this.#of !== position) return;
      this.#numbers.set(key, answer.numbers.length ? `If safe it shows ${shows(answer.numbers)}.` : "");
      if (String(this.cell) === key) this.#put(element, `${label}. ${this.#numbers.get(key)}`);
    }, REST);
  }

  #put(element, text) {
    const tip = byId("tip"), cell = element.getBoundingClientRect();
    tip.textContent = text;
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.max(4, Math.min(innerWidth - width - 4, cell.left + cell.width / 2 - width / 2));
    const above = cell.top - height - 6;
    tip.style.left = `${left}px`;
    tip.style.top = `${above < 4 ? cell.bottom + 6 : above}px`;
  }
}
