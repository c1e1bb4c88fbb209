"use strict";
// Figures: values under the pointer, series that are switched off and on, pictures and values as files and as a table.
(() => {
  const MANY = 12, NEAR = 30, MOST = 500;

  // The panels of an SVG by number, with scale and ends of their axes, as their ids have them: panel-0_log_1_10_linear_0_5.
  const panelsOf = (svg) => [...svg.querySelectorAll("[id*='panel-']")].map((group) => {
    const [number, ...parts] = group.id.split("panel-")[1].split("_");
    const axis = ([scale, low, high]) => ({ to: scale === "log" ? Math.log10 : Number, ends: [Number(low), Number(high)] });
    return { number: Number(number), group, x: axis(parts.slice(0, 3)), y: axis(parts.slice(3, 6)) };
  });
  const share = (axis, value) => {
    const [low, high] = axis.ends.map(axis.to);
    return (axis.to(value) - low) / (high - low);
  };
  const shown = (value) => (typeof value === "number" ? value.toLocaleString("en", { maximumSignificantDigits: 7 }) : value ?? "");
  const made = (tag, name, ...content) => {
    const element = document.createElement(tag);
    element.className = name;
    element.append(...content);
    return element;
  };

  class Figure {
    constructor(box) {
      this.box = box;
      this.spec = house.data(box.dataset.figure);
      this.hidden = new Set();
      this.picture = box.querySelector(".picture");
      this.svg = this.picture.querySelector("svg");
      this.buttons();
      if (!this.svg) return;
      this.panels = new Map(panelsOf(this.svg).map((panel) => [panel.number, panel]));
      this.tip = made("div", "tip");
      this.mark = made("div", "mark");
      this.tip.hidden = this.mark.hidden = true;
      this.picture.append(this.mark, this.tip);
      this.picture.addEventListener("pointermove", (event) => this.showTip(event.clientX, event.clientY));
      this.picture.addEventListener("pointerleave", () => { this.tip.hidden = this.mark.hidden = true; });
    }

    // Where a value of a panel stands on the screen.
    place(panel, [x, y]) {
      const frame = panel.group.getBoundingClientRect();
      return [frame.left + share(panel.x, x) * frame.width, frame.bottom - share(panel.y, y) * frame.height];
    }

    // Show the values of the nearest point that is drawn and not switched off.
    showTip(left, top) {
      let best = null;
      for (const part of this.spec.parts) {
        const panel = this.panels.get(part.panel);
        if (!panel || this.hidden.has(part.series)) continue;
        (part.at.length ? part.at : part.rows).forEach((at, number) => {
          if (typeof at[0] !== "number" || typeof at[1] !== "number") return;
          const [x, y] = this.place(panel, at), far = Math.hypot(x - left, y - top);
          if (far < (best?.far ?? NEAR)) best = { far, x, y, part, row: part.rows[number] };
        });
      }
      this.tip.hidden = this.mark.hidden = best === null;
      if (best === null) return;
      const { part, row } = best, panel = this.spec.panels[part.panel], frame = this.picture.getBoundingClientRect();
      const lines = [this.spec.series[part.series] + (part.role ? ` (${part.role})` : ""), panel.title];
      lines.push(`${panel.x || "x"}: ${shown(row[0])}`, `${panel.y || "y"}: ${shown(row[1])}`);
      if (row[2] !== null) lines.push(`range: ${shown(row[2])} … ${shown(row[3])}`);
      this.tip.textContent = lines.filter(Boolean).join("\n");
      for (const [element, x, y] of [[this.mark, best.x, best.y], [this.tip, best.x + 12, best.y + 12]]) {
        const left = Math.max(0, Math.min(x - frame.left, frame.width - element.offsetWidth));
        element.style.left = `${left + this.picture.scrollLeft}px`;
        element.style.top = `${y - frame.top}px`;
      }
    }

    show() {
      for (const part of this.svg?.querySelectorAll("[id*='series-']") ?? []) {
        // not `display`: a label holds the outlines of letters that later labels use, and some viewers would lose them
        part.style.visibility = this.hidden.has(Number(part.id.split("series-")[1].split("-")[0])) ? "hidden" : "";
      }
    }

    buttons() {
      const bar = made("div", "controls");
      bar.setAttribute("role", "group");
      bar.setAttribute("aria-label", `Controls of the figure: ${this.spec.name}`);
      const button = (place, text, act) => {
        const element = made("button", "", text);
        element.type = "button";
        element.addEventListener("click", () => act(element));
        place.append(element);
        return element;
      };
      const names = this.svg ? this.spec.series : [];
      const switches = names.length > MANY ? made("div", "controls") : bar;
      const each = [];
      const all = (text, off) => button(switches, text, () => {
        this.hidden = new Set(off ? names.keys() : []);
        for (const one of each) one.setAttribute("aria-pressed", String(!off));
        this.show();
      });
      if (names.length > MANY) {  // many buttons are folded away, with two that switch all of them
        const fold = made("details", "series", made("summary", "", `Show: ${names.length} series`), switches);
        bar.append(fold);
        all("All", false);
        all("None", true);
      } else if (names.length > 1) bar.append(made("span", "word", "Show"));
      if (names.length > 1) names.forEach((name, number) => {
        const one = button(switches, name, (self) => {
          this.hidden.delete(number) || this.hidden.add(number);
          self.setAttribute("aria-pressed", String(!this.hidden.has(number)));
          this.show();
        });
        one.setAttribute("aria-pressed", "true");
        const swatch = made("span", "swatch");
        swatch.style.background = this.spec.colours[number];
        one.prepend(swatch);
        each.push(one);
      });
      bar.append(made("span", "word", "Download"));
      const save = { PNG: () => this.png(), SVG: () => house.save(`${this.spec.name}.svg`, this.text(), "image/svg+xml"), CSV: () => house.save(`${this.spec.name}.csv`, this.csv(), "text/csv") };
      for (const form of this.svg ? ["PNG", "SVG", "CSV"] : ["CSV"]) {
        button(bar, form, save[form]).setAttribute("aria-label", form === "CSV" ? "Download the values of this figure as CSV" : `Download this figure as ${form}`);
      }
      this.picture.before(bar);
      const details = this.box.querySelector("details.values");
      details.addEventListener("toggle", () => { if (details.open && !details.querySelector("table")) details.append(this.table()); });
    }

    text() { return new XMLSerializer().serializeToString(this.svg); }

    async png() {
      const image = new Image(), canvas = document.createElement("canvas"), box = this.svg.viewBox.baseVal;
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(this.text())}`;
      await image.decode();
      canvas.width = 1920;
      canvas.height = Math.round((1920 * box.height) / box.width);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => house.save(`${this.spec.name}.png`, blob, "image/png"));
    }

    // The values, a row a point: the panel, the series, both axes, and the ends of the range around it.
    rows() {
      const { panels, series, parts } = this.spec;
      const rows = [["panel", "series", "part", panels[0].x || "x", panels[0].y || "y", "low", "high"]];
      for (const part of parts) {
        if (!this.hidden.has(part.series)) for (const row of part.rows) rows.push([panels[part.panel].title, series[part.series], part.role, ...row]);
      }
      return rows;
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
      const rows = this.rows(), table = document.createElement("table");
      const scroll = made("div", "scroll", table);
      scroll.tabIndex = 0;
      scroll.setAttribute("role", "region");
      scroll.setAttribute("aria-label", `Values of the figure: ${this.spec.name}`);
      rows.slice(0, MOST + 1).forEach((row, place) => {
        const line = (place ? table.tBodies[0] ?? table.createTBody() : table.createTHead()).insertRow();
        for (const value of row) {
          const cell = made(place ? "td" : "th", "", shown(value));
          if (!place) cell.scope = "col";
          line.append(cell);
        }
      });
      if (rows.length > MOST + 1) table.createCaption().textContent = `The first ${MOST} of ${(rows.length - 1).toLocaleString("en")} values; the CSV has them all.`;
      return scroll;
    }
  }

  for (const box of document.querySelectorAll(".figure[data-figure]")) new Figure(box);
  document.documentElement.dataset.figures = "drawn";
})();
