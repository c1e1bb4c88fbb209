"use strict";
// Light or dark: as the system says, until somebody presses the switch; remembered where the browser keeps anything.
const house = (() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const kept = (value) => {
    try {
      if (value === undefined) return localStorage.getItem("disttrack-theme");
      localStorage.setItem("disttrack-theme", value);
    } catch { /* a page from a file may have no memory */ }
    return null;
  };
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const show = () => {
    button.setAttribute("aria-pressed", String(dark()));
    document.dispatchEvent(new CustomEvent("theme", { detail: { dark: dark() } }));
  };
  const before = kept();
  if (before === "dark" || before === "light") root.dataset.theme = before;
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    kept(root.dataset.theme);
    show();
  });
  system.addEventListener("change", show);
  show();

  // The colour that a variable of house.css has now, for what is drawn by a script.
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const colour = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };

  // Offer a file for download; nothing leaves the page.
  const save = (name, text, type) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  const data = (id) => JSON.parse(document.getElementById(id).textContent);
  return { dark, colour, save, data };
})();
