// ---- 32 lanes as cells ----

/** What a lane shows below its number. */
function laneTexts(event, block) {
  const texts = new Map();
  if (isAccess(event)) {
    for (const { lane, array, offset } of accessesOf(event)) texts.set(lane, laneAddress(event, block, array, offset));
  } else if (event.kind === "shuffle") {
    lanesOf(event.lanes).forEach((lane, i) => texts.set(lane, `←${event.from[i]}`));
  } else if (event.kind === "vote") {
    for (const lane of lanesOf(event.lanes)) texts.set(lane, (event.votes >>> lane) & 1 ? "yes" : "no");
  } else if (event.kind === "part") {
    event.sides.forEach((side, i) => lanesOf(side).forEach((lane) => texts.set(lane, sideName(i))));
  } else {
    const word = { "barrier arrive": "wait", "return": "end" }[event.kind] ?? "go";
    for (const lane of lanesOf(event.lanes)) texts.set(lane, word);
  }
  return texts;
}

/** An offset within its array or variable. */
function laneAddress(event, block, array, offset) {
  if (array === -1) return "nowhere";
  if (!isShared(event)) return `${offset}`;
  const object = sharedObjectAt(block, offset);
  return `${object ? offset - object.offset : offset}`;
}

/** What the texts in the cells are. */
function laneLegend(event) {
  if (isAccess(event)) return "Each lane with the byte at which its access begins, counted from the start of the array or variable.";
  if (event.kind === "shuffle") return "Each lane with the lane that it reads.";
  if (event.kind === "vote") return "Each lane with its answer.";
  if (event.kind === "part") return "Each lane with its side.";
  return "The lanes that take part.";
}

/** `alive`: the lanes that the warp has. */
function drawLanes(event, block, alive) {
  const texts = laneTexts(event, block);
  const cells = [];
  for (let lane = 0; lane < warpSize; ++lane) {
    const active = ((event.lanes >>> lane) & 1) === 1;
    const exists = ((alive >>> lane) & 1) === 1;
    const text = active ? texts.get(lane) ?? "" : exists ? "–" : "none";
    const side = event.kind === "part" && active ? ` side-${text.toLowerCase()}` : "";
    cells.push(element("li", { class: (active ? "lane active" : "lane") + side },
      element("b", { text: lane }), element("span", { text })));
  }
  return element("div", {}, element("h4", { text: "Lanes" }),
    element("p", { class: "hint", text: laneLegend(event) }), element("ol", { class: "lanes" }, ...cells));
}
