// Small things about the page that several modules need.

const SLOW = 400;  // milliseconds

export const byId = (id) => document.getElementById(id);

export function say(text) {
  byId("problem").hidden = true;
  byId("status").textContent = text;
}

// Say it if what is asked for takes long; gives a function that ends this, and says something else if it is told to.
export function sayIfSlow(text) {
  const timer = setTimeout(() => say(text), SLOW);
  return (instead) => {
    clearTimeout(timer);
    if (instead !== undefined) say(instead);
  };
}

// Scroll the page to what is said above the board, which on a phone may be far above what was tapped.
export function show() { byId("say").scrollIntoView({ block: "nearest" }); }

// What is said already stays as it is: a screen reader would say it again.
export function complain(text) {
  const problem = byId("problem");
  byId("status").textContent = "";
  if (problem.textContent !== text) problem.textContent = text;
  problem.hidden = false;
}

// Why something could not be taken or given: nothing that is found of the position takes its place, only the next
// change or the next try, with "".
export function refuse(text) {
  byId("refused").textContent = text;
  byId("refused").hidden = !text;
}

// What the browser keeps for a visit, of this tab alone; null if it is told to keep nothing.
export function visit() {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}

// Keep a text for this visit.  If it does not fit, none is kept: an older one would be taken for it.
export function keep(name, text) {
  try {
    visit()?.setItem(name, text);
  } catch {
    visit().removeItem(name);
  }
}

// For screen readers only.
export function announce(text) {
  byId("announce").textContent = text;
}

// A whole number in an input; null if it is empty.  Only valid inputs count.
export function whole(id) {
  return byId(id).value === "" ? null : byId(id).valueAsNumber;
}

// A select of board sizes such as "16,30,99" that fills the inputs for rows, columns and mines, and shows their preset.
export function preset(id, inputs, then) {
  const select = byId(id);
  const show = () => {
    const now = inputs.map((input) => byId(input).value).join(",");
    select.value = [...select.options].some((option) => option.value === now) ? now : "";
  };
  select.addEventListener("change", () => {
    if (!select.value) return;
    select.value.split(",").forEach((value, i) => { byId(inputs[i]).value = value; });
    then();
  });
  return show;
}

export function element(name, text = "", values = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...values });
}

// Give the reader a file.
export function download(name, bytes) {
  const link = element("a", "", { href: URL.createObjectURL(new Blob([bytes])), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
