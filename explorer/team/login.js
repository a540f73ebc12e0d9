/* Stores the address that is left to log in, for ten minutes; on return, deletes it and goes there. If a closed
   study was requested and another is shown, the stored address requests the closed one again.
   Goes only to the explorer itself, and nowhere if the browser does not delete the address. */
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
