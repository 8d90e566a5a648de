// The controls of a replay: a slider over a run's events, with keys and a play button.

import { h, s } from "./dom.js";

const PACE = 900;

const SIGNS = {
  start: "M4 3v10M13 3L6 8l7 5z",
  back: "M11 3L4 8l7 5z",
  play: "M4 2l10 6-10 6z",
  pause: "M4 3h3v10H4zM10 3h3v10h-3z",
  on: "M5 3l7 5-7 5z",
  end: "M12 3v10M3 3l7 5-7 5z",
};

/**
 * Return the controls.
 * @param {(count: number, walked: boolean) => void} show draws the run after `count` events;
 *   `walked` is false if the position is unchanged and new events came.
 */
export function controls(show) {
  let total = 0;
  let count = 0;
  let timer = null;
  const slider = h("input", {
    type: "range",
    min: 0,
    "aria-label": "Events shown",
    oninput: () => go(Number(slider.value)),
  });
  const label = h("output", {});
  const play = button("Play", "play", toggle);
  const bar = h(
    "div",
    { class: "replay", role: "group", "aria-label": "Replay" },
    button("To the start", "start", () => go(0)),
    button("One event back", "back", () => go(count - 1)),
    play,
    button("One event on", "on", () => go(count + 1)),
    button("To the end", "end", () => go(total)),
    slider,
    label,
  );

  function go(wanted, walked = true) {
    count = Math.max(0, Math.min(total, wanted));
    slider.max = total;
    slider.value = count;
    label.textContent = `${count} of ${total}`;
    show(count, walked);
  }

  function toggle() {
    if (timer !== null) return stop();
    if (count === total) go(0);
    relabel(play, "Pause", "pause");
    timer = setInterval(() => (count < total ? go(count + 1) : stop()), PACE);
    return undefined;
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    relabel(play, "Play", "play");
  }

  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest("input, textarea, summary, button, a, [tabindex]");
    if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) go(count + step);
    else if (event.key === " ") toggle();
    else return;
    event.preventDefault();
  });

  return {
    bar,
    /** Set the number of events; a slider at the end stays at the end. */
    reach(events) {
      const followed = count === total;
      total = events;
      go(followed ? total : count, false);
    },
  };
}

function button(label, sign, onclick) {
  const made = h("button", { type: "button", onclick });
  relabel(made, label, sign);
  return made;
}

function relabel(made, label, sign) {
  made.setAttribute("aria-label", label);
  made.title = label;
  const drawn = s("path", { d: SIGNS[sign], "stroke-width": 1.5 });
  made.replaceChildren(s("svg", { class: "sign", viewBox: "0 0 16 16", "aria-hidden": "true" }, drawn));
}
