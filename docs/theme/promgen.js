// What the pages change in the structure of mdBook, for people who use a keyboard or a screen reader.
(() => {
  document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");
  // The label of a checkbox shows and hides the table of contents. A label has no state that expands: make it a button.
  const label = document.getElementById("mdbook-sidebar-toggle");
  const anchor = document.getElementById("mdbook-sidebar-toggle-anchor");
  if (label && anchor) {
    const button = document.createElement("button");
    for (const { name, value } of label.attributes) if (name !== "for") button.setAttribute(name, value);
    button.type = "button";
    button.append(...label.childNodes);
    button.addEventListener("click", () => anchor.click());
    anchor.addEventListener("change", () => button.setAttribute("aria-expanded", String(anchor.checked)));
    label.replaceWith(button);
  }
  const update = () => {
    for (const part of document.querySelectorAll("main pre > code, main .table-wrapper")) {
      if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
    }
  };
  update();
  addEventListener("load", update);
  addEventListener("resize", update);
})();
