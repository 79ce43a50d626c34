// What can be undone and done again: values before and after the present one.

export class History {
  #past = [];
  #future = [];
  #stroke = null;  // that the last change is part of
  #most;
  #room;

  constructor(now, most = 500) {
    this.now = now;
    this.#most = this.#room = most;
  }

  // Many values, one after the other: there is room for all of them, and as many changes as ever.
  follow(values) {
    this.#room = Math.max(this.#room, this.#most + values.length);
    for (const value of values) this.change(value);
  }

  // All values in their order, and which of them is the present one; and the history that goes on from there.
  get kept() {
    return { values: [...this.#past, this.now, ...[...this.#future].reverse()], present: this.#past.length };
  }

  static of({ values: [first, ...others], present }) {
    const history = new History(first);
    history.follow(others);
    while (history.#past.length > present) history.undo();
    return history;
  }

  // A new value.  Those of one `stroke` (any object), each with one more cell painted, are one change.
  change(next, stroke = null) {
    if (next === this.now) return false;
    if (!stroke || stroke !== this.#stroke) this.#past.push(this.now);
    this.#stroke = stroke;
    if (this.#past.length > this.#room) this.#past.shift();
    this.#future = [];
    this.now = next;
    return true;
  }

  get canUndo() { return this.#past.length > 0; }

  get canRedo() { return this.#future.length > 0; }

  undo() { return this.#move(this.#past, this.#future); }

  redo() { return this.#move(this.#future, this.#past); }

  #move(from, to) {
    if (!from.length) return false;
    this.#stroke = null;
    to.push(this.now);
    this.now = from.pop();
    return true;
  }
}
