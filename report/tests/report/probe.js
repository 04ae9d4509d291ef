// Run in the page by test_screenshots.py: measures what a reader would see as overlap or emptiness.
(() => {
  const box = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom };
  };
  const name = (element) => `${element.tagName.toLowerCase()} "${element.textContent.trim().slice(0, 40)}"`;
  const touches = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const visible = (element) => element.checkVisibility();

  const drawings = (selector) => [...document.querySelectorAll(selector)].filter(visible).map((svg) => {
    const frame = box(svg);
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
    const overlaps = [];
    texts.forEach((text, index) =>
      texts.slice(index + 1).forEach((other) => {
        if (touches(box(text), box(other))) overlaps.push(`${name(text)} and ${name(other)}`);
      }));
    const outside = texts.filter((text) => {
      const b = box(text);
      return b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1;
    });
    const lines = [...svg.querySelectorAll(".line path")].filter((path) => box(path).right - box(path).left > 5);
    return { title: svg.querySelector("title").textContent, frame, overlaps, outside: outside.map(name),
      lines: lines.length, texts: texts.length };
  });
  const plots = drawings(".plot svg");
  const pictures = drawings(".access svg");

  // Beyond the window's edge, unless inside something that scrolls.
  const beyond = [...document.body.querySelectorAll("*")].filter((element) =>
    visible(element) && !element.closest(".scroll") && !element.closest("svg") &&
    box(element).right > document.documentElement.clientWidth + 1).map(name);

  // Text wider than its cell, or blocks that lie over the next.
  const spilling = [...document.querySelectorAll("td, th, dd, dt, h1, h2, h3, p, label")].filter((element) =>
    visible(element) && element.scrollWidth > element.clientWidth + 2 && element.clientWidth > 0).map(name);
  const blocks = [...document.querySelectorAll("main > section > *, header > *, figure > *")].filter(visible);
  const stacked = [];
  blocks.forEach((block) => {
    const next = block.nextElementSibling;
    if (next && visible(next) && touches(box(block), box(next))) stacked.push(`${name(block)} and ${name(next)}`);
  });

  const result = document.createElement("script");
  result.type = "application/json";
  result.id = "probe";
  result.textContent = JSON.stringify({
    width: innerWidth,
    height: document.documentElement.scrollHeight,
    scrollWidth: document.documentElement.scrollWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    comparison: document.querySelectorAll("#comparison table").length,
    plots, pictures, beyond, spilling, stacked,
  }).replace(/</g, "\\u003c");
  top.document.body.append(result); // beside the frame that the page is in
})();
