"use strict";
// The page of a studio: it sends what is typed, and draws what the server says. All texts are set as texts.
const at = (id) => document.getElementById(id);
const PAGE = 50;
const OUTCOMES = ["scored", "unparsed", "unscored", "not_applicable"];
const SVG = "http://www.w3.org/2000/svg";
const drawn = (kind, parts, ...children) => {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(parts)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const figure = (value, digits = 3) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const share = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)}%`);
const count = (value) => value.toLocaleString("en");
const noun = () => view.state.noun || "record";
const signed = (value, digits = 3) => (value > 0 ? "+" : "") + figure(value, digits);
const baseName = (path) => path.split(/[/\\]/).filter(Boolean).pop() || "";
const counted = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

const view = {
  files: new Map(), version: 0, sent: null, state: {}, seen: "", against: "edit", row: null,
  query: { sort: "row", descending: false, offset: 0 }, total: 0, errors: 0, busy: false, dirty: false,
  task: null, tasks: { sort: "task", descending: false },
};

async function ask(question) {
  try {
    const reply = await fetch("ask", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question),
    });
    return await reply.json();
  } catch (error) {
    alarm("The studio does not answer: it has ended, or its address is another one. Copy your text before you leave.");
    return { problem: "no answer" };
  }
}

function alarm(text) {
  at("alarm").textContent = text || "";
  at("alarm").hidden = !text;
}

// One question of a kind at a time: what is asked meanwhile is asked once more afterwards, with what stands there then.
function latest(work) {
  let [running, again] = [false, false];
  return async () => {
    if (running) { again = true; return; }
    running = true;
    try {
      do { again = false; await work(); } while (again);
    } finally { running = false; }
  };
}

const editor = new Editor(ask, () => {
  clearTimeout(view.typing);
  view.dirty = true;
  view.typing = setTimeout(send, 90);
  told();
});

const send = latest(async () => {
  const { file, value } = editor;
  const answer = await ask({ ask: "edit", ...editor.written() });
  if (answer.problem) alarm(answer.problem);
  else alarm("");
  if (answer.version) view.version = answer.version;
  if (editor.file === file && editor.value === value) {
    view.dirty = false;
    findings(answer.found || [], (answer.tokens || {}).data);
  }
  look();
});

function findings(found, data) {
  editor.told(found, data);
  view.errors = found.filter((one) => one.severity === 1).length;
  at("findings").replaceChildren(...found.slice(0, 30).map((one) => {
    const { line, character } = one.range.start;
    const lines = one.message.split("\n");
    const go = make("button", { className: "place", textContent: `${line + 1}:${character + 1}`, title: "Go there" });
    go.addEventListener("click", () => editor.goTo(one.range.start));
    const item = make("li", { className: one.severity === 1 ? "bad" : "warn" }, go,
      make("span", { className: "message", textContent: lines[0] }),
      ...lines.slice(1, 4).map((text) => make("span", { className: "dim", textContent: text })));
    for (const fix of (one.fixes || []).slice(0, 4)) {
      const button = make("button", { className: "fix", textContent: fix.title });
      button.addEventListener("click", () => editor.apply(fix.edits));
      item.append(button);
    }
    return item;
  }));
  at("fix-all").hidden = !found.some((one) => one.fixes);
  told();
}

// What is being done, and what the results belong to.
function told() {
  const { state } = view;
  const unsaved = [...view.files.values()].filter(isUnsaved);
  at("save").disabled = !unsaved.includes(editor.file) || listed(editor.file).is_read_only;
  const doing = state.doing;
  const parts = [];
  if (doing && doing.of) parts.push(`scoring ${doing.name}: ${count(doing.done)} of ${counted(doing.of, "record")}`);
  else if (doing && doing.what) parts.push(`${doing.name}: ${doing.what} …`);
  else if (state.is_working) parts.push("scoring …");
  else if (state.suite) parts.push(counted(state.suite.tasks.length, "task"));
  else if (state.records !== undefined) parts.push(counted(state.records, noun()));
  if (state.has_more) parts.push(`the first ${count(state.limit)} of ${state.suite ? "a task" : "the file"}: --limit holds more`);
  const names = (state.files || []).length > 1 ? `: ${unsaved.map((one) => listed(one).name).join(", ")}` : "";
  parts.push(unsaved.length ? `not saved${names}` : "saved");
  at("doing").textContent = parts.join(" · ");
  const is_old = state.version !== undefined && (view.errors > 0 || state.problem) && !state.is_working;
  const why = state.problem ? state.problem : `the text has ${counted(view.errors, "mistake")}`;
  const is_partial = state.version !== undefined && !state.is_complete && !is_old;
  at("stale").textContent = is_old ? `These are the results of the last good text: ${why}`
    : is_partial && state.suite ? "Figures follow when all tasks are scored"
      : is_partial ? `So far ${count(state.done)} of ${counted(state.records, noun())}; figures follow when all are scored`
      : state.version === undefined && !state.is_working ? state.problem || (view.errors ? `Nothing is scored yet: ${why}` : "")
        : state.beside_problem ? `Beside: ${state.beside_problem}` : "";
  at("stale").hidden = !at("stale").textContent;
  at("results").classList.toggle("old", Boolean(is_old));
  filing();
}

const look = latest(async () => {
  const { task } = view;
  const state = await ask({ ask: "state", against: view.against, task });
  if (state.problem === "no answer" || view.task !== task) return;  // another task was chosen, and is asked for next
  view.state = { ...(state.version === undefined && view.state.version !== undefined ? view.state : {}), ...state };
  const key = JSON.stringify([state.version, state.done, state.is_complete, view.against, (state.boards || []).join(), view.task]);
  if (state.version !== undefined && key !== view.seen) {
    view.seen = key;
    refresh();
  }
  told();
  if (state.is_working || view.dirty) setTimeout(look, 100);
});

function refresh() {
  comparing();
  suite();
  const has_board = Boolean(view.state.distribution);
  at("board").hidden = !has_board;
  if (!has_board) return;
  figures();
  details();
  histogram();
  groups();
  report();
  rows();
  cut();
  if (view.row !== null) record();
}

function comparing() {
  const { boards, beside, movement } = view.state;
  const names = { edit: "the last edit", opened: "the text as opened", beside: baseName(beside || "") };
  at("against").replaceChildren(...Object.entries(names).filter(([name]) => boards.includes(name) || name === view.against)
    .map(([name, text]) => make("option", { value: name, textContent: text, selected: name === view.against })));
  at("comparing").hidden = boards.length === 0;
  const of_task = view.state.suite ? " of this task" : "";
  const said = !movement ? "" : movement.moved === 0 ? `no ${noun()}${of_task} moved`
    : `${counted(movement.moved, noun())}${of_task} moved: ${count(movement.up)} up, ${count(movement.down)} down` +
      (movement.other ? `, ${count(movement.other)} to or from no score` : "");
  at("moved").textContent = said;
}

// The figures of a board, or of a suite, each with its interval and its change.
function cards(place, found, before) {
  if (!found.metrics) return;
  const made = found.metrics.map((one) => {
    const change = one.value !== null && typeof before[one.metric] === "number" ? one.value - before[one.metric] : 0;
    return make("div", { className: "figure" },
      make("span", { className: "dim name", textContent: one.metric }),
      make("b", { textContent: figure(one.value) }),
      make("span", { className: change ? "change" : "", textContent: change ? signed(change) : "" }),
      make("span", { className: "dim", textContent: one.interval ? `${figure(one.interval[0])} to ${figure(one.interval[1])}` : one.note }));
  });
  const counts = found.counts;
  const words = OUTCOMES.filter((name) => counts[name]).map((name) => `${count(counts[name])} ${name.replace("_", " ")}`);
  const of_tasks = counts.tasks !== undefined;
  if (of_tasks) words.push(counted(counts.records, "record"));
  made.push(make("div", { className: "figure" }, make("span", { className: "dim name", textContent: of_tasks ? "tasks" : `${noun()}s` }),
    make("b", { textContent: count(of_tasks ? counts.tasks : counts.records) }), make("span", { className: "dim", textContent: words.join(", ") })));
  place.replaceChildren(...made);
}

function figures() {
  const { figures: found, movement, suite: joined } = view.state;
  if (!found.metrics) return;
  cards(at("figures"), found, (movement || {}).figures || {});
  const notes = [...(joined ? joined.figures.notes || [] : []), ...found.notes];
  at("notes").replaceChildren(...notes.map((text) => make("li", { textContent: text })));
  at("noting").hidden = notes.length === 0;
}

// The distribution of scores, and what a threshold makes of it.
const WIDE = 600;
function histogram() {
  const { distribution: found, threshold, is_whole } = view.state;
  for (const id of ["cutting", "cut", "verdict"]) at(id).hidden = is_whole;
  at("whole").hidden = !is_whole;
  at("search").placeholder = is_whole ? "id, label …" : "id or response";
  at("whole").textContent = `The score of one ${noun()} finds ${noun()}s to look at. It is part of no figure, so no threshold is laid over it.`;
  const slider = at("threshold");
  if (slider.min !== String(found.from) || slider.max !== String(found.to) || view.threshold === undefined) {
    slider.min = found.from;
    slider.max = found.to;
    view.threshold = threshold === null ? (found.from + found.to) / 2 : threshold;
    slider.value = view.threshold;
  } else if (threshold !== null && threshold !== view.stated) slider.value = view.threshold = threshold;
  view.stated = threshold;
  const most = Math.max(1, ...found.counts);
  const wide = WIDE / found.counts.length;
  const bars = found.counts.flatMap((number, place) => {
    const tall = number ? Math.max(2, (110 * number) / most) : 0;
    const passed = found.passed ? (110 * found.passed[place]) / most : 0;
    const low = found.from + ((found.to - found.from) * place) / found.counts.length;
    const high = found.from + ((found.to - found.from) * (place + 1)) / found.counts.length;
    const title = drawn("title", {}, `${figure(low)} to ${figure(high)}: ${counted(number, noun())}` +
      (found.passed ? `, ${count(found.passed[place])} passed` : ""));
    const hit = drawn("rect", { x: place * wide, y: 0, width: wide, height: 120, class: "hit" }, title);
    hit.addEventListener("click", () => narrow([low, high]));
    return [drawn("rect", { x: place * wide + 1, y: 120 - tall, width: wide - 2, height: tall, class: "bar" }),
      drawn("rect", { x: place * wide + 1, y: 120 - passed, width: wide - 2, height: passed, class: "passed" }), hit];
  });
  const line = drawn("line", { id: "cut-line", class: is_whole ? "none" : "", x1: 0, x2: 0, y1: 0, y2: 120 });
  const axis = [[0, "start", found.from], [WIDE / 2, "middle", (found.from + found.to) / 2], [WIDE, "end", found.to]]
    .map(([x, anchor, value]) => drawn("text", { x, y: 134, "text-anchor": anchor }, figure(value, 2)));
  at("histogram").replaceChildren(drawn("svg", { viewBox: `0 0 ${WIDE} 138`, role: "img",
    "aria-label": `${counted(found.counts.reduce((a, b) => a + b, 0), "score")} from ${figure(found.from)} to ${figure(found.to)}` },
    drawn("line", { x1: 0, x2: WIDE, y1: 120, y2: 120, class: "axis" }), ...bars, line, ...axis));
  const labels = (view.state.labels || []).map((path) => JSON.stringify(path));
  const chosen = at("label").value;
  at("labelled").hidden = labels.length === 0;
  at("label").replaceChildren(make("option", { value: "", textContent: "none" }), ...labels.map((path) =>
    make("option", { value: path, textContent: JSON.parse(path).join("."), selected: path === chosen })));
  mark();
}

function mark() {
  if (view.threshold === undefined) return;  // another task was chosen, and has not been seen yet
  const { from, to } = view.state.distribution || { from: 0, to: 1 };
  const x = (WIDE * (view.threshold - from)) / (to - from);
  const line = at("cut-line");
  if (line) ["x1", "x2"].forEach((name) => line.setAttribute(name, String(x)));
  at("threshold-value").textContent = figure(view.threshold);
  const value = String(Number(view.threshold.toFixed(3)));
  const is_of_text = view.state.kind === "rows" || listed(editor.file).tasks.includes(view.task);
  at("write-pass").hidden = editor.file.is_json || !is_of_text || !view.is_moved || value === String(view.stated);
  at("write-pass").textContent = view.stated === null ? `Write “pass: score ${sign()} ${value}”` : `Write ${value} into “pass”`;
}

const sign = () => ((view.cut || {}).is_lower ? "<=" : ">=");

const cut = latest(async () => {
  if (view.state.is_whole || view.threshold === undefined) return;
  const label = at("label").value;
  const found = await ask({ ask: "cut", task: view.task, threshold: view.threshold, label: label ? JSON.parse(label) : null });
  if (found.of === undefined) return;
  view.cut = found;
  const parts = [`${share(found.rate)} pass: ${count(found.passes)} of ${count(found.of)}`];
  if (found.precision !== undefined) {
    parts.push(`precision ${figure(found.precision)}`, `recall ${figure(found.recall)}`, `F1 ${figure(found.f1)}`,
      `${count(found.hits)} right, ${count(found.wrong)} wrongly passed, ${count(found.missed)} missed`);
  }
  at("cut").textContent = parts.join(" · ");
  mark();
});

// Write the threshold: into the comparison of the score, if the rule has one; else as the rule.
function writePass() {
  const value = String(Number(view.threshold.toFixed(3)));
  const rule = `pass: score ${sign()} ${value}`;
  const lines = editor.lines();
  let number = lines.findIndex((line) => /^pass:/.test(line));
  const compared = number < 0 ? null : /\bscore\s*[<>]=?\s*(\d+(\.\d+)?)/.exec(lines[number]);
  view.is_moved = false;
  if (compared) {
    const end = compared.index + compared[0].length;
    const range = { start: { line: number, character: end - compared[1].length }, end: { line: number, character: end } };
    editor.apply([{ range, newText: value }]);
    return;
  }
  if (number >= 0) {
    let last = number;
    while (last + 1 < lines.length && /^\s+\S/.test(lines[last + 1])) last += 1;
    const end = { line: last, character: lines[last].length };
    editor.apply([{ range: { start: { line: number, character: 0 }, end }, newText: rule }]);
    return;
  }
  number = Math.max(...["score", "fields", "aggregate", "metrics", "name"].map((key) => lines.findIndex((line) => line.startsWith(`${key}:`))));
  while (number + 1 < lines.length && /^(\s+\S|- )/.test(lines[number + 1])) number += 1;
  const place = { line: number, character: lines[number].length };
  editor.apply([{ range: { start: place, end: place }, newText: `\n${rule}` }]);
}

function narrow(range) {
  Object.assign(view.query, { from: range ? range[0] : null, to: range ? range[1] : null, offset: 0 });
  at("range").hidden = !range;
  if (range) at("range").textContent = `scores ${figure(range[0])} to ${figure(range[1])} ×`;
  rows();
}

// Records.
const rows = latest(async () => {
  const found = await ask({ ask: "rows", against: view.against, task: view.task, limit: PAGE, ...view.query });
  if (!found.rows) return;
  const { fields, counts, is_whole } = view.state;
  at("records-name").textContent = is_whole && noun() === "image" ? "Images" : "Records";
  at("having").hidden = !counts || !counts.length;
  choices(at("having"), [["", "whatever is on it"], ...(counts || []).map((name) => [name, `with ${name.replaceAll("_", " ")}`])]);
  at("having").value = view.query.having || "";
  const shown = (fields || []).length > 1 || is_whole ? fields.slice(0, 8) : [];
  const moved = found.rows.some((one) => one.before !== undefined);
  const heads = [["row", "#"], ["id", "id"], ["score", "score"]];
  if (moved) heads.push(["change", "change"]);
  const last_head = is_whole ? "true → predicted" : "response";
  if (!is_whole) heads.push(["status", "outcome"]);
  heads.push(...shown.map((name) => [`field:${name}`, name.replaceAll("_", " ")]), ["", last_head]);
  at("table").tHead.replaceChildren(make("tr", {}, ...heads.map(([sort, text]) => head(sort, text))));
  at("table").tBodies[0].replaceChildren(...found.rows.map((one) => line(one, moved, shown)));
  view.total = found.total;
  const { offset } = view.query;
  if (offset && offset >= found.total) {
    view.query.offset = 0;
    rows();
  }
  const last = Math.min(offset + PAGE, found.total);
  at("count").textContent = found.total ? `${count(offset + 1)} to ${count(last)} of ${count(found.total)}` +
    (found.total < found.of ? ` (${count(found.of)} in all)` : "") : `no ${noun()}`;
  at("back").disabled = offset === 0;
  at("next").disabled = last >= found.total;
});

function head(sort, text) {
  if (!sort) return make("th", { textContent: text, scope: "col" });
  const button = make("button", { textContent: text });
  const { query } = view;
  button.addEventListener("click", () => {
    const again = query.sort === sort;
    Object.assign(query, { sort, descending: again ? !query.descending : sort === "change", offset: 0 });
    rows();
  });
  const is_sorted = query.sort === sort;
  return make("th", { scope: "col", className: sort === "id" || sort === "status" ? "" : "right",
    data: is_sorted ? { "aria-sort": query.descending ? "descending" : "ascending" } : {} }, button);
}

function line(one, moved, shown) {
  const cell = (name, text, className = "") => make("td", { textContent: text, className, data: { "data-head": name } });
  const outcome = one.passed === null ? one.status.replace("_", " ") : one.passed ? "passed" : one.status === "scored" ? "failed" : one.status.replace("_", " ");
  const look_of = { passed: "good", failed: "bad", unparsed: "warn", unscored: "warn" }[outcome] || "";
  const open = make("button", { className: "open", textContent: one.id });
  const made = make("tr", { className: one.row === view.row ? "chosen" : "" },
    cell("#", count(one.row + 1), "dim right"), make("td", { data: { "data-head": "id" } }, open),
    cell("score", figure(one.score), "right"));
  if (moved) {
    const text = one.moved ? (one.change === null ? `was ${figure(one.before)}` : signed(one.change)) : "";
    made.append(cell("change", text, `right ${one.change > 0 ? "good" : one.moved ? "bad" : ""}`));
  }
  const { counts, is_whole } = view.state;
  const amount = (name, value) => ((counts || []).includes(name) && value !== null ? count(value) : figure(value));
  if (!is_whole) made.append(cell("outcome", outcome, look_of));
  made.append(...shown.map((name, place) => cell(name, amount(name, one.fields[place]), "right")),
    cell(is_whole ? "labels" : "response", one.reason && one.status !== "scored" ? `${one.reason} · ${one.about}` : one.about, "long"));
  made.addEventListener("click", () => choose(one.row));
  return made;
}

function choose(row) {
  view.row = row;
  for (const one of at("table").tBodies[0].rows) one.classList.remove("chosen");
  rows();
  record().then(() => at("record").scrollIntoView({ block: "nearest" }));
}

// The chosen record.
const LOOKS = new Set(["bold", "dim", "good", "bad", "warn", "code", "added", "removed"]);
const piece = ([text, name]) => make("span", { textContent: text, className: LOOKS.has(name) ? name : "" });

function tree(lines) {
  return make("ul", { className: "tree" }, ...lines.map((one) => {
    const item = make("li", { className: one.state || "" }, make("span", { className: "name", textContent: one.name }), " ",
      ...one.text.map(piece));
    if (one.state === "moved" || one.state === "written") item.append(make("div", { className: "was" }, "was ", one.was));
    if (one.state === "new") item.append(make("span", { className: "was", textContent: " new" }));
    if (one.state === "gone") item.append(make("span", { className: "was", textContent: ` was ${one.was}` }));
    if (one.lines && one.lines.length) item.append(tree(one.lines));
    return item;
  }));
}

const record = latest(async () => {
  if (view.row === null) return;
  show(await ask({ ask: "record", task: view.task, row: view.row, full: at("record-full").checked, against: view.against }));
});

function show(found) {
  at("record").hidden = false;
  view.told = found.row;
  at("record-full").parentElement.hidden = Boolean(view.state.is_whole);
  if (found.problem) {
    at("record-body").replaceChildren(make("p", { className: "bad", textContent: found.problem }));
    return;
  }
  at("record-name").textContent = found.id;
  const parts = [make("p", {}, ...found.head.map(piece))];
  if (found.was) parts.push(make("p", { className: "was" }, "was ", found.was));
  if (found.note) parts.push(make("p", { className: "dim", textContent: found.note }));
  if (found.moved.length) {
    parts.push(make("h3", { textContent: "Where it moved" }), make("ul", { className: "moved" }, ...found.moved.map((one) =>
      make("li", {}, make("b", { textContent: one.path.join(" › ") }), " ",
        make("del", { textContent: one.was }), one.was && one.now ? " → " : "", make("ins", { textContent: one.now })))));
    if (found.more_moved) parts.push(make("p", { className: "dim", textContent: `and ${count(found.more_moved)} more` }));
  }
  if (found.how) parts.push(make("p", { className: "dim", textContent: found.how }));
  parts.push(make("div", { className: "pair" }, ...(found.drawings || []).map(captioned)));
  parts.push(...(found.pictures || []).map(pictured), ...(found.blocks || []).map(block), tree(found.lines));
  if (found.is_cut) parts.push(make("p", { className: "dim", textContent: "The rest of this record is too long for the page." }));
  if (found.questions && found.questions.length) parts.push(judged(found.questions));
  at("record-body").replaceChildren(...parts);
}

function pictured(one) {
  const name = make("figcaption", { textContent: `${one.path}: ${one.name}${one.why ? `: ${one.why}` : ""}` });
  if (!one.address.startsWith("data:image/jpeg;base64,")) return make("figure", { className: "dim" }, name);
  return make("figure", {}, make("img", { src: one.address, alt: one.name }), name);
}

function judged(questions) {
  const button = make("button", { textContent: `Send ${counted(questions.length, "question")} to the judge` });
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.textContent = "asking …";
    show(await ask({ ask: "judge", task: view.task, row: view.row, full: at("record-full").checked }));
  });
  return make("div", { className: "judged" }, make("h3", { textContent: "What the judge would be asked" }),
    ...questions.map((one) => make("details", { open: questions.length === 1 },
      make("summary", { textContent: one.messages.map((message) => message.role).join(", ") }),
      ...one.messages.map((message) => make("pre", { textContent: message.text +
        (message.pictures ? `\n[${counted(message.pictures, "picture")}]` : "") })))),
    make("p", { className: "dim", textContent: "Nothing is sent until you press the button; then the judge of SCORING_JUDGE_URL is asked about this record." }),
    button);
}

function groups() {
  const found = view.state.figures.groups;
  if (!found) return;
  at("grouping").hidden = found.length === 0;
  at("groups").replaceChildren(...breakdowns(view.state.figures, view.state.distribution.from, view.state.distribution.to));
}

function breakdowns({ groups: found, sizes }, low, high) {
  return (found || []).map((one) => {
    const name = one.by ? `by ${one.by}` : "groups";
    const metrics = (one.groups[0] || { metrics: [] }).metrics.slice(0, 3).map((metric) => metric.metric);
    const body = one.groups.map((group) => make("tr", {}, make("td", { textContent: group.group }),
      ...group.sizes.map((size) => make("td", { className: "right", textContent: count(size) })),
      ...group.metrics.slice(0, 3).flatMap((metric) => [make("td", { className: "right", textContent: figure(metric.value) }),
        make("td", {}, ...(metric.interval && metric.value !== null ? [whisker(metric, low, high),
          make("span", { className: "dim", textContent: `${figure(metric.interval[0], 2)} to ${figure(metric.interval[1], 2)}` })] : []))])));
    return wide(name, make("table", {}, make("caption", { textContent: name }),
      make("thead", {}, make("tr", {}, make("th", { scope: "col", textContent: "group" }),
        ...sizes.map((size) => make("th", { scope: "col", className: "right", textContent: size === "tasks" ? size : `${noun()}s` })),
        ...metrics.flatMap((name) => [make("th", { scope: "col", className: "right", textContent: name }), make("th", { scope: "col", textContent: "interval" })]))),
      make("tbody", {}, ...body)),
      ...(one.left_out ? [make("p", { className: "dim", textContent: `${count(one.left_out)} more groups` })] : []));
  });
}

// What else the report of a run has.
const report = latest(async () => {
  if (!view.state.is_complete || !view.state.distribution) return;
  const found = await ask({ ask: "report", task: view.task });
  const blocks = found.blocks || [];
  at("reporting").hidden = blocks.length === 0;
  at("report").replaceChildren(...blocks.map(block));
});

// What may be wider than the page, and so can be scrolled, also by the keyboard.
const wide = (name, ...children) =>
  make("div", { className: "wide", tabIndex: 0, data: { role: "region", "aria-label": name } }, ...children);

function whisker(metric, low, high) {
  const ends = [Math.min(low, ...metric.interval), Math.max(high, ...metric.interval)];
  const x = (value) => 5 + (110 * (value - ends[0])) / (ends[1] - ends[0] || 1);
  return drawn("svg", { viewBox: "0 0 120 14", class: "whisker", role: "img",
    "aria-label": `from ${figure(metric.interval[0])} to ${figure(metric.interval[1])}` },
  drawn("line", { x1: 5, x2: 115, y1: 7, y2: 7, class: "axis" }),
  drawn("line", { x1: x(metric.interval[0]), x2: x(metric.interval[1]), y1: 7, y2: 7 }),
  drawn("circle", { cx: x(metric.value), cy: 7, r: 3.5 }));
}

// The audit.
async function audit() {
  at("audit").disabled = true;
  at("audit-told").textContent = "auditing …";
  const found = await ask({ ask: "audit", ...editor.written(), task: view.task });
  at("audit").disabled = false;
  at("audit-told").textContent = found.problem || (found.passed ? "passed" : "failed");
  at("audit-told").className = found.problem ? "warn" : found.passed ? "good" : "bad";
  at("audit-body").replaceChildren(...(found.blocks || []).map(block));
}

async function save() {
  const { file } = editor;
  const written = editor.written();
  const again = file.warned;
  let found = await ask({ ask: "save", ...written });
  if (found.has_changed) {
    if (!again) {
      file.warned = true;
      alarm("The file has changed on the disk since it was opened. Press Save again to write this text over it.");
      return;
    }
    found = await ask({ ask: "save", ...written, overwrite: true });
  }
  file.warned = false;
  alarm(found.problem);
  if (found.is_saved) file.saved = written.text;
  if (again) send();  // it may have been deleted, and is there again
  told();
}

async function whole(name) {
  const { file } = editor;
  const found = await ask({ ask: name, ...editor.written() });
  if (editor.file !== file) return;
  if (found.found && found.found.length) editor.apply(found.found);
  else if (found.found === null) alarm("A text with mistakes is not formatted.");
}

const choices = (select, list) => select.replaceChildren(...list.map(([value, text]) => make("option", { value, textContent: text })));

async function begin() {
  choices(at("status"), [["", "any outcome"], ...OUTCOMES.map((name) => [name, name.replace("_", " ")])]);
  choices(at("verdict"), [["", "passed or not"], ["passed", "passed"], ["failed", "failed"]]);
  choices(at("moving"), [["", "moved or not"], ["all", "moved"], ["up", "moved up"], ["down", "moved down"], ["other", "to or from no score"]]);
  const found = await ask({ ask: "open" });
  if (found.problem) return alarm(found.problem);
  editor.colours = found.colours;
  showFile(found);
  const on = found.data ? ` on ${baseName(found.data)}` : "";
  at("title").textContent = `${baseName(found.spec)}${on}`;
  at("title").title = `${found.spec}${found.data ? ` on ${found.data}` : ""}`;
  document.title = `${baseName(found.spec)} · scoring studio`;
  if (found.beside) view.against = "beside";
  for (const [id, key] of [["status", "status"], ["verdict", "verdict"], ["moving", "moved"], ["having", "having"], ["search", "search"]]) {
    at(id).addEventListener("input", () => {
      Object.assign(view.query, { [key]: at(id).value, offset: 0 });
      clearTimeout(view.searching);
      view.searching = setTimeout(rows, id === "search" ? 150 : 0);
    });
  }
  at("against").addEventListener("input", () => { view.against = at("against").value; look(); });
  at("threshold").addEventListener("input", () => {
    view.threshold = Number(at("threshold").value);
    view.is_moved = true;
    mark();
    cut();
  });
  at("label").addEventListener("input", cut);
  at("write-pass").addEventListener("click", writePass);
  at("range").addEventListener("click", () => narrow(null));
  at("worst").addEventListener("click", () => { Object.assign(view.query, { sort: "score", descending: false, offset: 0 }); rows(); });
  at("back").addEventListener("click", () => { view.query.offset = Math.max(0, view.query.offset - PAGE); rows(); });
  at("next").addEventListener("click", () => { view.query.offset += PAGE; rows(); });
  at("record-full").addEventListener("input", record);
  at("record-close").addEventListener("click", () => {
    view.row = null;
    at("record").hidden = true;
    rows();
  });
  at("audit").addEventListener("click", audit);
  at("file").addEventListener("input", () => chooseFile(Number(at("file").value)));
  at("edit-task").addEventListener("click", () => chooseFile(Number(at("edit-task").value)));
  at("save").addEventListener("click", save);
  at("format").addEventListener("click", () => whole("format"));
  at("fix-all").addEventListener("click", () => whole("fix-all"));
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      if (!at("save").disabled) save();
    }
  });
  window.addEventListener("beforeunload", (event) => { if ([...view.files.values()].some(isUnsaved)) event.preventDefault(); });
  return send();
}

begin();
