/* Lets "?" press the hidden button that shows the keys: Streamlit's own shortcuts are only letters and digits. */

export default function () {
  const press = (event) => {
    if (event.key === "?") document.querySelector(".st-key-step_keys button")?.click();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}
