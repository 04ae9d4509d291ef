// ---- the page ----

function showSummary() {
  const parts = [counted(run.launches.length, "launch", "launches"), counted(run.findings.length, "finding")];
  if (run.timed_out) parts.push("ended because its time was up");
  else if (run.signal) parts.push(`ended by signal ${run.signal}`);
  else parts.push(`exit code ${run.exit_code}`);
  document.getElementById("summary").textContent = `${parts.join(", ")}.`;
}

function showFindings(source) {
  if (run.findings.length === 0) return;
  document.getElementById("findings").hidden = false;
  const items = run.findings.map((finding) => {
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

function listenToKeys(shown) {
  const actions = {
    " ": (player) => player.toggle(), ArrowRight: (player) => player.next(), ArrowLeft: (player) => player.back(),
    ArrowDown: (player) => player.next(), ArrowUp: (player) => player.back(),
    Home: (player) => player.first(), End: (player) => player.last(),
  };
  document.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey || isOwnKey(event.target, event.key)) return;
    event.preventDefault();
    shown.forEach(action);
  });
}

function start() {
  const shown = [];
  const list = document.getElementById("player-list");
  const source = makeSourceView((file, line) => shown.forEach((player) => player.goToLine(file, line)));
  const onMove = () => {
    source.setLaunches(shown.map((player) => player.launch()).filter((launch) => launch));
    source.mark(shown.map((player) => player.place()).filter((place) => place));
  };
  const add = () => {
    const player = makePlayer(onMove);
    shown.push(player);
    list.append(player.box);
    const second = Math.min(run.beside ?? 1, player.launches - 1);
    player.chooseLaunch(shown.length === 1 ? 0 : second);
  };
  const beside = document.getElementById("beside");
  const removeSecond = () => {
    const player = shown.pop();
    player.pause();
    player.box.remove();
    onMove();
  };
  beside.addEventListener("click", () => {
    if (shown.length === 1) add();
    else removeSecond();
    document.getElementById("players").classList.toggle("two", shown.length === 2);
    beside.textContent = shown.length === 2 ? "Play one warp alone" : "Play another warp beside it";
  });
  showSummary();
  showFindings(source);
  listenToKeys(shown);
  if (run.launches.some((launch) => warpsOf(launch).length)) add();
  else refill(document.getElementById("players"), element("p", { text: "No launch has been recorded." }));
}

start();
