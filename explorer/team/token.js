/* Stores the token of a personal link in a cookie that expires when the browser closes, and removes it from the
   address without a new step in the history. An empty token deletes the cookie; null leaves it as it is. */
export default function (component) {
  const { data, setTriggerValue } = component;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  const end = data.token ? "" : "; Max-Age=0";
  if (data.token !== null) document.cookie = `${data.cookie}=${encodeURIComponent(data.token)}; Path=${data.path}; SameSite=Strict${secure}${end}`;
  const address = new URL(location.href);
  address.searchParams.delete("token");
  history.replaceState(history.state, "", address);
  setTriggerValue("kept", true);
}
