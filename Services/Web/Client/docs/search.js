// @ts-check
/** The search in the navigation: it shows the entries that have all words of the query. */

/** Shows the field, which is of no use without this script, and opens it by the key `/`. */
export function addSearch() {
  const navigation = document.querySelector("nav");
  const field = navigation?.querySelector("input");
  const found = navigation?.querySelector("#found");
  const frame = field?.closest("[role=search]");
  if (!(navigation && field && found instanceof HTMLElement && frame instanceof HTMLElement)) return;
  frame.hidden = false;

  const groups = [...navigation.querySelectorAll("details")].map((element) => ({ element, isOpen: element.open }));
  const entries = [...navigation.querySelectorAll("li")].filter((item) => !item.querySelector("ul"));
  const texts = entries.map((entry) => wordsOf(`${entry.textContent} ${entry.querySelector("a")?.hash}`).join(" "));

  field.addEventListener("input", () => {
    const query = wordsOf(field.value);
    let count = 0;
    entries.forEach((entry, index) => {
      entry.hidden = !query.every((word) => texts[index].includes(word));
      if (!entry.hidden && !entry.querySelector(".overview")) count += 1;
    });
    for (const resource of navigation.querySelectorAll("li.resource")) {
      if (resource instanceof HTMLElement) resource.hidden = !resource.querySelector("li:not([hidden])");
    }
    for (const group of groups) {
      group.element.hidden = !group.element.querySelector("li:not([hidden]) a");
      group.element.open = query.length > 0 || group.isOpen;
    }
    found.textContent = query.length === 0 ? "" : count === 1 ? "1 result" : `${count} results`;
  });

  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") firstLink(entries)?.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    if (getComputedStyle(navigation).display === "none") navigation.showPopover();
    field.focus();
  });
  navigation.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a");
    if (link && navigation.matches(":popover-open")) navigation.hidePopover();
  });
  addEventListener("hashchange", () => markCurrent(navigation));
  markCurrent(navigation);
}

/** @param {HTMLLIElement[]} entries */
function firstLink(entries) {
  return entries.find((entry) => !entry.hidden && !entry.querySelector(".overview"))?.querySelector("a");
}

/** Marks the entry of the page, or of the operation at which the reader looks. @param {HTMLElement} navigation */
function markCurrent(navigation) {
  for (const link of navigation.querySelectorAll("a")) {
    if (link.href === location.href) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  navigation.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** The words of a text in lower case: `/v1/cart-items` has three. @param {string} text */
function wordsOf(text) {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof Element && target.matches("input, textarea, select");
}
