"use strict";
// Tables: a click on a heading sorts by it, a second click the other way round; long tables have a filter.
(() => {
  // The numbers of a cell's text: "1,024" is one, "10 of 40" sorts by its share, text is no number.
  const key = (cell) => {
    if (cell.dataset.key !== undefined) return cell.dataset.key === "" ? null : Number(cell.dataset.key);
    const text = cell.textContent.trim();
    const share = text.match(/^([\d,]+) of ([\d,]+)$/);
    const plain = (part) => Number(part.replaceAll(",", "").replace("−", "-"));
    if (share) return plain(share[1]) / Math.max(plain(share[2]), 1);
    if (text === "") return null;
    const value = plain(text.split(" ")[0]);
    return Number.isNaN(value) ? text.toLowerCase() : value;
  };
  const order = (one, other) => {
    if (one === null || other === null) return (one === null) - (other === null);  // blank cells come last
    if (typeof one === "number" && typeof other === "number") return one - other;
    return String(one).localeCompare(String(other), "en");
  };

  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        const rows = [...body.rows].map((row) => [key(row.cells[place]), row]);
        rows.sort(([one], [other]) => {
          const blank = one === null || other === null;
          return order(one, other) * (down && !blank ? -1 : 1);
        });
        body.append(...rows.map(([, row]) => row));
      });
    });
  };

  let count = 0;
  const filtered = (box, table) => {
    const rows = [...table.tBodies[0].rows];
    const bar = document.createElement("p");
    bar.className = "filter";
    const label = document.createElement("label");
    const input = document.createElement("input");
    const status = document.createElement("output");
    input.type = "search";
    input.id = label.htmlFor = `filter-${(count += 1)}`;
    label.textContent = "Filter rows";
    status.setAttribute("for", input.id);
    bar.append(label, " ", input, " ", status);
    box.before(bar);
    const show = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      status.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
    };
    input.addEventListener("input", show);
    show();
  };

  for (const box of document.querySelectorAll(".table")) {
    const table = box.querySelector("table");
    sortable(table);
    if (box.dataset.filter !== undefined) filtered(box, table);
  }
})();
