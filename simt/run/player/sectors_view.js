// ---- global memory as sectors of 32 bytes ----

const mostSectors = 64;

/** Which lanes want which words: array -> sector number -> word in it -> lanes. */
function wantedSectors(event) {
  const arrays = new Map();
  for (const { lane, array, offset } of accessesOf(event)) {
    if (!arrays.has(array)) arrays.set(array, new Map());
    const sectors = arrays.get(array);
    const last = offset + event.bytes - 1;
    for (let word = Math.floor(offset / wordBytes); word <= Math.floor(last / wordBytes); ++word) {
      const number = Math.floor((word * wordBytes) / sectorBytes);
      if (!sectors.has(number)) sectors.set(number, new Map());
      const words = sectors.get(number);
      const at = word % (sectorBytes / wordBytes);
      words.set(at, [...(words.get(at) ?? []), lane]);
    }
  }
  return arrays;
}

/** "5", or "5+3" for lane 5 and three others. */
function shortLanes(lanes) {
  const different = [...new Set(lanes)];
  return different.length === 1 ? `${different[0]}` : `${different[0]}+${different.length - 1}`;
}

function drawSector(number, words, bytes) {
  const cells = [];
  for (let at = 0; at < sectorBytes / wordBytes; ++at) {
    const lanes = words.get(at);
    const beyond = number * sectorBytes + at * wordBytes >= bytes;
    const state = lanes ? (beyond ? "word asked beyond" : "word asked") : beyond ? "word none" : "word";
    cells.push(element("span", {
      class: state, text: lanes ? shortLanes(lanes) : "",
      title: lanes ? `lanes ${namedLanes([...new Set(lanes)])}` : "moved, but not asked for",
    }));
  }
  const used = words.size;
  return element("li", { class: "sector" },
    element("span", { class: "address", text: `${number * sectorBytes}` }),
    element("span", { class: "words", role: "img",
      "aria-label": `sector at byte ${number * sectorBytes}: ${used} of 8 words are asked for` }, ...cells));
}

function arrayTitle(array) {
  if (!array) return "Memory in which nothing is allocated";
  const where = array.allocated_at ? `, from ${array.allocated_at}` : "";
  return `In ${array.name}${where}`;
}

/** The sectors of each array that an access reaches. */
function drawSectors(event, launch) {
  const parts = [element("h4", { text: "Sectors" }), element("p", { class: "hint",
    text: "A row is a sector, with the byte at which it begins and its 8 words of 4 bytes. A number is the lane that " +
      "asks for the word, +3 that three more do; hatched words are moved though nobody asks for them." })];
  for (const [number, sectors] of wantedSectors(event)) {
    const array = launch.recorded.arrays[number];
    const sorted = [...sectors].sort(([a], [b]) => a - b);
    parts.push(element("p", { class: "array", text: arrayTitle(array) }));
    if (!array) continue;
    parts.push(element("ol", { class: "sectors" },
      ...sorted.slice(0, mostSectors).map(([at, words]) => drawSector(at, words, array.bytes))));
    if (sorted.length > mostSectors) {
      parts.push(element("p", { class: "hint", text: `and ${sorted.length - mostSectors} more` }));
    }
  }
  return element("div", {}, ...parts);
}
