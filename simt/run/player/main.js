// ---- the page ----

function showSummary() {
  const parts = [counted(run.launches.length, "launch", "launches"), counted(run.findings.length, "finding")];
  if (run.notes?.length > 0) parts.push(counted(run.notes.length, "note"));
  if (run.timed_out) parts.push("ended because its time was up");
  else if (run.signal) parts.push(`ended by signal ${run.signal}`);
  else parts.push(`exit code ${run.exit_code}`);
  document.getElementById("summary").textContent = `${parts.join(", ")}.`;
}

function showFindings(source) {
  if (findingsAndNotes().length === 0) return;
  document.getElementById("findings").hidden = false;
  const items = findingsAndNotes().map((finding) => {
    const places = new Map(linesOf(finding).map((place) => [`${place.file}:${place.line}`, place]));
    const links = [...places].map(([text, { file, line }]) => {
      const link = element("button", { type: "button", text: `Show ${text}` });
      link.addEventListener("click", () => source.goTo(file, line));
      return link;
    });
    return element("li", {}, element("pre", { text: finding.message }), element("p", { class: "controls" }, ...links));
  });
  refill(document.getElementById("finding-list"), ...items);
}

/** Keys that a control has a meaning of its own for are left to it. */
function isOwnKey(target, key) {
  if (!(target instanceof Element)) return false;
  if (target.closest("select, textarea")) return true;
  if (target.closest("button")) return key === " " || key === "Enter";
  return target.closest("input") !== null && key !== " ";
}

function listenToKeys(pairs) {
  const actions = {
    " ": (player) => player.toggle(), ArrowRight: (player) => player.next(), ArrowLeft: (player) => player.back(),
    ArrowDown: (player) => player.next(), ArrowUp: (player) => player.back(),
    Home: (player) => player.first(), End: (player) => player.last(),
  };
  document.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey || isOwnKey(event.target, event.key)) return;
    event.preventDefault();
    pairs.forEach(({ player }) => action(player));
  });
}

/** A player with the source that it plays. */
function makePlayedSource(number) {
  const source = makeSourceView(number, (file, line) => player.goToLine(file, line));
  const player = makePlayer(number, () => {
    source.setLaunch(player.launch());
    source.mark(player.place());
  });
  return { source, player };
}

/** Adds a player to those on the page. The first plays the first launch, another the one to be seen beside it. */
function add(pairs) {
  const pair = makePlayedSource(pairs.length + 1);
  document.getElementById("source-list").append(pair.source.box);
  document.getElementById("player-list").append(pair.player.box);
  const second = Math.min(run.beside ?? 1, pair.player.launches - 1);
  pair.player.chooseLaunch(pairs.length === 0 ? 0 : second);
  pairs.push(pair);
}

function removeLast(pairs) {
  const { source, player } = pairs.pop();
  player.pause();
  player.box.remove();
  source.box.remove();
}

function listenToBeside(pairs) {
  const button = document.getElementById("beside");
  button.addEventListener("click", () => {
    if (pairs.length === 1) add(pairs);
    else removeLast(pairs);
    const two = pairs.length === 2;
    document.querySelector("main").classList.toggle("two", two);
    button.textContent = two ? "Play one warp alone" : "Play another warp beside it";
  });
}

function start() {
  const pairs = [];
  showSummary();
  listenToKeys(pairs);
  if (run.launches.some((launch) => warpsOf(launch).length)) {
    add(pairs);
    listenToBeside(pairs);
    showFindings(pairs[0].source);
    return;
  }
  const source = makeSourceView(1, () => {});
  document.getElementById("source-list").append(source.box);
  refill(document.getElementById("players"), element("p", { text: "No launch has been recorded." }));
  showFindings(source);
}

start();
