"use strict";
// The box to try a definition: what is typed goes to the server of this page, what it answers is shown as text.
const build = (kind, parts, ...children) => {
  const made = Object.assign(document.createElement(kind), parts);
  made.append(...children);
  return made;
};

function branches(found) {
  return build("ul", { className: "tree" }, ...found.map((one) => build(
    "li", {},
    build("span", { className: "name", textContent: one.name }), " ",
    ...one.pieces.map(([text, look]) => build("span", { className: look, textContent: text })),
    ...(one.below.length ? [branches(one.below)] : []),
  )));
}

function mistake(found) {
  const shown = build("div", { className: "note" }, build("p", { className: "bad", textContent: found.message }));
  if (found.span) {
    // Places count characters, of which JavaScript may need two units for one.
    const signs = Array.from(found.text);
    const [start, end] = found.span;
    shown.append(build("pre", {}, build(
      "code", {}, signs.slice(0, start).join(""),
      build("mark", { className: "wrong", textContent: signs.slice(start, end).join("") || " " }), signs.slice(end).join(""),
    )));
  }
  (found.help || []).forEach((text) => shown.append(build("p", { textContent: text })));
  return shown;
}

function live(box) {
  const form = box.querySelector("form");
  const result = form.querySelector(".result");
  const field = (name) => form.elements[name];
  const root = document.getElementById("search").dataset.root;
  const examples = JSON.parse(form.dataset.examples);
  const fill = (given) => {
    for (const side of ["prediction", "reference"]) {
      if (!field(side) || !(side in given)) continue;
      const isText = typeof given[side] === "string";
      field(`${side} as`).value = isText ? "text" : "json";
      field(side).value = isText ? given[side] : JSON.stringify(given[side]);
    }
    for (const name of ["record", "context"]) field(name).value = name in given ? JSON.stringify(given[name]) : "";
    for (const [name, value] of Object.entries(given.params || {})) {
      const input = field(`param ${name}`);
      if (input) input.value = input.dataset.kind === "pipeline" ? value : JSON.stringify(value);
    }
  };
  if (examples.length) {
    const choice = build("select", { ariaLabel: "an example" }, ...examples.map((_, at) => new Option(`example ${at + 1}`, at)));
    choice.addEventListener("input", () => fill(examples[choice.value]));
    form.querySelector(".examples-choice").append(" ", choice);
    fill(examples[0]);
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const asked = { definition: form.dataset.definition, params: {} };
    for (const side of ["prediction", "reference"]) {
      if (field(side)) asked[side] = { text: field(side).value, as: field(`${side} as`).value };
    }
    for (const name of ["record", "context"]) {
      if (field(name).value.trim()) asked[name] = { text: field(name).value, as: "json" };
    }
    form.querySelectorAll("[name^='param ']").forEach((input) => { asked.params[input.name.slice(6)] = input.value; });
    const expression = field("expression");
    if (expression.value.trim() && expression.value !== expression.defaultValue) asked.expression = expression.value;
    form.querySelectorAll("[aria-invalid]").forEach((input) => input.removeAttribute("aria-invalid"));
    result.replaceChildren(build("p", { className: "dim", textContent: "running …" }));
    let answer;
    try {
      const reply = await fetch(`${root}try`, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked),
      });
      answer = reply.ok ? await reply.json() : { findings: [{ message: (await reply.text()).trim() }] };
    } catch {
      answer = { findings: [{ message: "the server does not answer; is `scoring docs --serve` still running?" }] };
    }
    if (answer.findings) {
      answer.findings.forEach((found) => { if (found.where && field(found.where)) field(found.where).setAttribute("aria-invalid", "true"); });
      result.replaceChildren(...answer.findings.map(mistake));
      return;
    }
    const score = build("p", {}, build("span", { className: "score", textContent: answer.gave }));
    result.replaceChildren(score, ...(answer.stages.length ? [branches(answer.stages)] : []));
  });
  box.hidden = false;
}

document.querySelectorAll("details.try").forEach(live);
