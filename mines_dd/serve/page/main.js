// The page: the board, and whoever has it now.

import { Analyser } from "./analyse.js";
import { BoardView } from "./board_view.js";
import { exchange } from "./boards_in_and_out.js";
import { EXAMPLES } from "./examples.js";
import { listen } from "./gestures.js";
import { teach } from "./lessons.js";
import { byId, element, keep, refuse, say, visit } from "./page.js";
import { Player } from "./play.js";
import { MINE, followed, fromFragment, isClosed } from "./position.js";

const view = new BoardView(byId("board"), byId("scroller"));
const analyser = new Analyser(view);
const player = new Player(view, (position) => {
  change("analyse");
  analyser.load(position);
});
let now = analyser;

function change(mode) {
  if (document.body.className === mode) return;
  document.body.className = mode;
  document.querySelector(`#modes input[value=${mode}]`).checked = true;
  now.leave();
  now = mode === "play" ? player : analyser;
  say("");
  refuse("");
  byId("lesson").hidden = true;
  now.begin();
  remember(mode);
}

// A board, or a game, from a file.
function received(file) {
  const { board, total, layout, first, moves } = file, cells = [...board.join("")];
  const fresh = cells.every(isClosed), over = cells.includes(MINE) || cells.filter(isClosed).length === layout?.length;
  const play = (text, made = moves?.length) => {
    change("play");
    const more = player.take({ ...file, moves: moves?.slice(0, made) });
    say(more ? `${text} The cells around each 0 are opened.` : text);
  };
  const begin = () => play("The file says where the mines are: this is a new game on them.");
  if (layout && fresh && !over && (now === player || player.idle)) {
    begin();
    return;
  }
  change("analyse");
  const values = { mines: total, laid: Boolean(layout) };
  analyser.load(...(moves?.length ? followed({ grid: first, ...values }, moves) : [{ grid: board, ...values }]));
  byId("play-on").hidden = !layout || over;
  byId("play-on").onclick = fresh && !moves?.length ? begin : () => {
    const { number } = analyser.position.move ?? {};
    const whole = number === undefined || number === moves.length, where = number ? `its move ${number}` : "its beginning";
    play(`The game goes on from ${whole ? "where the file leaves it" : where}.`, number);
  };
}

// So that a page that is loaded again, or come back to, goes on with it.
function remember(mode) { keep("mode", mode); }

function start() {
  listen(view, () => now);
  for (const { name } of EXAMPLES) byId("example").add(new Option(name, name));
  byId("example").addEventListener("change", () => {
    const chosen = EXAMPLES.find(({ name }) => name === byId("example").value);
    if (chosen) analyser.load(chosen.position);
    byId("example").value = "";
  });
  byId("modes").addEventListener("change", (event) => change(event.target.value));
  byId("smaller").addEventListener("click", () => view.zoom(1 / 1.25));
  byId("larger").addEventListener("click", () => view.zoom(1.25));
  byId("whole").addEventListener("click", () => view.showWhole());
  window.addEventListener("resize", () => view.fit());
  exchange(analyser, received);
  const wide = matchMedia("(min-width: 861px)");
  const fold = () => { byId("settings").open = wide.matches; };
  wide.addEventListener("change", fold);
  fold();

  const lesson = teach(analyser, () => change("analyse"));
  const open = (then) => {
    const hash = location.hash, shared = fromFragment(hash);  // before a position changes it
    then(shared);
    if (hash && !shared && !lesson(hash)) refuse("The link holds no position that could be read.");
  };
  const again = ["reload", "back_forward"].includes(performance.getEntriesByType("navigation")[0]?.type);
  open((shared) => analyser.begin(shared, again));
  const before = again ? visit()?.getItem("mode") : null;
  remember("analyse");
  if (before === "play") change("play");
  window.addEventListener("hashchange", () => open((shared) => {  // a link in the address bar
    if (!shared) return;
    change("analyse");
    analyser.load(shared);
  }));
}

start();
