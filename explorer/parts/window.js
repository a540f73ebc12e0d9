/* Reports the width available to the page's charts, in steps, and again when the window changes.

A report reruns the page. Sent right after a click, before the server has handled the click, it would overtake
it: a link just clicked would lead nowhere. So it waits until nothing has been pressed for a while and no run
is active.
*/

const QUIET = 250, AFTER_A_PRESS = 1500;  // milliseconds
const PRESSES = ["pointerdown", "keydown"];

export default function (component) {
  const { data, setStateValue } = component;
  const place = document.querySelector('[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"]');
  if (!place) return;
  let waiting = null;
  let now = data.now;  // this function is not called again for each report, so data.now goes stale
  const step_of = (steps, wide) => steps.filter((each) => each <= wide).pop() ?? steps[0];
  let pressed = -Infinity;
  const later = (wait) => { clearTimeout(waiting); waiting = setTimeout(tell, wait); };
  const press = () => { pressed = performance.now(); };
  const busy = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState !== "notRunning";
  const tell = () => {
    const since = performance.now() - pressed;
    if (since < AFTER_A_PRESS || busy()) return later(Math.max(QUIET, AFTER_A_PRESS - since));
    const step = step_of(data.steps, place.clientWidth);
    if (step_of(data.matter, step) === step_of(data.matter, now)) return;
    now = step;
    setStateValue("width", step);
  };
  const watch = new ResizeObserver(() => later(QUIET));
  watch.observe(place);
  PRESSES.forEach((name) => document.addEventListener(name, press, true));
  return () => {
    clearTimeout(waiting);
    watch.disconnect();
    PRESSES.forEach((name) => document.removeEventListener(name, press, true));
  };
}
