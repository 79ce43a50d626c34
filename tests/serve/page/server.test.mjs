import assert from "node:assert/strict";
import test from "node:test";

import { ask } from "../../../mines_dd/serve/page/server.js";

const reply = (status, value, again = "0.001") => ({
  status, headers: new Map([["Retry-After", again]]), json: async () => value,
});

test("a busy server is asked again until it answers", async () => {
  const replies = [reply(503, { error: "busy" }), reply(200, { count: "2" })], said = [];
  const answer = await ask("analyse", {}, { fetch: async () => replies.shift(), waiting: (text) => said.push(text) });
  assert.deepEqual([answer, said.length, replies.length], [{ count: "2" }, 1, 0]);
});

test("a server that is being prepared is asked until it is ready", async () => {
  const preparing = reply(503, { error: "part 1 of 6", kind: "preparing" });
  const replies = [...Array(20).fill(preparing), reply(200, { count: "2" })], said = new Set();
  const answer = await ask("analyse", {}, { fetch: async () => replies.shift(), waiting: (text) => said.add(text) });
  assert.deepEqual([answer, [...said]], [{ count: "2" }, ["part 1 of 6"]]);
});

test("a question that was dropped while waiting is not asked again", async () => {
  const asking = new AbortController();
  let asked = 0;
  const fetch = async () => { asked++; return reply(503, {}, "60"); };
  const waiting = () => asking.abort();
  await assert.rejects(ask("analyse", {}, { signal: asking.signal, fetch, waiting }), { name: "AbortError" });
  assert.equal(asked, 1);
});

test("a server that is gone and one that sends no JSON give a sentence", async () => {
  const gone = await ask("read", {}, { fetch: async () => { throw new TypeError("failed"); } });
  assert.match(gone.error, /does not answer/);
  const json = async () => { throw new SyntaxError("no"); };
  const wrong = await ask("read", {}, { fetch: async () => ({ status: 500, headers: new Map(), json }) });
  assert.match(wrong.error, /500/);
});
