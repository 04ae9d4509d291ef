// Run in a page of the site by test_in_chromium.py: measures what a reader would see as overlap, emptiness or markup.
window.addEventListener("load", () => setTimeout(() => {
  const box = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom, width: right - left, height: bottom - top };
  };
  const visible = (element) => element.checkVisibility();
  const name = (element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute("class") || ""} "${element.textContent.trim().slice(0, 40)}"`;
  const touches = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(visible);

  const figures = all(".figure").map((figure) => {
    const svg = figure.querySelector("svg");
    const frame = svg ? box(svg) : { width: 0, height: 0 };
    const texts = svg ? [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim()) : [];
    const overlaps = [];
    texts.forEach((text, index) => texts.slice(index + 1).forEach((other) => {
      if (touches(box(text), box(other))) overlaps.push(`${name(text)} and ${name(other)}`);
    }));
    const outside = texts.filter((text) => {
      const b = box(text);
      return b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1;
    });
    return { name: figure.className, width: frame.width, height: frame.height, texts: texts.length,
      described: Boolean(svg && svg.querySelector("title") && svg.querySelector("desc")),
      smallest: Math.min(...texts.map((text) => box(text).height)), overlaps, outside: outside.map(name) };
  });

  const formulas = all("math").map((math) => ({ text: math.textContent, ...box(math) }));
  // What a formula, bold words or a command of Doxygen's looks like when nobody has rendered it.
  const raw = /\*\*\S|\$[^$\s][^$]*\$|\\(?:frac|sum|max|left|right|quad|htmlonly|snippet|subpage|ref|include)\b|@ref\b|<!--/;
  const unrendered = all(".contents p, .contents li, .contents td, .contents h1, .contents h2").filter((element) => {
    const copy = element.cloneNode(true);
    copy.querySelectorAll("code, .tt, pre, .fragment, math, svg, style").forEach((part) => part.remove());
    return raw.test(copy.textContent);
  }).map(name);

  const scrolls = (element) => {
    for (let outer = element; outer && outer !== document.body; outer = outer.parentElement) {
      const overflow = getComputedStyle(outer).overflowX;
      if ((overflow === "auto" || overflow === "scroll") && box(outer).right <= innerWidth + 1 &&
        outer.id !== "doc-content") return true;
    }
    return false;
  };
  const beyond = all(".contents *, .header *").filter((element) =>
    !element.closest("svg") && box(element).width > 0 && box(element).right > innerWidth + 1 && !scrolls(element)).map(name);
  const blocks = all(".textblock > *, .contents > *").filter((element) =>
    box(element).height > 0 && getComputedStyle(element).float === "none" && getComputedStyle(element).position === "static");
  const stacked = blocks.filter((block) => {
    let next = block.nextElementSibling;
    while (next && !blocks.includes(next)) next = next.nextElementSibling;
    return next && block.parentElement === next.parentElement && box(next).top < box(block).bottom - 2;
  }).map(name);
  const content = document.getElementById("doc-content");
  const scrolling = all("div.fragment, pre.fragment, .step-diff").filter((block) => block.scrollWidth > block.clientWidth);

  parent.postMessage({ probe: {
    width: innerWidth,
    height: Math.max(document.documentElement.scrollHeight, content ? content.scrollHeight : 0),
    sideways: content ? content.scrollWidth - content.clientWidth : document.documentElement.scrollWidth - innerWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    paper: getComputedStyle(document.body).backgroundColor,
    title: (document.querySelector(".title") || document.body).textContent.trim(),
    broken: all("img").filter((image) => image.complete && image.naturalWidth === 0).map((image) => image.src),
    figures, formulas, unrendered, beyond, stacked, scrolling: scrolling.map(name),
    links: all(".turns a").length,
  } }, "*");
}, 300));
