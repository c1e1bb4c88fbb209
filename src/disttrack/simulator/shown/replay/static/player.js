// The clock and its controls: buttons, slider, keys; the texts on the present row.

const byId = (id) => document.getElementById(id);
const data = house.data("games");
const games = data.games.map((one) => new Game(one, data.step));
const pictures = games.map((game, place) => new Picture(byId(`picture${place}`), game));
const last = data.step.length - 1;
const failures = [...new Set(games.filter((game) => game.first).map((game) => game.first[0]))].sort((a, b) => a - b);
const still = window.matchMedia("(prefers-reduced-motion: reduce)");
let at = 0, playing = false, before = 0, shown = -1, asked = false;

function speed() {
  const chosen = Number(byId("speed").value);
  return chosen || Math.max(1, last / 20);
}

function go(row, quiet = false) {
  at = Math.min(last, Math.max(0, row));
  if (!quiet) byId("aloud").textContent = aloud(Math.floor(at));
  ask();
}

function aloud(row) {
  const each = games.map((game, place) => games.length > 1 ? `Game ${place + 1}, ${game.title}: ${game.aloud(row)}` : game.aloud(row));
  return `Step ${count(data.step[row])}. ${each.join(" ")}`;
}

function play(on) {
  playing = on && last > 0;
  if (playing && at >= last) at = 0;
  byId("play").textContent = playing ? "Pause" : "Play";
  before = performance.now();
  if (!playing) go(Math.floor(at));
  ask();
}

function toFailure() {
  if (!failures.length) return;
  play(false);
  go(failures.find((row) => row > Math.floor(at)) ?? failures[0]);
}

function stepBy(rows) {
  play(false);
  go(Math.floor(at) + rows);
}

function ask() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(frame);
}

function frame(now) {
  asked = false;
  if (playing) {
    at = Math.min(last, at + Math.max(0, now - before) / 1000 * speed());
    before = now;
    if (at >= last) play(false);
    else ask();
  }
  const row = Math.floor(at);
  for (const picture of pictures) picture.draw(still.matches ? row : at);
  if (row !== shown) show(row);
}

function show(row) {
  shown = row;
  byId("at").value = row;
  byId("at").setAttribute("aria-valuetext", `step ${count(data.step[row])} of ${count(data.step[last])}`);
  byId("clock").textContent = count(data.step[row]);
  games.forEach((game, place) => {
    const bad = game.bad.has(row), held = game.heldIn(row);
    const numbers = byId(`numbers${place}`);
    numbers.replaceChildren(
      ...[["words", count(game.wordsTo[row])], ["messages", count(game.messagesTo[row])], ["truth", game.items[row]], ["estimate", game.output[row]]]
        .flatMap(([name, value]) => [`${name} `, bold(value), " · "]),
      "error ", bold(game.error(row), bad ? "bad" : ""), bad ? ": fails" : "",
      held === null ? "" : ` · unreported ${count(held)}`,
    );
    const text = byId(`move${place}`);
    text.textContent = game.moveAt(row);
    text.className = game.first && game.first[0] === row ? "move bad" : "move";
    game.sumTo(row);
    byId(`kinds${place}`).querySelectorAll("b").forEach((one, kind) => { one.textContent = count(game.kindsWords[kind]); });
  });
}

function bold(text, name = "") {
  const made = document.createElement("b");
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function legend() {
  const dark = house.dark();
  games.forEach((game, place) => {
    byId(`kinds${place}`).replaceChildren(...game.kinds.map((look) => {
      const item = document.createElement("li"), colour = dark ? look.dark : look.light;
      item.innerHTML = `<svg width="54" height="14" aria-hidden="true"><line x1="1" x2="40" y1="7" y2="7" stroke="${colour}" `
        + `stroke-width="2" stroke-dasharray="${look.dash.join(" ")}"/><text x="44" y="11" font-size="12" font-weight="700" fill="${colour}"></text></svg>`;
      item.querySelector("text").textContent = look.letter;
      item.append(`${look.name}: `, bold("0"), " words");
      return item;
    }));
  });
}

// The whole course in small above the slider: how far the estimate is from the truth, and where it fails.
function drawCourse() {
  const canvas = byId("course"), box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(box.width * ratio);
  canvas.height = Math.round(box.height * ratio);
  const c = canvas.getContext("2d"), colours = pictures[0].colours;
  c.scale(ratio, ratio);
  const lane = box.height / games.length, inset = 8, width = box.width - 2 * inset;
  games.forEach((game, place) => {
    const middle = lane * (place + .5), reach = 2.5 * (game.alpha || .1);
    const y = (quotient) => middle - Math.max(-1, Math.min(1, (quotient - 1) / reach)) * (lane / 2 - 1);
    const x = (row) => inset + width * (last ? row / last : 0);
    if (game.alpha) {
      c.fillStyle = colours.band;
      c.fillRect(inset, y(1 + game.alpha), width, y(1 - game.alpha) - y(1 + game.alpha));
    }
    const slots = Math.max(1, Math.floor(width));
    for (let slot = 0; slot < slots; slot++) {
      const from = Math.floor(slot * (last + 1) / slots), to = Math.max(from + 1, Math.floor((slot + 1) * (last + 1) / slots));
      let low = Infinity, high = -Infinity, bad = false;
      for (let row = from; row < to && row <= last; row++) {
        low = Math.min(low, game.low[row]);
        high = Math.max(high, game.high[row]);
        bad = bad || game.bad.has(row);
      }
      if (low > high) continue;
      c.fillStyle = bad ? colours.bad : colours.accent;
      c.fillRect(inset + slot, y(high), 1, Math.max(1, y(low) - y(high)));
    }
    if (game.first) {
      c.fillStyle = colours.bad;
      c.fillRect(x(game.first[0]) - 1, middle - lane / 2, 2, lane);
    }
  });
}

function redraw() {
  pictures.forEach((picture) => picture.resize());
  legend();
  drawCourse();
  shown = -1;
  ask();
}

function onClick(id, act) {
  byId(id).addEventListener("click", (event) => {
    act();
    if (event.detail) event.currentTarget.blur();  // a click of the mouse: the next space plays
  });
}

onClick("play", () => play(!playing));
onClick("back", () => stepBy(-1));
onClick("next", () => stepBy(1));
onClick("home", () => { play(false); go(0); });
onClick("end", () => { play(false); go(last); });
onClick("failure", toFailure);
byId("failure").disabled = !failures.length;
if (!failures.length) byId("failure").textContent = "No failure";
byId("at").max = last;
byId("at").addEventListener("input", () => { play(false); go(Number(byId("at").value)); });
byId("height").addEventListener("change", () => {
  pictures.forEach((picture) => { picture.rowHeight = Number(byId("height").value); });
  ask();
});
const KEYS = {
  " ": () => play(!playing),
  ArrowRight: () => stepBy(1),
  ArrowLeft: () => stepBy(-1),
  Home: () => { play(false); go(0); },
  End: () => { play(false); go(last); },
  f: toFailure,
  F: toFailure,
};
document.addEventListener("keydown", (event) => {
  const tag = event.target.tagName;
  if (event.ctrlKey || event.metaKey || event.altKey || tag === "SELECT") return;
  if (event.key === " " && (tag === "BUTTON" || tag === "SUMMARY")) return;  // it presses what has the focus
  if (!(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});
window.addEventListener("resize", redraw);
document.addEventListener("theme", redraw);
redraw();
go(failures[0] ?? 0);  // a game that fails opens where it does
Promise.all(games.map((game) => game.unpack())).then(() => { shown = -1; ask(); });
