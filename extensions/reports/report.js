// Sorts and filters the lists of runs. A number's link shows, in the list, only that number's runs.
// Without this script, the lists show all rows in order.
for (const table of document.querySelectorAll("table.runs")) {
  const rows = () => [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells];
  const box = table.closest("section").querySelector(".filters");
  const [text, ended] = [box.querySelector("input"), box.querySelector("select")];
  const [told, all] = [box.querySelector("output"), box.querySelector(".all")];
  const key = (row, at) => row.cells[at].dataset.by ?? row.cells[at].textContent.trim();
  let chosen = null;  // one of these objects, axis → label, must fit a row

  const fits = (row, where) => Object.entries(where).every(
    ([axis, label]) => key(row, heads.findIndex((head) => head.dataset.axis === axis)) === label);
  const filter = () => {
    const wanted = text.value.toLowerCase();
    let count = 0;
    for (const row of rows()) {
      const is = (!ended?.value || row.dataset.ended === ended.value)
        && (!chosen || chosen.some((where) => fits(row, where)))
        && row.textContent.toLowerCase().includes(wanted);
      row.hidden = !is;
      count += is;
    }
    const labels = (chosen ?? []).map((where) => Object.values(where).join(", ") || "all");
    told.textContent = `${count} of ${rows().length}${chosen ? `: ${labels.join("; ")}` : ""}`;
    all.hidden = !chosen;
  };
  const choose = (wheres) => {
    chosen = wheres;
    text.value = "";
    if (ended) ended.value = "";
    filter();
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
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
  };
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head, at));
    head.append(button);
  });
  for (const link of document.querySelectorAll(`a[href="#${CSS.escape(table.dataset.list)}"][data-where]`)) {
    link.addEventListener("click", () => choose(JSON.parse(link.dataset.where)));
  }
  text.addEventListener("input", filter);
  ended?.addEventListener("change", filter);
  all.addEventListener("click", () => choose(null));
  box.hidden = false;
  filter();
}
