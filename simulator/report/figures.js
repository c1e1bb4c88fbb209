"use strict";
// Figures: unpack the library, draw each figure over its picture, and give it buttons that a keyboard reaches.
(async () => {
  const figures = [...document.querySelectorAll(".figure[data-figure]")];
  const packed = document.getElementById("plotly-library");
  if (!figures.length || !packed || !("DecompressionStream" in window)) return;  // the pictures stay
  const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
  packed.remove();

  const NARROW = 620, MANY = 12;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const axes = (layout, which) => Object.keys(layout).filter((key) => key.startsWith(`${which}axis`));

  // A colour of white paper as it looks on dark ground: greys are turned round, pale fills darkened, inks lightened.
  const dusk = (value) => {
    const found = /^#(..)(..)(..)$/.exec(value) ?? /^rgba\((\d+),(\d+),(\d+),([\d.]+)\)$/.exec(value);
    if (!found) return value;
    const [r, g, b] = found.slice(1, 4).map((part) => parseInt(part, value[0] === "#" ? 16 : 10) / 255);
    const high = Math.max(r, g, b), low = Math.min(r, g, b), light = (high + low) / 2, span = high - low;
    const full = span === 0 ? 0 : span / (1 - Math.abs(2 * light - 1));
    const hue = span === 0 ? 0 : 60 * (high === r ? ((g - b) / span + 6) % 6 : high === g ? (b - r) / span + 2 : (r - g) / span + 4);
    const grey = span < 0.06;
    const now = grey ? 0.93 - 0.8 * light : light > 0.78 ? 0.27 : Math.max(light, 0.6);
    const alpha = found[4] === undefined ? 1 : Number(found[4]);
    return `hsla(${hue.toFixed(0)},${(100 * Math.min(full, light > 0.78 ? 0.35 : 0.85)).toFixed(0)}%,${(100 * now).toFixed(0)}%,${alpha})`;
  };
  const inDusk = (value, key = "") => {
    if (Array.isArray(value)) return value.map((one) => inDusk(one, key));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, name === "meta" || name === "colorscale" ? one : inDusk(one, name)]));
    }
    return typeof value === "string" && /color$/i.test(key) ? dusk(value) : value;
  };

  // Panels beside each other stand below each other where there is no room.
  const arranged = (spec, width) => {
    const layout = spec.layout;
    const columns = 1 + Math.max(...spec.panels.map((panel) => panel.column));
    const stacked = width < NARROW && columns > 1;
    if (!stacked) return layout.height;
    const order = [...spec.panels].sort((one, other) => one.column - other.column || one.row - other.row);
    const heights = order.map((panel) => Math.min(panel.height, 260));
    const total = heights.reduce((sum, height) => sum + height + 84, -84);
    let top = 0;
    order.forEach((panel, place) => {
      const [x, y] = ["x", "y"].map((which) => layout[`${which}axis${panel.number === 1 ? "" : panel.number}`]);
      x.domain = [0, 1];
      y.domain = [Math.max(0, 1 - (top + heights[place]) / total), 1 - top / total];
      for (const [axis, said] of [[x, panel.x], [y, panel.y]]) {
        axis.showticklabels = true;
        axis.title = { ...axis.title, text: axis.title.text || escaped(said) };
      }
      top += heights[place] + 84;
    });
    return total;
  };
  const escaped = (text) => text.replace(/[&<>]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[letter]);

  // All values of one axis that are drawn, to tell whether a logarithmic scale can show them.
  const values = (data, name, which) => data
    .filter((trace) => trace[`${which}axis`] === name && trace.type !== "heatmap")
    .flatMap((trace) => trace.type === "bar" && trace.base ? [0] : trace[which]).filter((value) => value !== null);

  class Live {
    constructor(box) {
      this.box = box;
      this.spec = house.data(box.dataset.figure);
      this.hidden = new Set();
      this.logs = { x: null, y: null };  // null: as the figure has it
      this.place = document.createElement("div");
      this.place.className = "live";
      this.place.setAttribute("role", "img");
      this.place.setAttribute("aria-label", box.querySelector("img").alt);
      box.querySelector(".still").before(this.place);
      this.buttons();
      box.classList.add("drawn");
    }

    series() {
      return [...new Set(this.spec.data.map((trace) => trace.meta.series))];
    }

    // The axes whose scale can be changed: no words, all values above zero.
    free(which) {
      const spec = this.spec;
      return spec.panels.filter((panel) => !panel.words.includes(which)).map((panel) => panel.number === 1 ? "" : panel.number)
        .filter((number) => {
          const found = values(spec.data, `${which}${number}`, which);
          return found.length > 0 && found.every((value) => typeof value === "number" && value > 0);
        }).map((number) => `${which}axis${number}`);
    }

    rescaled(layout, which) {
      const wanted = this.logs[which];
      if (wanted === null) return;
      for (const key of this.free(which)) {
        const axis = layout[key], kind = wanted ? "log" : "linear";
        if (axis.type === kind) continue;
        axis.type = kind;
        delete axis.tickvals;
        delete axis.ticktext;
        axis.tickmode = "auto";
        delete axis.range;
        axis.autorange = true;
        for (const note of layout.annotations) {
          if (note[`${which}ref`] !== key.replace("axis", "")) continue;
          note[which] = wanted ? Math.log10(note[which]) : 10 ** note[which];
          note.visible = Number.isFinite(note[which]);
        }
      }
    }

    // The figure as it is to be drawn now; on white paper for files.
    made(width, paper = false) {
      const spec = copy(this.spec);
      const dark = house.dark() && !paper;
      for (const trace of spec.data) trace.visible = !this.hidden.has(trace.meta.series);
      const height = arranged(spec, width);
      for (const which of ["x", "y"]) this.rescaled(spec.layout, which);
      const heat = new Set(spec.data.filter((trace) => trace.type === "heatmap").map((trace) => trace.xaxis));
      const cells = spec.layout.annotations.map((note) => heat.has(note.xref) && note);
      let { data, layout } = dark ? inDusk(spec) : spec;
      cells.forEach((cell, place) => { if (cell) layout.annotations[place].font = cell.font; });
      // words in cells and at ends of lines belong to what is shown; at a narrow width the latter have no room
      if (width < NARROW) layout.annotations = layout.annotations.filter((note) => note.name === "heading" || heat.has(note.xref) || note.xref.includes("domain"));
      else if (this.hidden.size || this.logs.y !== null || this.logs.x !== null) layout.annotations = layout.annotations.filter((note) => !("xshift" in note) && !note.showarrow);
      const ink = paper ? "#222222" : house.colour("--ink"), quiet = paper ? "#575d66" : house.colour("--quiet");
      const line = paper ? "#dddddd" : house.colour("--line");
      for (const which of ["x", "y"]) {
        for (const key of axes(layout, which)) {
          Object.assign(layout[key], { gridcolor: line, linecolor: quiet, showline: true, zeroline: false, tickcolor: quiet, ticks: "outside", tickfont: { color: quiet }, exponentformat: layout[key].type === "log" ? "power" : "none", separatethousands: true, minor: { ticks: "" } });
          layout[key].title = { ...layout[key].title, font: { color: ink, size: 13 }, standoff: 8 };
          if (layout[key].type === "log" && layout[key].tickmode !== "array") layout[key].dtick = 1;
        }
      }
      const room = width < NARROW ? 12 : Math.min(190, Math.max(20, ...layout.annotations.filter((note) => "xshift" in note).map((note) => note.text.replace(/<[^>]*>/g, "").length * 6.4 + 16)));
      const top = Math.max(14, ...layout.annotations.filter((note) => note.name === "heading").map((note) => 8 + 18 * note.text.split("<br>").length + (note.yshift > 8 ? 22 : 0)));
      layout = { ...layout, width, height: height + top + 56, margin: { l: 8, r: room, t: top, b: 48 }, paper_bgcolor: paper ? "#ffffff" : "rgba(0,0,0,0)", plot_bgcolor: paper ? "#ffffff" : "rgba(0,0,0,0)", font: { family: getComputedStyle(document.body).fontFamily, color: ink, size: 12 }, hovermode: "closest", dragmode: "zoom", hoverlabel: { bgcolor: house.colour("--raised"), bordercolor: quiet, font: { color: house.colour("--ink") } } };
      return { data, layout };
    }

    draw() {
      const width = Math.floor(this.place.clientWidth);
      if (width < 50) return Promise.resolve();
      const { data, layout } = this.made(width);
      const config = { displayModeBar: false, responsive: false, doubleClick: "reset", scrollZoom: false, showTips: !still };
      return Plotly.react(this.place, data, layout, config);
    }

    buttons() {
      const bar = document.createElement("div");
      bar.className = "controls";
      bar.setAttribute("role", "group");
      bar.setAttribute("aria-label", `Controls of the figure: ${this.spec.name}`);
      const word = (text) => {
        const span = document.createElement("span");
        span.className = "word";
        span.textContent = text;
        bar.append(span);
      };
      const button = (text, act, pressed) => {
        const made = document.createElement("button");
        made.type = "button";
        made.append(text);
        if (pressed !== undefined) made.setAttribute("aria-pressed", String(pressed));
        made.addEventListener("click", () => act(made));
        bar.append(made);
        return made;
      };
      const names = this.series();
      if (names.length > 1) {
        const many = names.length > MANY;
        if (!many) word("Show");
        const place = many ? this.folded(bar, `Show: ${names.length} series`) : bar;
        for (const name of names) {
          const made = button(name, (self) => {
            this.hidden.has(name) ? this.hidden.delete(name) : this.hidden.add(name);
            self.setAttribute("aria-pressed", String(!this.hidden.has(name)));
            this.draw();
          }, true);
          place.append(made);
          const first = this.spec.data.find((trace) => trace.meta.series === name && !trace.fill) ?? this.spec.data.find((trace) => trace.meta.series === name);
          const swatch = document.createElement("span");
          swatch.className = "swatch";
          swatch.dataset.colour = (first.type === "bar" ? first.marker.color : first.line?.color ?? first.marker?.color) ?? "";
          made.prepend(swatch);
        }
      }
      for (const which of ["x", "y"]) {
        const free = this.free(which);
        if (!free.length) continue;
        const now = free.every((key) => this.spec.layout[key].type === "log");
        button(`log ${which}`, (self) => {
          const wanted = self.getAttribute("aria-pressed") !== "true";
          this.logs[which] = wanted === now ? null : wanted;
          self.setAttribute("aria-pressed", String(wanted));
          this.draw();
        }, now).classList.add("scale");
      }
      word("Download");
      for (const form of ["png", "svg"]) button(form.toUpperCase(), () => this.picture(form)).setAttribute("aria-label", `Download this figure as ${form.toUpperCase()}`);
      button("CSV", () => house.save(`${this.spec.name}.csv`, this.csv(), "text/csv")).setAttribute("aria-label", "Download the values of this figure as CSV");
      this.place.before(bar);
      const details = this.box.querySelector("details.values");
      details.addEventListener("toggle", () => { if (details.open && !details.querySelector("table")) details.append(this.table()); });
    }

    // Many buttons are folded away, with two that switch all of them.
    folded(bar, said) {
      const fold = document.createElement("details");
      const summary = document.createElement("summary");
      const place = document.createElement("div");
      fold.className = "series";
      place.className = "controls";
      summary.textContent = said;
      for (const [text, hidden] of [["All", false], ["None", true]]) {
        const made = document.createElement("button");
        made.type = "button";
        made.textContent = text;
        made.addEventListener("click", () => {
          this.hidden = new Set(hidden ? this.series() : []);
          for (const one of place.querySelectorAll("[aria-pressed]")) one.setAttribute("aria-pressed", String(!hidden));
          this.draw();
        });
        place.append(made);
      }
      fold.append(summary, place);
      bar.append(fold);
      return place;
    }

    async picture(form) {
      const { data, layout } = this.made(960, true);
      layout.title = { text: escaped(this.spec.title), x: 0.01, xanchor: "left", y: 0.985, yanchor: "top", font: { size: 17, color: "#222222" } };
      layout.margin.t += 34;
      layout.height += 34;
      const address = await Plotly.toImage({ data, layout }, { format: form, width: 960, height: layout.height, scale: 2 });
      const link = document.createElement("a");
      link.href = address;
      link.download = `${this.spec.name}.${form}`;
      link.click();
    }

    // The drawn values, a row a point: the panel, the series, both axes, and the ends of the range around it.
    rows() {
      const found = [["panel", "series", "part", this.spec.panels[0].x || "x", this.spec.panels[0].y || "y", "low", "high"]];
      for (const trace of this.spec.data) {
        const { panel, series, role, ends } = trace.meta;
        if (this.hidden.has(series)) continue;
        if (ends) {
          ends[0].forEach((x, place) => found.push([panel, series, role, x, "", ends[1][place], ends[2][place]]));
        } else if (trace.type === "heatmap") {
          trace.z.forEach((row, down) => row.forEach((value, across) => found.push([panel, series, role, this.named(trace, "x", across), this.named(trace, "y", down), value, value])));
        } else {
          trace.x.forEach((x, place) => {
            const base = trace.base?.[place] ?? 0, flat = trace.orientation === "h";
            const [low, high] = trace.customdata?.[place] ?? (trace.base ? [base, base + (flat ? x : trace.y[place])] : ["", ""]);
            if (x !== null) found.push([panel, series, role, flat ? x : this.named(trace, "x", place), flat ? this.named(trace, "y", place) : trace.meta.true?.[place] ?? trace.y[place], low, high]);
          });
        }
      }
      return found;
    }

    // A value of an axis, by its name where the axis has words.
    named(trace, which, place) {
      const value = trace[which][place], axis = this.spec.layout[trace[`${which}axis`].replace(which, `${which}axis`)];
      const panel = this.spec.panels.find((one) => one.number === trace.meta.number);
      const at = panel.words.includes(which) ? axis.tickvals.indexOf(value) : -1;
      return at < 0 ? value : new DOMParser().parseFromString(axis.ticktext[at].replaceAll("<br>", " "), "text/html").body.textContent;
    }

    csv() {
      // a text that a spreadsheet would take for a formula gets an apostrophe
      const cell = (value) => {
        const text = value === null ? "" : typeof value === "string" && /^[=+@\-\t]/.test(value) ? `'${value}` : String(value);
        return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      };
      return this.rows().map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
    }

    table() {
      const MOST = 500, rows = this.rows();
      const scroll = document.createElement("div");
      scroll.className = "scroll";
      scroll.tabIndex = 0;
      scroll.setAttribute("role", "region");
      scroll.setAttribute("aria-label", `Values of the figure: ${this.spec.name}`);
      const table = document.createElement("table");
      rows.slice(0, MOST + 1).forEach((row, place) => {
        const line = (place ? table.tBodies[0] ?? table.createTBody() : table.createTHead()).insertRow();
        for (const value of row) {
          const cell = document.createElement(place ? "td" : "th");
          if (!place) cell.scope = "col";
          cell.textContent = typeof value === "number" ? value.toLocaleString("en", { maximumSignificantDigits: 7 }) : value ?? "";
          line.append(cell);
        }
      });
      if (rows.length > MOST + 1) table.createCaption().textContent = `The first ${MOST} of ${(rows.length - 1).toLocaleString("en")} values; the CSV has them all.`;
      scroll.append(table);
      return scroll;
    }
  }

  const swatches = () => {
    for (const swatch of document.querySelectorAll(".swatch")) swatch.style.background = house.dark() ? dusk(swatch.dataset.colour) : swatch.dataset.colour;
  };
  const live = figures.map((box) => new Live(box));
  swatches();
  for (const one of live) await one.draw();
  document.documentElement.dataset.figures = "drawn";
  const again = () => { swatches(); live.forEach((one) => one.draw()); };
  document.addEventListener("theme", again);
  let waiting = 0, before = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === before) return;
    before = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(again, 120);
  });
})();
