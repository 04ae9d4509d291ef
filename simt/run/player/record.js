// ---- reading the record, which simt/docs/record.md describes ----

const run = JSON.parse(document.getElementById("record").textContent);

const warpSize = 32;
const sectorBytes = 32;
const wordBytes = 4;
const banks = 32;

/** The numbers of the bits that are set, ascending. */
function lanesOf(mask) {
  const lanes = [];
  for (let lane = 0; lane < warpSize; ++lane) {
    if ((mask >>> lane) & 1) lanes.push(lane);
  }
  return lanes;
}

/** "0 to 15 and 31": runs of neighbours are shortened, and so is every second one. */
function namedLanes(lanes) {
  const last = lanes.length - 1;
  if (last >= 3 && lanes.every((lane, i) => lane === lanes[0] + 2 * i)) {
    return `${lanes[0]}, ${lanes[1]} and so on, every second one to ${lanes[last]}`;
  }
  const runs = [];
  for (const lane of lanes) {
    const last = runs[runs.length - 1];
    if (last && last[1] === lane - 1) last[1] = lane;
    else runs.push([lane, lane]);
  }
  const words = runs.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
  return listed(words);
}

/** Whether an event is an access to memory. */
function isAccess(event) {
  return event.bytes !== undefined;
}

function isShared(event) {
  return event.kind.startsWith("shared");
}

/** Of each lane that takes part: its number, its array (undefined for shared memory), its offset. */
function accessesOf(event) {
  return lanesOf(event.lanes).map((lane, i) => ({
    lane,
    array: event.arrays ? event.arrays[i] : event.array,
    offset: event.offsets ? event.offsets[i] : event.first + i * event.stride,
  }));
}

/** All recorded warps of a launch, as the choice of warps lists them. */
function warpsOf(launch) {
  const warps = [];
  for (const block of launch.recorded?.blocks ?? []) {
    for (const warp of block.recorded) warps.push({ block, warp });
  }
  return warps;
}

/** The place of an event, or undefined. */
function placeOf(launch, event) {
  return event.place === undefined ? undefined : launch.recorded.places[event.place];
}

/** The lines that a finding names, in its order: {file, line, what: "error" or "note"}. */
function linesOf(finding) {
  const lines = [];
  for (const found of finding.message.matchAll(/^([^\s:][^:\n]*):(\d+): (error|note): /gm)) {
    lines.push({ file: found[1], line: Number(found[2]), what: found[3] });
  }
  return lines;
}

/** The findings, then the notes of what is no mistake. */
function findingsAndNotes() {
  return [...run.findings, ...(run.notes ?? [])];
}

/** The kinds of the findings and notes that name this place, such as "shared-race". */
function findingsAt(place) {
  const names = findingsAndNotes().filter((finding) =>
    linesOf(finding).some(({ file, line }) => file === place?.file && line === place?.line));
  return [...new Set(names.map((finding) => finding.kind))];
}

/** "4x4" of three extents. */
function shape(extents) {
  const [x, y, z] = extents;
  if (z > 1) return `${x}x${y}x${z}`;
  return y > 1 ? `${x}x${y}` : `${x}`;
}

/** The variable of shared memory that an offset lies in, or undefined. */
function sharedObjectAt(block, offset) {
  return block.shared.find((object) => offset >= object.offset && offset < object.offset + object.bytes);
}
