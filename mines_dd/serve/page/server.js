// Questions to the server.  One that is busy, or not ready yet, is asked again when it says so.

const PATIENCE = 5;  // times to ask a busy server

// A name for this page, so that the server can share its time fairly between pages behind one address.
const NAME = Math.random().toString(36).slice(2, 12);

const pause = (seconds, signal) => new Promise((resolve, reject) => {
  signal?.throwIfAborted();
  const timer = setTimeout(resolve, 1000 * seconds);
  signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});

// The server's answer as an object; an `error` in it is a sentence.  Throws only if it is aborted.
// Of the questions with one `topic` only the newest is wanted.
export async function ask(question, values, { signal, topic, waiting = () => {}, fetch = globalThis.fetch } = {}) {
  for (let times = 0; ;) {
    const [status, answer, again] = await once(question, values, { signal, topic, fetch });
    signal?.throwIfAborted();
    const preparing = answer.kind === "preparing";  // it says what it does, and that will end
    if (!preparing && (status !== 503 || times === PATIENCE)) return answer;
    waiting(preparing ? answer.error : `The server is busy; asking again in ${again} s.`);
    await pause(again + times * Math.random(), signal);
    if (!preparing) times += 1;
  }
}

async function once(question, values, { signal, topic, fetch }) {
  let response;
  try {
    response = await fetch(`api/${question}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Page": NAME, ...(topic && { "X-Topic": topic }) },
      body: JSON.stringify(values),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return [0, { error: "The server does not answer; is it still running?", kind: "silent" }];
  }
  const again = Number(response.headers.get("Retry-After")) || 2;
  try {
    return [response.status, await response.json(), again];
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return [response.status, { error: `The server refused the request (${response.status}).`, kind: "refused" }, again];
  }
}
