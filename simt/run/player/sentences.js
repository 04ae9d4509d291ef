// ---- what happens, in words ----

/** "line 26", or nothing. */
function atLine(launch, event) {
  const place = placeOf(launch, event);
  return place ? `${place.file}:${place.line}` : "";
}

function accessSentence(event) {
  const lanes = lanesOf(event.lanes);
  const asked = counted(lanes.length * event.bytes, "byte");
  const who = lanes.length === 1 ? `1 lane asks for ${asked}`
    : `${lanes.length} lanes ask for ${counted(event.bytes, "byte")} each, ${asked} in all`;
  if (event.kind === "global atomic") {
    return `${who}. They take ${counted(event.sectors, "sector")}, each as often as the word in it that most lanes want.`;
  }
  if (event.sectors !== undefined) {
    const sectors = counted(event.sectors, "sector");
    return `${who}. The memory system moves ${sectors} of ${sectorBytes} bytes for them.`;
  }
  if (event.wavefronts !== undefined) {
    const conflicts = event.conflicts
      ? `${counted(event.conflicts, "bank conflict")}: lanes wait for a bank in turn.`
      : "no bank conflict.";
    return `${who}. The banks serve them in ${counted(event.wavefronts, "wavefront")}, ${conflicts}`;
  }
  if (event.words !== undefined) return `${who}. They are ${counted(event.words, "different word")} of constant memory.`;
  return `${who}.`;
}

function arriveSentence(event, warps) {
  const who = `${counted(lanesOf(event.lanes).length, "lane")} wait at ${event.operation}`;
  if (event.missing.length === 0) return `${who}: this warp is the last of ${warps} to come.`;
  const missing = event.missing.length === 1 ? "warp" : "warps";
  return `${who} for ${missing} ${namedLanes(event.missing)}. ` +
    "(Here the warps of a block take turns; on a GPU another one may be the last.)";
}

function partSentence(event) {
  const sides = event.sides.map((side, i) => `side ${sideName(i)}: lanes ${namedLanes(lanesOf(side))}`);
  return `${counted(lanesOf(event.lanes).length, "lane")} go separate ways, one side after the other; ` +
    `${sides.join("; ")}.`;
}

/** A, B, C and so on. */
function sideName(number) {
  return String.fromCharCode(65 + (number % 26));
}

function voteSentence(event) {
  const yes = lanesOf(event.votes).length;
  return `${yes} of ${counted(lanesOf(event.lanes).length, "lane")} answer yes; all of them learn who.`;
}

/** A word of warning where a finding names the line of an event; else nothing. */
function warningOf(launch, event) {
  const kinds = findingsAt(placeOf(launch, event));
  return kinds.length ? `A finding names this line: ${listed(kinds)}.` : "";
}

/** What an event is, in whole sentences. `warps` are those of the block. */
function sentenceOf(event, warps) {
  const lanes = lanesOf(event.lanes);
  if (isAccess(event)) return accessSentence(event);
  switch (event.kind) {
    case "shuffle":
      return `${event.operation}: ${counted(lanes.length, "lane")} read a register of another lane, or their own.`;
    case "vote":
      return voteSentence(event);
    case "warp sync":
      return `__syncwarp: ${counted(lanes.length, "lane")} have met.`;
    case "matrix operation":
      return `${event.operation}: ${counted(lanes.length, "lane")} work on a matrix together.`;
    case "barrier arrive":
      return arriveSentence(event, warps);
    case "barrier leave":
      return `All have come to ${event.operation}: ${counted(lanes.length, "lane")} go on.`;
    case "part":
      return partSentence(event);
    case "rejoin":
      return `${counted(lanes.length, "lane")} go on together.`;
    case "return":
      return `${counted(lanes.length, "lane")} return from the kernel.`;
    default:
      return "";
  }
}

/** A few words about an event, for the list of steps. */
function shortOf(event) {
  const lanes = lanesOf(event.lanes).length;
  if (event.sectors !== undefined) return counted(event.sectors, "sector");
  if (event.conflicts) return counted(event.conflicts, "conflict");
  if (event.wavefronts !== undefined) return "no conflict";
  if (event.kind === "part") return counted(event.sides.length, "side");
  return counted(lanes, "lane");
}

/** What a line did in a launch: "512 global loads with 4.00 sectors each" and so on. */
function phrasesOf(counters) {
  const phrases = [];
  const each = (total, requests) => (total / requests).toFixed(2);
  const traffic = (name, words, cost, costs) => {
    const requests = counters[`${name}_requests`];
    if (!requests) return;
    const total = counters[`${name}_${cost}`] ?? 0;
    phrases.push({
      text: `${counted(requests, words)}, ${total ? each(total, requests) : "no"} ${costs}${total ? " each" : ""}`,
      bad: cost === "bank_conflicts" && total > 0,
    });
  };
  traffic("global_load", "global load", "sectors", "sectors");
  traffic("global_store", "global store", "sectors", "sectors");
  traffic("global_atomic", "global atomic", "sectors", "sectors");
  traffic("shared_load", "shared load", "bank_conflicts", "conflicts");
  traffic("shared_store", "shared store", "bank_conflicts", "conflicts");
  traffic("shared_atomic", "shared atomic", "bank_conflicts", "conflicts");
  traffic("constant_load", "constant load", "words", "words");
  const plain = {
    distributed_requests: "access to other blocks|accesses to other blocks",
    block_barriers: "barrier", cluster_barriers: "barrier of several blocks|barriers of several blocks",
    shuffles: "shuffle", votes: "vote", warp_syncs: "warp sync", tensor_instructions: "tensor instruction", divergences: "divergence",
  };
  for (const [name, words] of Object.entries(plain)) {
    if (counters[name]) phrases.push({ text: counted(counters[name], ...words.split("|")), bad: false });
  }
  return phrases;
}
