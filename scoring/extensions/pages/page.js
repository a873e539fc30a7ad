"use strict";
// Sorts tables by a click on a title, and filters rows by words, by a value of a column, or by the group that was picked.
const collator = new Intl.Collator(undefined, { numeric: true });

const make = (kind, parts) => Object.assign(document.createElement(kind), parts);

function sortable(table) {
  const body = table.tBodies[0];
  Array.from(table.tHead ? table.tHead.rows[0].cells : []).forEach((head, at) => {
    if (!head.textContent) return;
    const button = make("button", { textContent: head.textContent, type: "button", title: "sort" });
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const keyed = Array.from(body.rows, (row) => [row.cells[at].dataset.rank, row.cells[at].textContent, row]);
      const ranked = keyed.some(([rank]) => rank !== undefined);
      keyed.sort(([a, left], [b, right]) => {
        if (!ranked) return sign * collator.compare(left, right);
        if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
        return sign * (a - b);
      });
      body.append(...keyed.map(([, , row]) => row));
    });
  });
}

function filtered(box) {
  const rows = Array.from(box.querySelectorAll("tbody tr"));
  const words = make("input", { type: "search", placeholder: "search", ariaLabel: "search the table" });
  const shown = make("span", { className: "dim", ariaLive: "polite" });
  const clear = make("button", { type: "button", hidden: true });
  const tools = make("div", { className: "tools" });
  const choices = [];
  let picked = null;
  const update = () => {
    const wanted = words.value.toLowerCase();
    let count = 0;
    for (const row of rows) {
      const fits = row.textContent.toLowerCase().includes(wanted)
        && choices.every(([at, select]) => !select.value || row.cells[at].textContent === select.value)
        && (picked === null || (row.dataset.tags || "").split(" ").includes(picked));
      row.hidden = !fits;
      count += fits;
    }
    const missing = Number(box.dataset.total) - rows.length;
    const rest = missing > 0 ? `; ${missing.toLocaleString("en")} more are not on this page` : "";
    shown.textContent = `${count} of ${rows.length} shown${rest}`;
  };
  box.querySelectorAll("thead [data-choices]").forEach((head) => {
    const select = make("select", { ariaLabel: head.textContent || "kind" });
    const values = Array.from(new Set(rows.map((row) => row.cells[head.cellIndex].textContent))).filter(Boolean).sort();
    if (values.length < 2) return;
    select.append(new Option(`any ${head.textContent}`.trim(), ""), ...values.map((value) => new Option(value, value)));
    select.addEventListener("input", update);
    choices.push([head.cellIndex, select]);
  });
  words.addEventListener("input", update);
  clear.addEventListener("click", () => { picked = null; clear.hidden = true; update(); });
  tools.append(words, ...choices.map(([, select]) => select), clear, shown);
  box.before(tools);
  const own = new Set(rows.flatMap((row) => (row.dataset.tags || "").split(" ")));
  document.querySelectorAll("a[data-pick]").forEach((link) => {
    if (!own.has(link.dataset.pick)) return;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      picked = link.dataset.pick;
      clear.textContent = `only ${link.textContent} ✕`;
      clear.hidden = false;
      update();
      tools.scrollIntoView();
    });
  });
  update();
}

document.querySelectorAll("div.wide[data-search]").forEach(filtered);
document.querySelectorAll("table").forEach(sortable);
