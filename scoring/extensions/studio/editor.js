"use strict";
// The editor: a text area over a painted copy of its text, with colours, findings and completion. Every text is set
// as text; nothing here is ever read as markup.
const make = (kind, parts, ...children) => {
  const { data, ...own } = parts || {};
  const made = Object.assign(document.createElement(kind), own);
  for (const [name, value] of Object.entries(data || {})) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

// A file of the page: its text as it stands in the editor, as it is saved, and what can be undone and done again.
const fileOf = (number, text, is_json) =>
  ({ number, text, is_json, saved: text, past: [], future: [], found: [], coloured: new Map(), place: 0, top: 0 });
const MOST_UNDONE = 300;

class Editor {
  constructor(ask, changed) {
    for (const name of ["text", "paint", "gutter", "offers", "about", "editor"]) this[name] = document.getElementById(name);
    this.ask = ask;
    this.changed = changed;
    this.file = fileOf(0, "", false);
    this.colours = [];
    this.items = [];
    this.chosen = 0;
    this.asking = 0;
    this.text.addEventListener("input", (event) => this.typed(event));
    this.text.addEventListener("beforeinput", (event) => this.undone(event, event.inputType === "historyUndo", event.inputType === "historyRedo"));
    this.text.addEventListener("scroll", () => this.scrolled());
    this.text.addEventListener("keydown", (event) => this.pressed(event));
    this.text.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    this.text.addEventListener("mousemove", (event) => this.pointed(event));
    document.addEventListener("selectionchange", () => document.activeElement === this.text && this.moved());
  }

  get value() {
    return this.text.value;
  }

  set value(text) {
    this.text.value = this.file.text = text;
    this.draw();
  }

  // Take up a file, as it was left.
  edit(file) {
    Object.assign(this.file, { place: this.text.selectionStart, top: this.text.scrollTop });
    this.file = file;
    this.close();
    this.value = file.text;
    this.text.setSelectionRange(file.place, file.place);
    this.text.scrollTop = file.top;
  }

  // What can be undone is kept here, file by file: a browser knows one history for all that was written in a field.
  keep(kind) {
    const { file } = this;
    const now = this.text.value;
    if (now === file.text) return;
    const goes_on = kind && file.kind === kind && Date.now() - file.when < 1000;
    if (!goes_on) file.past.push(file.text);
    file.past.splice(0, file.past.length - Math.max(20, Math.min(MOST_UNDONE, Math.floor(2e7 / now.length))));
    Object.assign(file, { text: now, future: [], kind, when: Date.now() });
  }

  undone(event, back, again) {
    if (!back && !again) return false;
    event.preventDefault();
    const { file } = this;
    const [from, to] = back ? [file.past, file.future] : [file.future, file.past];
    if (!from.length) return true;
    const [old, now] = [file.text, from.pop()];
    to.push(old);
    file.kind = "";
    let same = 0;
    while (same < Math.min(old.length, now.length) && old[old.length - 1 - same] === now[now.length - 1 - same]) same += 1;
    this.value = now;
    this.goTo(this.position(now.length - same), false);
    this.changed();
    this.close();
    return true;
  }

  // What a question about the text says of it.
  written() {
    return { text: this.value, file: this.file.number };
  }

  // Offsets and positions: a position counts UTF-16 units, as the text of a page does.
  lines() {
    return this.text.value.split("\n");
  }

  offset({ line, character }) {
    const lines = this.lines();
    if (line >= lines.length) return this.text.value.length;
    let at = 0;
    for (let number = 0; number < line; number += 1) at += lines[number].length + 1;
    return at + Math.min(character, lines[line].length);
  }

  position(offset) {
    const before = this.text.value.slice(0, offset).split("\n");
    return { line: before.length - 1, character: before[before.length - 1].length };
  }

  // Replace stretches of the text, the last one first; undo brings all of them back.
  apply(edits) {
    const stretches = edits.map((one) => [this.offset(one.range.start), this.offset(one.range.end), one.newText]);
    stretches.sort((a, b) => b[0] - a[0]);
    this.text.focus();
    for (const [start, end, text] of stretches) this.text.setRangeText(text, start, end, "end");
    this.text.dispatchEvent(new InputEvent("input", { inputType: "insertReplacementText" }));
  }

  replace(start, end, text) {
    this.apply([{ range: { start: this.position(start), end: this.position(end) }, newText: text }]);
  }

  goTo(position, centre = true) {
    const at = this.offset(position);
    this.text.focus();
    this.text.setSelectionRange(at, at);
    const { scrollTop, clientHeight } = this.text;
    const line = position.line * this.height();
    if (centre || line < scrollTop || line > scrollTop + clientHeight - 2 * this.height()) {
      this.text.scrollTop = Math.max(0, line - clientHeight / 2);
    }
  }

  height() {
    return parseFloat(getComputedStyle(this.text).lineHeight);
  }

  // Painting.
  told(found, data) {
    this.file.found = found;
    this.file.coloured = this.coloursOf(data || []);
    this.draw();
  }

  coloursOf(data) {
    const lines = this.lines();
    const marks = new Map();
    let [line, at] = [0, 0];
    for (let place = 0; place + 4 < data.length; place += 5) {
      if (data[place]) at = 0;
      line += data[place];
      at += data[place + 1];
      if (!marks.has(line)) marks.set(line, []);
      marks.get(line).push([at, at + data[place + 2], this.colours[data[place + 3]] || "plain"]);
    }
    // By the line's own text: a line that moves keeps its colours until new ones are there.
    return new Map([...marks].map(([number, of]) => [lines[number], of]));
  }

  draw() {
    const lines = this.lines();
    const wrong = new Map();
    for (const one of this.file.found) {
      const { start, end } = one.range;
      for (let line = start.line; line <= Math.min(end.line, lines.length - 1, start.line + 50); line += 1) {
        const first = line === start.line ? start.character : 0;
        const last = line === end.line ? end.character : lines[line].length;
        if (!wrong.has(line)) wrong.set(line, []);
        wrong.get(line).push([first, Math.max(last, first + 1), one.severity === 1 ? "wrong" : "doubtful"]);
      }
    }
    const painted = lines.map((line, number) => this.painted(line, this.file.coloured.get(line) || [], wrong.get(number) || []));
    this.paint.replaceChildren(...painted);
    this.gutter.replaceChildren(...lines.map((_, number) => {
      const level = (wrong.get(number) || []).map((one) => one[2]).sort().pop();
      return make("div", { textContent: String(number + 1), className: level || "" });
    }));
    this.scrolled();
  }

  painted(line, colours, wrong) {
    const row = make("div", {});
    const comment = /(^|\s)#/.exec(line);
    const from = comment && !colours.some(([start, end]) => start <= comment.index && comment.index < end) ? comment.index : -1;
    const all = from < 0 ? colours : [...colours.filter(([start]) => start < from), [from, line.length, "comment"]];
    const ends = new Set([0, line.length]);
    for (const [start, end] of [...all, ...wrong]) ends.add(Math.min(start, line.length)).add(Math.min(end, line.length));
    const stops = [...ends].sort((a, b) => a - b);
    for (let place = 0; place + 1 < stops.length; place += 1) {
      const [start, end] = [stops[place], stops[place + 1]];
      const names = [...all, ...wrong].filter((one) => one[0] <= start && end <= one[1]).map((one) => one[2]);
      row.append(make("span", { className: names.join(" "), textContent: line.slice(start, end) }));
    }
    if (!line) row.append(make("span", { textContent: "\u200b", className: wrong.length ? wrong[0][2] : "" }));
    else if (wrong.some(([start]) => start >= line.length)) row.append(make("span", { textContent: " ", className: "wrong" }));
    return row;
  }

  scrolled() {
    const { scrollLeft, scrollTop } = this.text;
    this.paint.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    this.gutter.style.transform = `translateY(${-scrollTop}px)`;
  }

  // Typing, and what may come next.
  typed(event) {
    const typed = event.data || "";
    const is_letter = event.isComposing || (event.inputType === "insertText" && typed.length === 1);
    this.keep(is_letter ? "letter" : /^deleteContent/.test(event.inputType) ? event.inputType : "");
    this.draw();
    this.changed();
    if (event.inputType === "insertText" && typed.length === 1 && /[\w|.( :]/.test(typed)) this.offer(typed === " ");
    else this.close();
  }

  async offer(quietly) {
    const at = this.text.selectionStart;
    const number = (this.asking += 1);
    const told = await this.ask({ ask: "complete", ...this.written(), position: this.position(at) });
    if (number !== this.asking || this.text.selectionStart !== at || document.activeElement !== this.text) return;
    const items = ((told.found || {}).items || []).filter((one) => {
      const before = this.value.slice(this.offset(one.textEdit.range.start), at).toLowerCase();
      return one.label.toLowerCase().includes(before) && one.textEdit.newText !== this.value.slice(this.offset(one.textEdit.range.start), at);
    });
    const begins = (one) => one.label.toLowerCase().startsWith(this.value.slice(this.offset(one.textEdit.range.start), at).toLowerCase());
    this.items = [...items.filter(begins), ...items.filter((one) => !begins(one))].slice(0, 40);
    this.chosen = quietly ? -1 : 0;
    if (this.items.length) this.show(at);
    else this.close();
  }

  show(at) {
    this.offers.replaceChildren(...this.items.map((one, place) => {
      const shown = make("li", { id: `offer-${place}`, data: { role: "option", "aria-selected": String(place === this.chosen) } },
        make("b", { textContent: one.label }), make("span", { textContent: one.detail || "" }));
      shown.addEventListener("mousedown", (event) => (event.preventDefault(), this.take(place)));
      return shown;
    }));
    this.offers.hidden = false;
    const spot = this.spot(at);
    const frame = this.editor.getBoundingClientRect();
    const below = spot.bottom - frame.top + this.offers.offsetHeight < frame.height;
    this.offers.style.left = `${Math.max(0, Math.min(spot.left - frame.left, frame.width - this.offers.offsetWidth))}px`;
    const over = spot.top - frame.top - this.offers.offsetHeight;
    this.offers.style.top = `${below || over < 0 ? spot.bottom - frame.top : over}px`;
    this.mark();
  }

  // Where an offset stands on the screen, by the painted text.
  spot(offset) {
    const { line, character } = this.position(offset);
    const row = this.paint.children[line];
    let left = character;
    for (const part of row.childNodes) {
      const node = part.firstChild;
      if (node && left <= node.length) {
        const range = document.createRange();
        range.setStart(node, Math.min(left, node.length));
        range.collapse(true);
        const found = range.getBoundingClientRect();
        const box = row.getBoundingClientRect();
        return { left: found.left || box.left, top: box.top, bottom: box.bottom };
      }
      left -= node ? node.length : 0;
    }
    return row.getBoundingClientRect();
  }

  mark() {
    [...this.offers.children].forEach((one, place) => {
      one.setAttribute("aria-selected", String(place === this.chosen));
      if (place === this.chosen) one.scrollIntoView({ block: "nearest" });
    });
    if (this.chosen >= 0) this.text.setAttribute("aria-activedescendant", `offer-${this.chosen}`);
    else this.text.removeAttribute("aria-activedescendant");
    const one = this.items[this.chosen];
    if (one) this.tell(one.label, [one.detail, one.documentation]);
  }

  take(place) {
    const { range, newText } = this.items[place].textEdit;
    this.close();
    this.replace(this.offset(range.start), Math.max(this.offset(range.end), this.text.selectionStart), newText);
    this.close();
  }

  close() {
    this.asking += 1;
    this.items = [];
    this.offers.hidden = true;
    this.text.removeAttribute("aria-activedescendant");
  }

  pressed(event) {
    const key = event.ctrlKey || event.metaKey ? event.key.toLowerCase() : "";
    if (this.undone(event, key === "z" && !event.shiftKey, key === "y" || (key === "z" && event.shiftKey))) return undefined;
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.offer(false);
    } else if (!this.offers.hidden && this.items.length) {
      const most = this.items.length;
      if (event.key === "ArrowDown") this.chosen = (this.chosen + 1) % most;
      else if (event.key === "ArrowUp") this.chosen = (this.chosen + most - 1 + (this.chosen < 0 ? 1 : 0)) % most;
      else if (event.key === "Escape") return this.close();
      else if ((event.key === "Enter" || event.key === "Tab") && this.chosen >= 0) this.take(this.chosen);
      else return undefined;
      event.preventDefault();
      if (this.items.length) this.mark();
    } else if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey) {
      const { line } = this.position(this.text.selectionStart);
      const indent = /^ */.exec(this.lines()[line])[0];
      if (indent) {
        event.preventDefault();
        this.replace(this.text.selectionStart, this.text.selectionEnd, `\n${indent}`);
      }
    }
    return undefined;
  }

  // What stands where the cursor is, or under the mouse.
  moved() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.items.length || this.look(this.position(this.text.selectionStart)), 250);
  }

  pointed(event) {
    clearTimeout(this.resting);
    const box = this.paint.getBoundingClientRect();
    const line = Math.floor((event.clientY - box.top) / this.height());
    if (this.wide === undefined) {
      const ruler = make("span", { textContent: "0".repeat(100) });
      this.paint.append(ruler);
      this.wide = ruler.getBoundingClientRect().width / 100;
      ruler.remove();
    }
    const character = Math.floor((event.clientX - box.left) / this.wide);
    const row = this.lines()[line];
    if (row === undefined || character < 0 || character > row.length) return;
    this.resting = setTimeout(() => this.items.length || this.look({ line, character }), 250);
  }

  async look(position) {
    const wrong = this.file.found.find(({ range: { start, end } }) =>
      (start.line < position.line || (start.line === position.line && start.character <= position.character)) &&
      (end.line > position.line || (end.line === position.line && end.character >= position.character)));
    if (wrong) {
      this.tell("", [wrong.message.split("\n")[0]]);
      return;
    }
    const { file } = this;
    const told = await this.ask({ ask: "hover", ...this.written(), position });
    if (this.file !== file) return;
    if (told.found) this.tell(told.found.code, told.found.lines);
    else this.tell("", []);
  }

  tell(code, lines) {
    this.about.replaceChildren(make("code", { textContent: code }), ` ${lines.filter(Boolean).join(" · ")}`);
  }
}
