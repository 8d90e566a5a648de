// What this browser keeps for a seat, such as a draft; without storage it keeps nothing.

export function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // If the browser stores nothing, a reload loses the draft, which is harmless.
  }
}

export function drop(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // As above: only the stored draft is lost.
  }
}
