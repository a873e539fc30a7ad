"use strict";
// The gallery: a filter of its list, and the box in which a record is edited to the command that scores it. Without
// this script the pages are complete but for the two; all that is shown is set as text.
(() => {
  const filter = document.querySelector(".gallery-filter");
  if (filter) {
    const input = filter.querySelector("input");
    const items = [...filter.closest("article").querySelectorAll("li")];
    const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
    const show = () => {
      const wanted = words(input.value);
      let count = 0;
      items.forEach((item) => {
        const text = item.textContent.toLowerCase();
        item.hidden = !wanted.every((word) => text.includes(word));
        count += item.hidden ? 0 : 1;
      });
      filter.closest("article").querySelectorAll("ul").forEach((list) => {
        const isEmpty = ![...list.children].some((item) => !item.hidden);
        list.hidden = isEmpty;
        if (list.previousElementSibling) list.previousElementSibling.hidden = isEmpty;
      });
      filter.querySelector("[role=status]").textContent = wanted.length ? `${count} of ${items.length}` : "";
    };
    filter.addEventListener("submit", (event) => event.preventDefault());
    input.addEventListener("input", show);
    filter.hidden = false;
  }

  const box = document.querySelector(".gallery-edit");
  if (!box) return;
  const text = box.querySelector("textarea");
  const command = box.querySelector("pre code");
  const status = box.querySelector("[role=status]");
  const lines = [...box.querySelector("template").content.querySelectorAll("i")].map((line) => line.textContent);
  // JSON may be laid out over several lines, but a record has to stand in one.
  const records = () => {
    try {
      JSON.parse(text.value);
      return [text.value.trim().replace(/\s*\n\s*/g, " ")];
    } catch {
      return text.value.split("\n").map((line) => line.trim()).filter(Boolean);
    }
  };
  const wrong = (record) => {
    try {
      const value = JSON.parse(record);
      return value && typeof value === "object" && !Array.isArray(value) ? "" : "a record is a mapping: { … }";
    } catch (error) {
      return error.message;
    }
  };
  const update = () => {
    const found = records();
    const place = found.findIndex(wrong);
    const problem = !found.length ? "there is no record" : place < 0 ? "" : `record ${place + 1}: ${wrong(found[place])}`;
    status.textContent = problem;
    text.setAttribute("aria-invalid", String(Boolean(problem)));
    // One record is explained step by step; of several the figures are what one wants.
    const verb = found.length === 1 ? "explain" : "score";
    command.textContent = problem ? "" : `scoring ${verb} ${box.dataset.task} - <<'END'\n${found.join("\n")}\nEND`;
  };
  document.querySelectorAll("[data-take]").forEach((button) => {
    button.closest(".gallery-take")?.removeAttribute("hidden");
    button.addEventListener("click", () => {
      const taken = button.dataset.take;
      text.value = taken === "all" ? lines.join("\n") : lines[Number(taken)];
      update();
      text.focus();
    });
  });
  text.addEventListener("input", update);
  text.value = lines[0] || "";
  update();
  box.hidden = false;
})();
