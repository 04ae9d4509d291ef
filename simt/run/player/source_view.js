// ---- the sources, with counters and findings at their lines ----

/** Shows one file at a time. `number` tells it from others, from 1; `onLine(file, line)` is called for a line that is chosen. */
function makeSourceView(number, onLine) {
  const code = element("div", {
    class: "code", id: `code-${number}`, tabindex: 0, role: "region", "aria-label": "Source lines with their counters",
  });
  const findings = findingsAndNotes().flatMap((finding) =>
    linesOf(finding).map((place) => ({ ...place, kind: finding.kind })));
  let shown = "";
  let launch = null;
  let rows = new Map();
  let current = null;

  const select = element("select", { id: `file-${number}` },
    ...run.files.map((file) => element("option", { value: file.name, text: file.name })));
  select.addEventListener("change", () => show(select.value));
  const choice = element("p", {}, element("label", { for: `file-${number}`, text: "File " }), select);
  const box = element("div", { class: "source" }, run.files.length > 1 ? choice : null, code);

  function annotations(line) {
    const counters = launch?.lines.find((of) => of.file === shown && of.line === line)?.counters ?? {};
    const texts = phrasesOf(counters).map(({ text, bad }) =>
      element("span", { class: bad ? "count bad" : "count", text: bad ? `! ${text}` : text }));
    for (const { file, line: at, what, kind } of findings) {
      if (file !== shown || at !== line) continue;
      texts.push(element("span", { class: "fault", text: `${what}: ${kind}` }));
    }
    return texts;
  }

  function numberOf(line, recorded) {
    if (!recorded.has(line)) return element("span", { class: "number", text: line });
    const button = element("button", {
      type: "button", class: "number", text: line, "aria-label": `Line ${line}: go to its next step`,
    });
    button.addEventListener("click", () => onLine(shown, line));
    return button;
  }

  function draw() {
    const file = run.files.find((one) => one.name === shown);
    const places = launch?.recorded?.places ?? [];
    const recorded = new Set(places.filter((place) => place.file === shown).map((place) => place.line));
    rows = new Map();
    const list = element("ol", { class: "lines" });
    (file?.text ?? "").replace(/\n$/, "").split("\n").forEach((text, i) => {
      const notes = annotations(i + 1);
      const row = element("li", { class: "line" }, numberOf(i + 1, recorded),
        element("code", { text: text || " " }),
        notes.length ? element("div", { class: "notes" }, ...notes) : null);
      rows.set(i + 1, row);
      list.append(row);
    });
    refill(code, list);
  }

  function show(name) {
    if (!run.files.some((file) => file.name === name)) return;
    shown = name;
    select.value = name;
    draw();
  }

  function scrollTo(row) {
    const top = row.offsetTop - code.clientHeight / 3;
    code.scrollTop = Math.max(0, top);
  }

  /** Marks the line at which the player stands, if it is known, and brings it into sight. */
  function mark(place) {
    current?.classList.remove("current");
    current?.removeAttribute("aria-current");
    if (place && place.file !== shown) show(place.file);
    current = place && place.file === shown ? rows.get(place.line) : undefined;
    if (!current) return;
    current.classList.add("current");
    current.setAttribute("aria-current", "step");
    scrollTo(current);
  }

  /** Counters are those of the launch that is played. */
  function setLaunch(next) {
    if (launch === next) return;
    launch = next;
    if (shown) draw();
  }

  function goTo(file, line) {
    if (file !== shown) show(file);
    const row = rows.get(line);
    if (row) scrollTo(row);
  }

  show(run.files[0]?.name ?? "");
  return { box, mark, setLaunch, goTo };
}
