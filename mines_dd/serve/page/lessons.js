// Learn: positions with a few sentences beside them.  Gives a function that shows the lesson of a link such as
// "#learn=1", if there is one.

import { LESSONS } from "./examples.js";
import { byId, element, show } from "./page.js";

export function teach(analyser, toAnalyse) {
  let at = 0;
  const lesson = (i) => {
    at = i;
    const { name, position, ask, text } = LESSONS[i];
    toAnalyse();
    analyser.load(position);
    byId("lesson-title").textContent = `${i + 1}. ${name}`;
    byId("lesson-text").replaceChildren(...text.map((one) => element("p", one)));
    byId("lesson-next").hidden = i + 1 === LESSONS.length;
    byId("lesson").hidden = false;
    show();
    analyser.explain(ask);
  };
  LESSONS.forEach(({ name }, i) => {
    const link = element("a", name, { href: `#learn=${i + 1}` });
    const item = element("li");
    item.append(link);
    byId("lessons").append(item);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      lesson(i);
    });
  });
  byId("lesson-next").addEventListener("click", () => lesson(at + 1));
  byId("lesson-end").addEventListener("click", () => { byId("lesson").hidden = true; });
  return (hash) => {
    const [, wanted] = hash.match(/^#learn=([1-9])$/) ?? [];
    if (LESSONS[wanted - 1]) lesson(wanted - 1);
    return Boolean(LESSONS[wanted - 1]);
  };
}
