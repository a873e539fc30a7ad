"use strict";
// What a suite and a data set of images have beyond records: tasks to choose, pictures with what is on them, the report.
const SHAPES = new Set(["svg", "g", "rect", "path", "line", "circle", "polyline", "polygon", "text", "tspan", "image", "title"]);
const PARTS = new Set(["class", "viewBox", "width", "height", "role", "transform", "d", "points", "x", "y", "x1", "x2", "y1",
  "y2", "cx", "cy", "r", "rx", "text-anchor", "fill-opacity", "opacity"]);

// A drawing of the server, made anew of its shapes alone: nothing else that might stand in it reaches the page.
function redrawn(node) {
  const parts = {};
  for (const { name, value } of node.attributes) {
    if (PARTS.has(name) || (name === "href" && value.startsWith("data:image/jpeg;base64,"))) parts[name] = value;
  }
  const children = [...node.childNodes].map((one) => (one.nodeType === Node.TEXT_NODE ? one.data
    : one.nodeType === Node.ELEMENT_NODE && SHAPES.has(one.localName) ? redrawn(one) : ""));
  return drawn(node.localName, parts, ...children);
}

function drawing(svg) {
  const found = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  return make("div", { className: "scoring" }, ...(found ? [redrawn(found)] : []));
}

const captioned = (one) => make("figure", {}, ...(one.side ? [make("figcaption", { textContent: one.side })] : []), drawing(one.svg),
  ...(one.note ? [make("figcaption", { textContent: one.note })] : []));

// Blocks of documents: of an audit, of an image, of a report.
const block = (one) => {
  if (one.kind === "title") return make("h3", { textContent: one.text });
  if (one.kind === "lines") return make("p", {}, ...one.lines.flatMap((pieces) => [...pieces.map(piece), "\n"]));
  if (one.kind === "drawing") return make("figure", {}, make("figcaption", { textContent: one.title }), drawing(one.svg));
  return wide(one.title || "table", make("table", {}, ...(one.title ? [make("caption", { textContent: one.title })] : []),
    make("thead", {}, make("tr", {}, ...one.head.map((text) => make("th", { scope: "col", textContent: text })))),
    make("tbody", {}, ...one.rows.map((row) => make("tr", {}, ...row.map((cell) =>
      make("td", {}, ...cell.flatMap((pieces) => [...pieces.map(piece), "\n"]))))))));
};

// The tasks of a suite, one of which is chosen.
const TASK_HEADS = [["task", "task"], ["records", "records"], ["coverage", "coverage"], ["score", "score"], ["change", "change"], ["moved", "records moved"]];

function suite() {
  const found = view.state.suite;
  for (const id of ["suite", "task-name"]) at(id).hidden = !found;
  if (!found) return;
  if (view.task !== null && view.task !== found.task) leaveTask();  // the suite has no task of this name any more
  view.task = found.task;
  at("task-name").textContent = found.task === null ? "" : `Task ${found.task}`;
  at("no-records").hidden = found.task !== null;
  cards(at("suite-figures"), found.figures, found.before);
  at("suite-groups").replaceChildren(...breakdowns(found.figures, 0, 1));
  at("suite-grouping").hidden = !at("suite-groups").firstChild;
  const change = (one) => (one.score === null || one.before === null ? null : one.score - one.before);
  const tasks = found.tasks.map((one) => ({ ...one, change: change(one) }));
  const { sort, descending } = view.tasks;
  const value = (one) => (one[sort] === null || one[sort] === undefined ? Infinity : sort === "change" ? -Math.abs(one.change) : one[sort]);
  if (sort === "task") tasks.sort((a, b) => (a.task < b.task ? -1 : 1));
  else tasks.sort((a, b) => (value(a) === value(b) ? 0 : value(a) < value(b) ? -1 : 1));
  if (descending) tasks.reverse();
  const has_moved = tasks.some((one) => one.moved !== null || one.before !== null);
  const heads = TASK_HEADS.filter(([name]) => has_moved || !["change", "moved"].includes(name));
  at("tasks").tHead.replaceChildren(make("tr", {}, ...heads.map(([name, text]) => {
    const button = make("button", { textContent: text });
    button.addEventListener("click", () => {
      view.tasks = { sort: name, descending: name === sort ? !descending : false };
      suite();
    });
    return make("th", { scope: "col", className: name === "task" ? "" : "right",
      data: name === sort ? { "aria-sort": descending ? "descending" : "ascending" } : {} }, button);
  })));
  at("tasks").tBodies[0].replaceChildren(...tasks.map((one) => taskLine(one, found.task, has_moved)));
}

function taskLine(one, chosen, has_moved) {
  const cell = (name, text, className = "right") => make("td", { textContent: text, className, data: { "data-head": name } });
  const open = make("button", { className: "open", textContent: one.task, disabled: one.done === null });
  const records = one.records === null || one.records === undefined ? "–"
    : one.done !== null && one.done < one.records ? `${count(one.done)} of ${count(one.records)}` : count(one.records);
  const score = one.score === null && one.reason ? `– ${one.reason}` : figure(one.score);
  const made = make("tr", { className: one.task === chosen ? "chosen" : "" }, make("td", { data: { "data-head": "task" } }, open),
    cell("records", records), cell("coverage", share(one.coverage)), cell("score", score));
  if (has_moved) {
    made.append(cell("change", one.change ? signed(one.change) : "", `right ${one.change > 0 ? "good" : one.change < 0 ? "bad" : ""}`),
      cell("moved", one.moved ? count(one.moved) : ""));
  }
  if (one.done !== null) made.addEventListener("click", () => chooseTask(one.task));
  return made;
}

// Neither the chosen record nor the threshold is of the next task.
function leaveTask() {
  Object.assign(view, { row: null, threshold: undefined, is_moved: false });
  at("record").hidden = true;
}

function chooseTask(name) {
  if (view.task === name) return;
  leaveTask();
  view.task = name;
  view.seen = "";
  Object.assign(view.query, { offset: 0, sort: "row", descending: false, having: "", from: null, to: null });
  at("range").hidden = true;
  look();
}

// The files of a suite: its own, and those of its tasks. One is in the editor; each has its own text.
const listed = (file) => (view.state.files || []).find((one) => one.file === file.number) || { name: "", tasks: [], is_there: true };
const isUnsaved = (file) => file.text !== file.saved || !listed(file).is_there;

function filing() {
  const files = view.state.files || [];
  const { suite: found } = view.state;
  const shown = listed(editor.file);
  const marks = (one) => [one.name, ...(view.files.has(one.file) && isUnsaved(view.files.get(one.file)) ? ["not saved"] : []),
    ...(one.is_broken ? ["has mistakes"] : []), ...(one.is_read_only ? ["read only"] : [])].join(" · ");
  const options = files.map((one) => [one.file, marks(one), one.file === editor.file.number]);
  if (JSON.stringify(options) !== view.options) {
    view.options = JSON.stringify(options);
    at("file").replaceChildren(...options.map(([value, textContent, selected]) => make("option", { value, textContent, selected })));
  }
  at("filing").hidden = files.length < 2;
  at("file-note").textContent = shown.is_read_only ? "This file belongs to the installed package: an edit can be tried here, and is not saved."
    : !shown.is_there ? "This file is not there any more; Save writes it again."
      : editor.file.number && !shown.tasks.length && !shown.is_broken ? "The suite has no task in this file now." : "";
  const own = found ? files.find((one) => one.tasks.includes(found.task)) : undefined;
  at("task-file").hidden = !found || found.task === null;
  at("edit-task").hidden = !own || own.file === editor.file.number;
  at("edit-task").value = own ? own.file : "";
  at("task-text").textContent = !own ? "This task has no spec file of its own here, so its text is not edited on this page."
    : own.file === editor.file.number ? "Its text is in the editor." : "";
  mark();
}

function showFile(found) {
  const file = view.files.get(found.file) || fileOf(found.file, found.text, found.is_json);
  view.files.set(file.number, file);
  editor.edit(file);
}

async function chooseFile(number) {
  view.choosing = number;
  const found = view.files.has(number) ? { file: number } : await ask({ ask: "open", file: number });
  if (view.choosing !== number) return;
  if (found.problem) {
    alarm(found.problem);
    view.options = "";
    filing();
    return;
  }
  showFile(found);
  view.dirty = true;
  told();
  editor.text.focus();
  send();
}

// The single figures that metrics of images are made of, and what else the report has.
function details() {
  const found = view.state.details || [];
  at("detailing").hidden = found.length === 0;
  const has_was = found.some((one) => one.was !== null);
  const head = (text, className = "") => make("th", { scope: "col", textContent: text, className });
  at("details").replaceChildren(make("thead", {}, make("tr", {}, head("metric"), head("detail"), head("figure", "right"),
    ...(has_was ? [head("change", "right")] : []))), make("tbody", {}, ...found.map((one) => {
    const change = one.was === null || one.value === null ? 0 : one.value - one.was;
    return make("tr", {}, make("td", { textContent: one.metric }), make("td", { textContent: one.name }),
      make("td", { textContent: Number.isInteger(one.value) ? count(one.value) : figure(one.value), className: "right" }),
      ...(has_was ? [make("td", { textContent: change ? signed(change) : "", className: "right" })] : []));
  })));
}
