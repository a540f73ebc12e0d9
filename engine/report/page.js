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
const NARROW = 600; // pixels below which a chart that has a narrow form is drawn so
const EDGE = 24; // pixels beside the rows of a chart without names at its axis
const single = (spec) => typeof spec.width === "number" && ("layer" in spec || "mark" in spec);
for (const place of document.querySelectorAll("[data-chart]")) {
  const twice = place.dataset.narrow !== undefined; // such a chart has no names at its axis
  const narrow = twice && place.clientWidth < NARROW;
  const written = specs[Number(narrow ? place.dataset.narrow : place.dataset.chart)];
  const fits = !place.closest("#story") && single(written);
  const spec = fits ? { ...written, width: twice ? place.clientWidth - EDGE : "container" } : written;
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
