/* Stores the address that is left to log in, for ten minutes; on return, deletes it and goes there.
   Goes only to the explorer itself, and nowhere if the browser does not delete the address. */
export default function (component) {
  const { data, setTriggerValue } = component;
  const keep = (value, seconds) => {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `${data.cookie}=${encodeURIComponent(value)}; Path=${data.path}; SameSite=Strict; Max-Age=${seconds}${secure}`;
  };
  if (data.leaving) {
    const whole = location.pathname + location.search;
    keep(whole.length < 2000 ? whole : location.pathname, 600);
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
