/* Tab on the button of an open popover goes into it: Streamlit puts what it holds at the end of the page. */

const OPEN = '[data-testid="stPopoverButton"][aria-expanded="true"]';
const INSIDE = ':is(a[href], button, input, textarea, [tabindex="0"]):not(:disabled)';

export default function () {
  const enter = (event) => {
    if (event.key !== "Tab" || event.shiftKey || !document.activeElement?.matches(OPEN)) return;
    const first = [...document.querySelectorAll('[data-testid="stPopoverBody"]')].pop()?.querySelector(INSIDE);
    if (!first) return;
    event.preventDefault();
    first.focus();
  };
  document.addEventListener("keydown", enter, true);
  return () => document.removeEventListener("keydown", enter, true);
}
