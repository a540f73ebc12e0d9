// Draws the charts whose specifications stand in the page; asks no one for anything.
const plain = {
  background: null,
  view: { stroke: "transparent" },
  title: { color: "currentColor", subtitleColor: "currentColor" },
  axis: { labelColor: "currentColor", titleColor: "currentColor", tickColor: "#8888", domainColor: "#8888", gridColor: "#8886" },
  legend: { labelColor: "currentColor", titleColor: "currentColor" },
  header: { labelColor: "currentColor", titleColor: "currentColor" },
  text: { color: "currentColor" },
};
const specs = JSON.parse(document.getElementById("charts").textContent);
for (const place of document.querySelectorAll("[data-chart]")) {
  const spec = specs[Number(place.dataset.chart)];
  await window.vegaEmbed(place, spec, {
    ast: true, // expressions are read, not compiled: the page's policy lets no text become a program
    actions: false,
    renderer: "svg",
    config: plain,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  });
  place.dataset.drawn = "true";
}
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const folded of opened) folded.open = true;
});
addEventListener("afterprint", () => {
  for (const folded of opened) folded.open = false;
});
