// Requests to the server, and its messages.

import { closeErrors, message } from "./elements.js";

export class Refused extends Error {}

export class Unreachable extends Error {
  constructor() {
    super("The server does not answer.");
  }
}

// The answer to a request as an object. A refusal of the server is an error with its text; a server
// that does not answer is an error too.
export async function request(path, { method = "GET", body, signal } = {}) {
  const options = { method, signal, headers: { "X-Workbench": "1" } };
  if (body instanceof Blob) options.body = body;
  else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  const answer = await fetch(path, options).catch(unreachable);
  if (answer.ok) return answer.json().catch(unreachable);
  const data = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  throw new Refused(data.error);
}

function unreachable(error) {
  throw error.name === "AbortError" ? error : new Unreachable();
}

// The same, but an error is shown to the user, and the result is then null.
export async function requested(path, options) {
  try {
    const found = await request(path, options);
    if (options?.method) closeErrors();  // an action of the user has succeeded; what a view loads by itself closes no errors
    return found;
  } catch (error) {
    if (error.name === "AbortError") return null;
    message(error.message, { isError: true });
    return null;
  }
}

// Load what a view needs. `take` gets the answer once. Until then, `lacks` gets the reason in a
// sentence, and the request is repeated when the server is back; with the answer, `lacks` gets "".
export function load(path, take, lacks) {
  let isLoading = false;
  let isBack = false;
  const attempt = async () => {
    if (isLoading) {
      isBack = true;
      return;
    }
    isLoading = true;
    do {
      isBack = false;
      try {
        const found = await request(path);
        end();
        lacks("");
        take(found);
        return;
      } catch (error) {
        lacks(error.message);
      }
    } while (isBack);
    isLoading = false;
  };
  const end = listen("hello", attempt);
  attempt();
}

// The name by which the server knows this page, so that what runs for it ends with it.
export const page = crypto.randomUUID();

const listeners = new Map();
let server = null;

// Call `listener` for each message with this topic; returns a function that removes the listener.
export function listen(topic, listener) {
  if (!listeners.has(topic)) {
    listeners.set(topic, new Set());
    if (stream) subscribe(topic);
  }
  listeners.get(topic).add(listener);
  return () => listeners.get(topic).delete(listener);
}

let stream = null;

function subscribe(topic) {
  stream.addEventListener(topic, (event) => {
    const data = JSON.parse(event.data);
    for (const listener of listeners.get(topic)) listener(data);
  });
}

// Open the stream of messages. `changed` is called with whether the server answers. Listeners of
// "hello" get `isNew`: whether another server has replaced the one before.
export function connect(changed) {
  stream = new EventSource(`/api/events?page=${page}`);
  stream.addEventListener("hello", (event) => {
    const found = JSON.parse(event.data).server;
    const isNew = server !== null && server !== found;
    server = found;
    changed(true);
    for (const listener of listeners.get("hello") ?? []) listener({ isNew });
  });
  stream.onerror = () => {
    changed(false);
    if (stream.readyState === EventSource.CLOSED) {
      setTimeout(() => connect(changed), 1000);
    }
  };
  for (const topic of listeners.keys()) if (topic !== "hello") subscribe(topic);
}
