// what the theme leaves out for who reads by keyboard or ear: a name for the search, tables that can be scrolled without a mouse
document$.subscribe(() => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search")
  requestAnimationFrame(() => {
    for (const wide of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code")) wide.tabIndex = 0
  })
})
