// Where bundles come from: the server that also serves this page.

/** The runs there are, and whether private reasoning may be asked for. */
export function runs() {
  return fetched("runs.json");
}

export function load(run, secret) {
  return fetched(`${address(run)}.json${asked(secret)}`);
}

/** Hand on every newer bundle of a run, until it has ended. */
export function follow(run, secret, update) {
  return new Promise((resolve) => {
    const events = new EventSource(`${address(run)}/events${asked(secret)}`);
    events.addEventListener("bundle", (event) => update(JSON.parse(event.data)));
    events.addEventListener("end", () => {
      events.close();
      resolve();
    });
  });
}

function address(run) {
  return `runs/${encodeURIComponent(run)}`;
}

function asked(secret) {
  return secret ? "?private=1" : "";
}

async function fetched(path) {
  const response = await fetch(path);
  if (response.ok) return response.json();
  throw new Error(response.status === 404 ? "There is no such run here." : `The server answered ${response.status}.`);
}
