/* What the browser does by itself on the annotator's page.

   Keys: a press answers the item on the screen. A press made while an earlier one is on its way waits for it,
   and is dropped if that one brought another item. Streamlit's own shortcuts show the keys; they do not wait.
   Texts: boxes have names, start at their top with each item, and fill the window.
   Screen readers: saves are announced, and the focus stays on the button that was used. */

const LOST = 5000; // milliseconds after which a press no longer waits for the one before it
const MUTED = 1500; // milliseconds in which keys do nothing while the comment waits to be opened
const NAMED = { escape: "Esc", backspace: "Backspace" };

const state = (window.spbKeys ??= {
  here: false, held: [], sent: 0, from: null, focus: null, writes: null, muted: 0, again: 0,
});

const editable = (element) => element?.closest?.("input, textarea, [contenteditable=true]");

/* The turn of the item on the screen, as its controls name it; null when all are done. */
function turn() {
  const controls = document.querySelector('[class*="st-key-desk_controls_"]');
  return controls?.className.match(/desk_controls_(\d+)/)[1] ?? null;
}

/* The button that shows a key; null for one of an earlier item. */
function buttonOf(key) {
  const name = NAMED[key] ?? (/^[a-z0-9]$/.test(key) ? key.toUpperCase() : null);
  const sign = name && document.querySelector(`[class*="st-key-desk_"] kbd[aria-label^="Shortcut ${name}"]`);
  const button = sign?.closest("button");
  const of = button?.closest('[class*="_at_"]')?.className.match(/_at_(\d+)_/)[1];
  return button && !button.disabled && (of === undefined || of === turn()) ? button : null;
}

function waits() {
  return Date.now() - state.sent < LOST && turn() === state.from;
}

function press(key, now, tries = 30) {
  if (turn() !== now) return;
  const button = buttonOf(key);
  if (button) {
    [state.sent, state.from] = [Date.now(), now];
    button.click();
  } else if (tries > 0) {
    requestAnimationFrame(() => press(key, now, tries - 1));
  }
}

function pressed(event) {
  if (!state.here) return;
  if (editable(event.target)) {
    if (event.key === "Enter" || event.key === "Escape") {
      clearTimeout(state.again);
      setTimeout(() => event.target.blur());
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key.length > 1 && !NAMED[key]) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.repeat) return;
  if (Date.now() < state.muted) return;
  if (key === "w") {
    state.held = [];
    if (!waits()) comment();
    else [state.writes, state.muted] = [turn(), Date.now() + MUTED];
  } else if (waits()) state.held.push({ key, turn: turn() });
  else {
    state.held = [];
    press(key, turn());
  }
}

/* Focus the comment. Until it has the focus, typed keys answer nothing. */
function comment() {
  const field = () => document.querySelector('[class*="st-key-comment_"] input');
  field()?.focus();
  // In case the field is redrawn meanwhile, unless the annotator has left it.
  state.again = setTimeout(() => document.activeElement === document.body && field()?.focus(), 100);
  [state.writes, state.muted] = [null, 0];
}

function focused(event) {
  const name = event.target.closest?.('[class*="st-key-say_"]')?.className.match(/st-key-(say_\d+_at_)/);
  state.focus = name ? name[1] : null;
}

function fit() {
  const boxes = [...document.querySelectorAll('[class*="st-key-item_response_"]')];
  const controls = document.querySelector('[class*="st-key-desk_controls_"]');
  if (!state.here || !boxes.length || !controls) return;
  const rows = [...new Set(boxes.map((box) => Math.round(box.getBoundingClientRect().top)))];
  const top = rows[0] + document.querySelector("[data-testid=stMain]").scrollTop;
  const between = 38 * (rows.length - 1) + 14;
  const room = Math.floor((innerHeight - top - controls.offsetHeight - between) / rows.length);
  document.documentElement.style.setProperty("--spb-response", `${Math.max(128, room)}px`);
}

if (!state.listens) {
  state.listens = true;
  window.addEventListener("keydown", pressed, true);
  window.addEventListener("focusin", focused, true);
  window.addEventListener("resize", fit);
}

export default function ({ parentElement, data }) {
  const fresh = state.shown !== data.turn;
  Object.assign(state, { here: true, shown: data.turn, sent: 0 });

  const status = parentElement.querySelector("[role=status]");
  if (status.textContent !== data.say) status.textContent = data.say;
  const colour = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor;
  document.documentElement.style.setProperty("--spb-background", colour);
  for (const [name, words] of Object.entries(data.regions)) {
    const box = document.querySelector(`.st-key-${name}`);
    if (!box) continue;
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", words);
    if (fresh) box.scrollTop = 0;
    if (data.now === name) box.scrollIntoView({ block: "nearest" });
  }
  if (state.focus && document.activeElement === document.body) {
    document.querySelector(`[class*="st-key-${state.focus}"] button`)?.focus();
  }
  requestAnimationFrame(fit);

  if (state.writes !== null && state.writes === turn()) comment();
  state.writes = null;
  const held = state.held.filter((one) => one.turn === turn());
  const next = held.shift();
  state.held = held;
  if (next) press(next.key, next.turn);
  return () => {
    state.here = document.contains(status);
  };
}
