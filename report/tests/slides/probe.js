// Run in a deck by test_slides.py: the slides whose content does not fit, by their headings.
window.addEventListener("load", () => {
  const cut = [];
  for (const slide of document.querySelectorAll("section")) {
    const edge = slide.getBoundingClientRect();
    for (const each of slide.querySelectorAll("*")) {
      const box = each.getBoundingClientRect();
      if (box.right > edge.right || box.bottom > edge.bottom) {
        cut.push(`${slide.querySelector("h1").textContent}: ${each.tagName}`);
        break;
      }
    }
  }
  const found = document.createElement("pre");
  found.id = "probe";
  found.textContent = cut.join("\n") || "nothing is cut";
  document.body.append(found);
});
