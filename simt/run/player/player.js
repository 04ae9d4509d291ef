// ---- a player of one warp ----

const speeds = [1, 2, 4, 8, 16];
const listedBefore = 2;
const listedAfter = 4;

/** The warps of the block, and which of them have come to the barrier. */
function drawWarps(event, block) {
  const cells = [];
  for (let warp = 0; warp < block.warps; ++warp) {
    const missing = event.missing.includes(warp);
    cells.push(element("li", { class: missing ? "lane" : "lane active" },
      element("b", { text: `warp ${warp}` }), element("span", { text: missing ? "not yet" : "is here" })));
  }
  return element("div", {}, element("h4", { text: "Warps of the block" }), element("ol", { class: "warps" }, ...cells));
}

/** What an event did to memory or to others, if there is something to draw. */
function drawEffect(event, block, launch) {
  if (event.kind === "barrier arrive") return drawWarps(event, block);
  if (!isAccess(event)) return null;
  if (isShared(event)) return drawBanks(event, block);
  return event.array === undefined && !event.arrays ? null : drawSectors(event, launch);
}

/** Labelled `select` with these options. */
function makeChoice(id, label, options, onChange) {
  const select = element("select", { id });
  options.forEach((text, value) => select.append(element("option", { value, text })));
  select.addEventListener("change", () => onChange(Number(select.value)));
  return { select, all: element("label", { for: id }, `${label} `, select) };
}

function launchTitle(launch, number) {
  const program = launch.program ? `${launch.program}, ` : "";
  return `${number + 1}: ${program}${launch.kernel}, grid ${shape(launch.grid)}, block ${shape(launch.block)}`;
}

/** `number` tells it from others, from 1; `onMove` is called whenever another event is shown. */
function makePlayer(number, onMove) {
  const id = `player-${number}`;
  const recorded = run.launches.map((of, place) => ({ launch: of, place })).filter((one) => warpsOf(one.launch).length);
  let launch = null;
  let chosen = null;
  let at = 0;
  let timer = 0;

  const launchChoice = makeChoice(`${id}-launch`, "Launch",
    recorded.map((one) => launchTitle(one.launch, one.place)), (i) => chooseLaunch(i));
  const warpChoice = makeChoice(`${id}-warp`, "Warp", [], (i) => chooseWarp(i));
  const speedChoice = makeChoice(`${id}-speed`, "Steps per second", speeds, restart);
  speedChoice.select.value = "1";

  const button = (text, action) => {
    const made = element("button", { type: "button", text });
    made.addEventListener("click", action);
    return made;
  };
  const play = button("Play", toggle);
  const slider = element("input", { type: "range", min: 0, value: 0, "aria-label": "Step" });
  slider.addEventListener("input", () => { pause(); go(Number(slider.value)); });
  const count = element("span", { class: "step-count" });
  const title = element("h3", { class: "event-title" });
  const sentence = element("p", { class: "sentence", "aria-live": "polite" });
  const warning = element("p", { class: "bad" });
  const steps = element("ol", { class: "steps", "aria-label": "Steps around this one" });
  const picture = element("div", { class: "picture" });
  const box = element("article", { class: "player", id, "aria-label": `Player ${number}` },
    element("p", { class: "choices" }, launchChoice.all, warpChoice.all),
    element("p", { class: "controls" }, button("First", () => stepTo(0)), button("Back", () => stepTo(at - 1)), play,
      button("Next", () => stepTo(at + 1)), button("Last", () => stepTo(events().length - 1)), speedChoice.all),
    element("p", { class: "position" }, slider, count), title, sentence, warning, picture, steps);

  function events() {
    return chosen?.warp.events ?? [];
  }

  function chooseLaunch(which) {
    pause();
    launch = recorded[which].launch;
    launchChoice.select.value = which;
    refill(warpChoice.select, ...warpsOf(launch).map(({ block, warp }, i) =>
      element("option", { value: i, text: `block ${block.block}, warp ${warp.warp}` })));
    chooseWarp(0);
  }

  function chooseWarp(which) {
    pause();
    chosen = warpsOf(launch)[which];
    warpChoice.select.value = which;
    slider.max = Math.max(0, events().length - 1);
    go(0);
  }

  function go(to) {
    at = Math.min(Math.max(0, to), Math.max(0, events().length - 1));
    draw();
    onMove();
  }

  function stepTo(to) {
    pause();
    go(to);
  }

  function toggle() {
    if (timer) return pause();
    if (at + 1 >= events().length) go(0);
    timer = setInterval(advance, 1000 / speeds[Number(speedChoice.select.value)]);
    play.textContent = "Pause";
  }

  function advance() {
    if (at + 1 < events().length) go(at + 1);
    if (at + 1 >= events().length) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }

  function restart() {
    if (!timer) return;
    pause();
    toggle();
  }

  function drawSteps() {
    const from = Math.max(0, at - listedBefore);
    const items = events().slice(from, at + listedAfter + 1).map((event, i) => {
      const place = from + i;
      const there = button(`${event.kind}, ${shortOf(event)}`, () => stepTo(place));
      if (place === at) there.setAttribute("aria-current", "step");
      return element("li", { value: place + 1 }, there,
        element("span", { class: "where", text: ` ${atLine(launch, event)}` }));
    });
    refill(steps, ...items);
  }

  function draw() {
    const event = events()[at];
    slider.value = at;
    const left = chosen?.warp.left_out ?? 0;
    count.textContent = event ? `step ${at + 1} of ${events().length}` : "no steps";
    slider.setAttribute("aria-valuetext", count.textContent);
    if (left > 0) count.textContent += `; ${counted(left, "later one")} not recorded`;
    if (!event) return refill(picture, element("p", { text: "This warp came to no end that is recorded." }));
    title.textContent = `${event.kind} ${atLine(launch, event) && `at ${atLine(launch, event)}`}`;
    const waitsForEver = event.kind === "barrier arrive" && at + 1 === events().length && left === 0;
    const end = waitsForEver ? " This warp never went on: the launch ended here." : "";
    sentence.textContent = sentenceOf(event, chosen.block.warps) + end;
    warning.textContent = warningOf(launch, event);
    refill(picture, drawLanes(event, chosen.block, chosen.warp.lanes), drawEffect(event, chosen.block, launch));
    drawSteps();
  }

  /** The next event at a line, from the one behind the current one on. */
  function goToLine(file, line) {
    const all = events();
    for (let ahead = 1; ahead <= all.length; ++ahead) {
      const next = (at + ahead) % all.length;
      const found = placeOf(launch, all[next]);
      if (found && found.file === file && found.line === line) return stepTo(next);
    }
  }

  const place = () => (events()[at] ? placeOf(launch, events()[at]) : undefined);
  return {
    box, place, goToLine, toggle, pause, chooseLaunch,
    launches: recorded.length,
    launch: () => launch,
    back: () => stepTo(at - 1),
    next: () => stepTo(at + 1),
    first: () => stepTo(0),
    last: () => stepTo(events().length - 1),
  };
}
