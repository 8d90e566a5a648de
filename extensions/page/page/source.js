// The source of bundles: the server that also serves this page.

/** Return the list of runs, and whether this page may request private reasoning. */
export function runs() {
  return fetched("runs.json");
}

export function load(run, secret) {
  return fetched(`${address(run)}.json${asked(secret)}`);
}

/** Call `update` with every new bundle of a run until the run has ended. */
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

/** Return a bundle with a change applied: replaced sections, and lists with new last items. */
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
