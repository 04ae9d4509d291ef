// ---- shared memory as 32 banks ----

/** Lanes that are served together: all up to 4 bytes, halves for 8, quarters for 16. */
function servedTogether(event) {
  const size = warpSize / Math.max(1, event.bytes / wordBytes);
  const groups = [];
  for (let first = 0; first < warpSize; first += size) groups.push([first, first + size - 1]);
  return groups;
}

/** For each bank the different words that these lanes want of it, each with its lanes. */
function wantedWords(event, [first, last]) {
  const wanted = Array.from({ length: banks }, () => new Map());
  for (const { lane, offset } of accessesOf(event)) {
    if (lane < first || lane > last) continue;
    const end = Math.floor((offset + event.bytes - 1) / wordBytes);
    for (let word = Math.floor(offset / wordBytes); word <= end; ++word) {
      const words = wanted[word % banks];
      words.set(word, [...(words.get(word) ?? []), lane]);
    }
  }
  return wanted;
}

const mostWords = 6;

function drawBank(number, words) {
  const cells = [...words.values()].slice(0, mostWords).map((lanes) =>
    element("span", { class: "word asked", text: shortLanes(lanes), title: `lanes ${namedLanes(lanes)}` }));
  if (words.size > mostWords) cells.push(element("span", { class: "word rest", text: "…" }));
  const crowded = words.size > 1;
  const label = `bank ${number}: ${counted(words.size, "word")} wanted`;
  return element("li", { class: crowded ? "bank crowded" : "bank", "aria-label": label, title: label },
    element("span", { class: "address", text: number }),
    element("span", { class: "times", text: crowded ? `×${words.size}` : "" }), ...cells);
}

function busiest(wanted) {
  return Math.max(...wanted.map((words) => words.size));
}

function drawBankGroup(event, group, many) {
  const wanted = wantedWords(event, group);
  const title = `Lanes ${group[0]} to ${group[1]}: the busiest bank is asked for ${counted(busiest(wanted), "word")}`;
  return element("div", {}, many ? element("p", { class: "array", text: title }) : null,
    element("ol", { class: "banks" }, ...wanted.map((words, number) => drawBank(number, words))));
}

function sharedTitle(event, block) {
  const names = new Set(accessesOf(event).map(({ offset }) => sharedObjectAt(block, offset)?.name ?? "no variable"));
  return `In ${listed([...names])}`;
}

/** The banks that an access asks, group by group. */
function drawBanks(event, block) {
  const groups = servedTogether(event).filter(([first, last]) =>
    lanesOf(event.lanes).some((lane) => lane >= first && lane <= last));
  const together = groups.length > 1
    ? " So wide an access is served in groups of lanes; two of them at once where neighbouring lanes want the same." : "";
  return element("div", {}, element("h4", { text: "Banks" }),
    element("p", { class: "hint", text: "A column is a bank with the words that are wanted of it, each with the lane that " +
      `asks. It serves one word at a time: ×2 and more (in a double frame) are served one after the other; the first ${mostWords} are shown.${together}` }),
    element("p", { class: "array", text: sharedTitle(event, block) }),
    ...groups.map((group) => drawBankGroup(event, group, groups.length > 1)));
}
