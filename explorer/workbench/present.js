/* "?" presses the hidden button that shows the keys: Streamlit's own shortcuts are only letters and digits.
   A swipe does what the arrow keys do: a phone has none. In a table too wide for the screen it scrolls the table. */

const SWIPE = 60;  // pixels

export default function () {
  const press = (step) => document.querySelector(`.st-key-step_${step} button`)?.click();
  let start = null;
  const keydown = (event) => event.key === "?" && press("keys");
  const touchstart = (event) => {
    const table = event.target.closest?.(".st-key-advice");
    start = event.touches.length > 1 || table?.scrollWidth > table?.clientWidth ? null : event.touches[0];
  };
  const touchend = (event) => {
    if (start === null) return;
    const [across, down] = ["clientX", "clientY"].map((side) => event.changedTouches[0][side] - start[side]);
    if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(down)) press(across < 0 ? "right" : "left");
    start = null;
  };
  const listeners = { keydown, touchstart, touchend };
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener);
  };
}
