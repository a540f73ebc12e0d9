/* The list of judgments. Every text of a study is set as text, never as markup. */

const STYLE = `
.list { max-height: var(--spb-height, 78vh); overflow-y: auto; display: flex; flex-direction: column; gap: 0.7rem;
  padding-inline-end: 0.3rem; font: 400 0.875rem/1.45 var(--st-font), sans-serif; color: var(--st-text-color); }
.card { border: 1px solid var(--st-border-color); border-radius: 0.5rem; padding: 0.6rem 0.75rem; }
.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.15rem 0.6rem; overflow-wrap: anywhere; }
.open { margin-inline-start: auto; }
.faint, .label { opacity: 0.75; }
.label { font-size: 0.78rem; margin-top: 0.45rem; }
.text, .reason { overflow-wrap: anywhere; white-space: pre-line; unicode-bidi: plaintext; text-align: start;
  max-height: 9rem; overflow-y: auto; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: 0.5rem 0.9rem;
  margin-top: 0.6rem; }
.side { display: flex; flex-direction: column; gap: 0.35rem; min-width: 0; }
.said { border-inline-start: 3px solid var(--st-border-color); padding-inline-start: 0.5rem; }
.differs { border-inline-start-color: var(--st-primary-color); }
.tag { border: 1px solid currentColor; border-radius: 0.6rem; padding: 0 0.45rem; font-size: 0.75rem; }
.answer { font-weight: 600; }
button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--st-border-color);
  border-radius: 0.5rem; padding: 0.1rem 0.6rem; cursor: pointer; }
button:hover, button:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); }
.rest { padding: 0.5rem; }
summary { cursor: pointer; }
details[open] > summary { margin-bottom: 0.35rem; }
mark { background: color-mix(in srgb, var(--st-primary-color) 30%, transparent); color: inherit; }
@media (max-width: 640px) { .list { max-height: none; } button, summary { min-height: 44px; min-width: 44px; } }
`;

const create = (name, kind, text) => {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
};

/* A text with the search words marked; its direction is that of its own script. */
const passage = (kind, text, search) => {
  const element = create("div", kind);
  element.dir = "auto";
  const sought = (search || "").toLowerCase();
  const pieces = sought ? text.toLowerCase().split(sought) : [text.toLowerCase()];
  if (pieces.join(sought).length !== text.length) return Object.assign(element, { textContent: text });
  let at = 0;
  pieces.forEach((piece, place) => {
    if (place) {
      element.append(create("mark", "", text.slice(at, at + sought.length)));
      at += sought.length;
    }
    element.append(text.slice(at, at + piece.length));
    at += piece.length;
  });
  return element;
};

/* Lets the keyboard scroll a text that is too long for its box. */
const reachable = (box) => {
  if (box.scrollHeight > box.clientHeight) box.tabIndex = 0;
};

const verdict = (said, words) => {
  const row = create("div", said.differs ? "said differs" : "said");
  const head = create("div", "head");
  head.append(create("strong", "", said.judge), create("span", `answer ${said.kind}`, `${said.sign} ${said.answer}`.trim()));
  if (said.relation) head.append(create("span", "faint", said.relation));
  if (said.differs) head.append(create("span", "tag", words.differs));
  row.append(head);
  return row;
};

const body = (said, data, row) => {
  if (said.words) row.append(passage("reason", said.words, data.search));
  return row;
};

const card = (shown, data, open) => {
  const words = data.words;
  const article = create("article", "card");
  article.id = `v${shown.place}`;
  const head = create("header", "head");
  head.append(create("span", "faint", `${shown.place}`), create("strong", "", shown.title));
  if (shown.reference) head.append(create("span", "faint", shown.reference));
  const button = create("button", "open", words.read);
  button.type = "button";
  button.setAttribute("aria-label", `${words.read} ${shown.place}`);
  button.addEventListener("click", () => open(shown.place));
  head.append(button);
  article.append(head);
  shown.texts.forEach(([label, text]) => {
    article.append(create("div", "label", label));
    article.append(passage("text", text, data.search));
  });
  const sides = create("div", "sides");
  const mine = create("div", "side");
  mine.append(body(shown.said, data, verdict(shown.said, words)));
  const others = create("div", "side");
  const reasoned = shown.others.filter((said) => said.words);
  shown.others.forEach((said) => {
    const row = verdict(said, words);
    others.append(said === reasoned[0] ? body(said, data, row) : row);
  });
  if (reasoned.length > 1) {
    const more = create("details", "");
    more.append(create("summary", "", words.more));
    reasoned.slice(1).forEach((said) => more.append(body(said, data, verdict(said, words))));
    others.append(more);
  }
  sides.append(mine, others);
  article.append(sides);
  return article;
};

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let root = parentElement.querySelector(".list");
  if (!root) {
    root = create("div", "list");
    parentElement.replaceChildren(create("style", "", STYLE), root);
  }
  const state = root.spb ?? (root.spb = { list: null, count: 0 });
  state.more = () => setTriggerValue("more", data.cards.length);
  const open = (place) => setTriggerValue("open", place);
  if (state.list !== data.list || state.count > data.cards.length) {
    root.replaceChildren();
    root.scrollTop = 0;
    Object.assign(state, { list: data.list, count: 0 });
  }
  root.querySelector(".rest")?.remove();
  root.append(...data.cards.slice(state.count).map((shown) => card(shown, data, open)));
  state.count = data.cards.length;
  requestAnimationFrame(() => root.querySelectorAll(".text, .reason").forEach(reachable));
  if (data.cards.length < data.total) {
    const rest = create("button", "rest", data.words.rest);
    rest.type = "button";
    rest.addEventListener("click", () => { rest.disabled = true; state.more(); });
    root.append(rest);
    state.watch?.disconnect();
    state.watch = new IntersectionObserver(([seen]) => {
      if (seen.isIntersecting && !rest.disabled && root.scrollTop > 0) rest.click();
    }, { root });
    state.watch.observe(rest);
  }
  if (data.last && state.last !== data.last) root.querySelector(`#v${data.last}`)?.scrollIntoView({ block: "nearest" });
  state.last = data.last;
  return () => state.watch?.disconnect();
}
