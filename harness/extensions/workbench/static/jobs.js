// Work on the server that takes a while: its progress, its end, and how it is cancelled.

import { message } from "./elements.js";
import { listen, request, requested } from "./server.js";

const watched = new Map();

listen("job", take);
listen("hello", async ({ isNew }) => {
  for (const name of [...watched.keys()]) {
    const state = isNew ? null : await request(`/api/jobs/${name}`).catch(() => null);
    take(state ?? { job: name, state: "failed", error: "The server was restarted." });
  }
});

function take(state) {
  const job = watched.get(state.job);
  if (!job) return;
  for (const part of state.parts ?? [state.part]) if (part) job.part?.(part);
  if (["done", "failed", "cancelled"].includes(state.state)) {
    watched.delete(state.job);
    if (state.state === "failed") message(state.error, { isError: true });
    job.end?.(state);
  }
}

// Start work with a POST. `part` is called with each part of the result, perhaps more than once,
// and `end` with the last state.
// Returns a function that cancels it; null if the server refused.
export async function startJob(path, body, { part, end }) {
  const state = await requested(path, { method: "POST", body });
  if (!state) return null;
  watched.set(state.job, { part, end });
  const known = await request(`/api/jobs/${state.job}`).catch(() => null);  // it may have ended meanwhile
  if (known) take(known);
  return () => requested(`/api/jobs/${state.job}`, { method: "DELETE" });
}
