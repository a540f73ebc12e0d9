/* Keeps the address that is left to log in, for ten minutes; back, forgets it and goes there. Where a study that
   was asked for is not shown, because it is shut, the address that is kept asks for it again.
   It goes nowhere but to the explorer itself, and nowhere at all while the browser will not forget. */
export default function (component) {
  const { data, setTriggerValue } = component;
  const keep = (value, seconds) => {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `${data.cookie}=${encodeURIComponent(value)}; Path=${data.path}; SameSite=Strict; Max-Age=${seconds}${secure}`;
  };
  if (data.leaving) {
    const address = new URL(location.href);
    if (address.searchParams.get("study") === data.leaving.shown) {
      address.searchParams.set("study", data.leaving.asked);
    }
    const whole = address.pathname + address.search;
    keep(whole.length < 2000 ? whole : address.pathname, 600);
    setTriggerValue("done", true);
    return;
  }
  keep("", 0);
  const forgotten = !document.cookie.includes(`${data.cookie}=`);
  const goal = new URL(data.back, location.href);
  if (data.back && forgotten && goal.origin === location.origin && goal.href !== location.href) {
    location.replace(goal);
    return;
  }
  setTriggerValue("done", true);
}
