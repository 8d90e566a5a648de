// Sorts and filters the tables of runs. Without this script, the tables show all rows in order.
for (const table of document.querySelectorAll("table.runs")) {
  const rows = () => [...table.tBodies[0].rows];
  const box = table.closest("section").querySelector(".filters");
  const [text, ended] = [box.querySelector("input"), box.querySelector("select")];
  const told = box.querySelector("output");
  const key = (row, at) => row.cells[at].dataset.by ?? row.cells[at].textContent.trim();

  const filter = () => {
    const wanted = text.value.toLowerCase();
    let count = 0;
    for (const row of rows()) {
      const is = (!ended.value || row.dataset.ended === ended.value)
        && row.textContent.toLowerCase().includes(wanted);
      row.hidden = !is;
      count += is;
    }
    told.textContent = `${count} of ${rows().length}`;
  };
  const sort = (head, at) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    const compare = (a, b) => {
      const [x, y] = [key(a, at), key(b, at)];
      if (x === "" || y === "") return (x === "") - (y === "");  // unknown values come last in both orders
      const number = x - y;
      return (Number.isNaN(number) ? x.localeCompare(y) : number) * (down ? -1 : 1);
    };
    table.tBodies[0].append(...rows().sort(compare));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
  };
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head, at));
    head.append(button);
  });
  text.addEventListener("input", filter);
  ended.addEventListener("change", filter);
  box.hidden = false;
  filter();
}
