"use strict";
// The search of `scoring list --about`, over what stands in index.js: it is loaded when the box is first used.
const make = (kind, parts, ...children) => {
  const made = Object.assign(document.createElement(kind), parts);
  made.append(...children);
  return made;
};

const words = (text, empty) => (text.toLowerCase().replaceAll("ß", "ss").match(/[\p{L}\p{N}]+/gu) || [])
  .filter((word) => !empty.has(word))
  .map((word) => (word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word));

const plain = (text) => text.toLowerCase().replace(/[_\-./ ]/g, "");

function alike(word, other, stem) {
  if (word.slice(0, stem) !== other.slice(0, stem) || word.length < stem) return false;
  const shorter = Math.min(word.length, other.length);
  let same = 0;
  while (same < shorter && word[same] === other[same]) same += 1;
  return same >= 0.75 * shorter;
}

// How near two words are: twice the letters of the longest runs that they share, over the letters of both.
function matching(a, aLow, aHigh, b, bLow, bHigh) {
  let [size, atA, atB] = [0, aLow, bLow];
  let ends = new Map();
  for (let i = aLow; i < aHigh; i += 1) {
    const next = new Map();
    for (let j = bLow; j < bHigh; j += 1) {
      if (a[i] !== b[j]) continue;
      const length = (ends.get(j - 1) || 0) + 1;
      next.set(j, length);
      if (length > size) [size, atA, atB] = [length, i - length + 1, j - length + 1];
    }
    ends = next;
  }
  if (!size) return 0;
  return matching(a, aLow, atA, b, bLow, atB) + size + matching(a, atA + size, aHigh, b, atB + size, bHigh);
}

const nearness = (a, b) => (2 * matching(a, 0, a.length, b, 0, b.length)) / (a.length + b.length);

class Finder {
  constructor(index) {
    this.settings = index.settings;
    this.empty = new Set(index.empty);
    this.counts = new Map(index.words.map((word) => [word, 0]));
    this.things = index.things.map(([name, kind, summary, target, plainNames, spokenNames, byWeight]) => {
      const held = new Map();
      byWeight.forEach((numbers, at) => numbers.forEach((number) => {
        held.set(index.words[number], this.settings.weights[at]);
      }));
      held.forEach((_, word) => this.counts.set(word, this.counts.get(word) + 1));
      return { name, kind, summary, target, plainNames, spokenNames, held };
    });
  }

  known(word) {
    const { stem, near } = this.settings;
    let best = null;
    for (const other of this.counts.keys()) if (other.startsWith(word) || alike(word, other, stem)) return word;
    for (const other of this.counts.keys()) {
      if (other.length <= 3) continue;
      const share = nearness(other, word);
      if (share >= near && (!best || share > best[0] || (share === best[0] && other > best[1]))) best = [share, other];
    }
    return best ? best[1] : word;
  }

  weight(word, held) {
    if (held.has(word)) return held.get(word);
    let most = 0;
    held.forEach((weight, other) => {
      if ((word.length >= 3 && other.startsWith(word)) || alike(word, other, this.settings.stem)) {
        most = Math.max(most, weight);
      }
    });
    return this.settings.like * most;
  }

  find(about) {
    const { most, longest, least, whole } = this.settings;
    const text = Array.from(about).slice(0, longest).join("");
    const asked = Array.from(new Set(words(text, this.empty).map((word) => this.known(word))));
    const rare = asked.map((word) => Math.log(1 + this.things.length / (1 + (this.counts.get(word) || 0))));
    const wanted = plain(text);
    const spoken = asked.join(" ");
    const scored = this.things.map((thing) => {
      const found = asked.map((word) => this.weight(word, thing.held));
      const hits = found.filter((weight) => weight).length;
      if (!hits) return [0, thing];
      const sum = found.reduce((total, weight, at) => total + weight * rare[at], 0) * (hits / asked.length) ** 2;
      return [sum + (thing.plainNames.includes(wanted) || thing.spokenNames.includes(spoken) ? whole : 0), thing];
    });
    const best = Math.max(0, ...scored.map(([score]) => score));
    return scored.sort(([a], [b]) => b - a).slice(0, most).filter(([score]) => score > best * least)
      .map(([, thing]) => thing);
  }
}

function searching(box) {
  const root = box.dataset.root;
  const input = make("input", {
    type: "search", placeholder: "Search  ( / )", autocomplete: "off", spellcheck: false, id: "search-words",
  });
  const list = make("ul", { id: "search-found", hidden: true });
  const label = make("label", { htmlFor: "search-words", className: "skip", textContent: "Search packs, tasks and primitives" });
  const attributes = { role: "combobox", "aria-expanded": "false", "aria-controls": "search-found", "aria-autocomplete": "list" };
  Object.entries(attributes).forEach(([name, value]) => input.setAttribute(name, value));
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Found");
  let finder = null;
  let chosen = -1;
  const ready = new Promise((resolve) => {
    input.addEventListener("focus", () => {
      if (globalThis.scoringIndex) return;
      const script = make("script", { src: `${root}index.js` });
      script.addEventListener("load", resolve);
      document.head.append(script);
    }, { once: true });
  });
  const choose = (at) => {
    const options = list.querySelectorAll("[role=option]");
    chosen = options.length ? (at + options.length) % options.length : -1;
    options.forEach((option, place) => option.setAttribute("aria-selected", String(place === chosen)));
    if (chosen < 0) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    input.setAttribute("aria-activedescendant", options[chosen].id);
    options[chosen].scrollIntoView({ block: "nearest" });
  };
  const show = async () => {
    await ready;
    finder = finder || new Finder(globalThis.scoringIndex);
    const asked = input.value.trim();
    const found = asked ? finder.find(asked) : [];
    list.replaceChildren(...found.map((thing, at) => {
      const option = make("li", { id: `search-${at}` }, thing.name, " ", make("small", { textContent: `${thing.kind} · ${thing.summary}` }));
      option.setAttribute("role", "option");
      option.dataset.target = thing.target;
      option.addEventListener("mousedown", (event) => { event.preventDefault(); go(option); });
      return option;
    }));
    if (asked && !found.length) list.append(make("li", { className: "none", textContent: "Nothing is about this." }));
    list.hidden = !asked;
    input.setAttribute("aria-expanded", String(!list.hidden));
    choose(0);
  };
  const go = (option) => { if (option) location.href = root + option.dataset.target; };
  const close = () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); };
  input.addEventListener("input", show);
  input.addEventListener("focus", () => { if (input.value) show(); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") go(list.querySelectorAll("[role=option]")[chosen]);
    else if (event.key === "Escape") { close(); input.blur(); } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName || "");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    }
  });
  box.append(label, input, list);
}

function copying(block) {
  if (!navigator.clipboard) return;
  const text = block.textContent;
  const button = make("button", { type: "button", className: "copy-button", textContent: "copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "copied";
  });
  block.append(button);
}

// The place that an address names may lie in what is folded.
function unfolded() {
  const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = place; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
}

searching(document.getElementById("search"));
document.querySelectorAll("pre.copy").forEach(copying);
addEventListener("hashchange", unfolded);
unfolded();
