/* Tells the page how wide the place of its charts is, in steps; again when the window has changed. */

export default function (component) {
  const { data, setStateValue } = component;
  const place = document.querySelector('[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"]');
  if (!place) return;
  let waiting = null;
  let now = data.now;  // this function is not called again for each answer: what it began with grows old
  const step_of = (steps, wide) => steps.filter((each) => each <= wide).pop() ?? steps[0];
  const tell = () => {
    const step = step_of(data.steps, place.clientWidth);
    if (step_of(data.matter, step) === step_of(data.matter, now)) return;  // an answer runs the page again, and would end the run of a button just pressed
    now = step;
    setStateValue("width", step);
  };
  const watch = new ResizeObserver(() => { clearTimeout(waiting); waiting = setTimeout(tell, 250); });
  watch.observe(place);
  return () => { clearTimeout(waiting); watch.disconnect(); };
}
