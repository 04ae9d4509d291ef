// ---- the sources, with counters and findings at their lines ----

/** Shows one file at a time. `onLine(file, line)` is called for a line that is chosen. */
function makeSourceView(onLine) {
  const code = document.getElementById("code");
  const choice = document.getElementById("file-choice");
  const findings = run.findings.flatMap((finding) =>
    linesOf(finding).map((place) => ({ ...place, kind: finding.kind })));
  let shown = "";
  let launches = [];
  let rows = new Map();
  let current = [];

  const select = element("select", { id: "file" },
    ...run.files.map((file) => element("option", { value: file.name, text: file.name })));
  select.addEventListener("change", () => show(select.value));
  if (run.files.length > 1) refill(choice, element("label", { for: "file", text: "File " }), select);

  function countsOf(launch, line) {
    const counters = launch.lines.find((of) => of.file === shown && of.line === line)?.counters ?? {};
    const counting = launches.filter(({ lines }) => lines.some((of) => of.file === shown && of.line === line));
    const which = counting.length > 1 ? `launch ${run.launches.indexOf(launch) + 1}: ` : "";
    return phrasesOf(counters).map(({ text, bad }) =>
      element("span", { class: bad ? "count bad" : "count", text: `${bad ? "! " : ""}${which}${text}` }));
  }

  function annotations(line) {
    const texts = launches.flatMap((launch) => countsOf(launch, line));
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
    const places = launches.flatMap((launch) => launch.recorded?.places ?? []);
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

  /** Marks the lines at which the players stand; the first of them comes into sight. */
  function mark(places) {
    for (const row of current) {
      row.classList.remove("current");
      row.removeAttribute("aria-current");
    }
    current = [];
    if (places.length && places[0].file !== shown) show(places[0].file);
    for (const place of places) {
      const row = place.file === shown ? rows.get(place.line) : undefined;
      if (!row) continue;
      row.classList.add("current");
      row.setAttribute("aria-current", "step");
      current.push(row);
    }
    if (current.length) scrollTo(current[0]);
  }

  /** Counters are those of the launches that are played. */
  function setLaunches(next) {
    const different = [...new Set(next)];
    if (different.length === launches.length && different.every((launch, i) => launch === launches[i])) return;
    launches = different;
    if (shown) draw();
  }

  function goTo(file, line) {
    if (file !== shown) show(file);
    const row = rows.get(line);
    if (row) scrollTo(row);
  }

  show(run.files[0]?.name ?? "");
  return { mark, setLaunches, goTo };
}
