"use strict";
const filter = document.getElementById("filter");
const rows = Array.from(document.querySelectorAll("#records tbody tr"));
if (filter) {
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
