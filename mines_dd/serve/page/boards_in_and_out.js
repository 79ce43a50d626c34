// Boards by file, drop, paste and text, in every form that the server reads; and saved in several.

import { byId, download, refuse } from "./page.js";
import { toText } from "./position.js";
import { ask } from "./server.js";

// `taken(answer)` gets what was read: board, total and, if it is known, layout; of a replay its first position and moves.
export function exchange(analyser, taken) {
  let last = new AbortController();  // only the newest board is wanted
  const read = async (values, failed = refuse) => {
    last.abort();
    last = new AbortController();
    refuse("");
    const { signal } = last, answer = await ask("read", values, { signal, topic: "read" }).catch(() => null);
    if (!answer || signal.aborted) return;
    if (answer.error) failed(answer.error);
    else taken(answer);
  };
  const open = async (file) => {
    if (file.size > 1_500_000) refuse(`${file.name} is too large for a board; at most 1.5 MB are taken.`);
    else read({ file: await base64(file), name: file.name });
  };
  byId("file").addEventListener("change", () => {
    if (byId("file").files.length) open(byId("file").files[0]);
    byId("file").value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    byId("dropping").hidden = false;
  });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) byId("dropping").hidden = true; });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    byId("dropping").hidden = true;
    const { files } = event.dataTransfer, text = event.dataTransfer.getData("text/plain");
    if (files.length) open(files[0]);
    else if (text) read({ file: encode(text), name: "" });
  });
  document.addEventListener("paste", (event) => {
    if (event.target.matches?.("textarea, input:not([type=radio], [type=checkbox], [type=file], [type=range])")) return;
    const { files } = event.clipboardData, text = event.clipboardData.getData("text/plain");
    if (files.length) open(files[0]);
    else if (text.trim()) read({ file: encode(text), name: "" });
  });
  byId("use").addEventListener("click", () => read({ file: encode(byId("text").value), name: "" }, (error) => {
    byId("text-problem").textContent = error;
  }));
  byId("copy").addEventListener("click", copyLink);
  byId("save").addEventListener("click", () => save({ board: toText(analyser.position), form: byId("form").value }));
}

// Give the reader a file of what the server is asked to write.
export async function save(values) {
  const answer = await ask("export", values);
  refuse(answer.error ?? "");
  if (!answer.error) download(answer.name, Uint8Array.from(atob(answer.file), (character) => character.charCodeAt(0)));
}

async function base64(file) {
  return binary(new Uint8Array(await file.arrayBuffer()));
}

const encode = (text) => binary(new TextEncoder().encode(text));
const binary = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

async function copyLink() {
  byId("link").select();
  try {
    await navigator.clipboard.writeText(byId("link").value);
  } catch {
    document.execCommand("copy");  // pages from other machines without encryption have no clipboard
  }
  byId("copy").textContent = "Copied";
  setTimeout(() => { byId("copy").textContent = "Copy link"; }, 1500);
}
