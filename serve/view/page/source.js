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
  let bundle = null;
  const hand = (next) => {
    bundle = next;
    update(bundle);
  };
  return new Promise((resolve) => {
    const events = new EventSource(`${address(run)}/events${asked(secret)}`);
    events.addEventListener("bundle", (event) => hand(JSON.parse(event.data)));
    events.addEventListener("change", (event) => hand(changed(bundle, JSON.parse(event.data))));
    events.addEventListener("end", () => {
      events.close();
      resolve();
    });
  });
}

/** Apply a change: replaced sections, and lists from their first new item on. */
function changed(bundle, sections) {
  const news = Object.entries(sections).map(([name, { is, keep, then }]) => [
    name,
    then ? [...(bundle[name] ?? []).slice(0, keep), ...then] : is,
  ]);
  return { ...bundle, ...Object.fromEntries(news) };
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
