// Settings: what was typed stays until it is saved, what is wrong with it is told beside it, files come in and go out.
(() => {
  "use strict";
  const FILE_BYTES = 240000; // a file that fits into one request
  const typed = new Map(); // what is not saved yet, by its field

  const valueOf = (field) => (field.type === "checkbox" ? String(field.checked) : field.value);

  document.addEventListener("input", (event) => {
    const form = event.target.closest(".setting");
    if (!form || event.target.type === "checkbox") return;
    const same = valueOf(event.target) === form.dataset.asItIs;
    form.classList.toggle("dirty", !same);
    same ? typed.delete(event.target.id) : typed.set(event.target.id, event.target.value);
    document.getElementById(form.dataset.beside).replaceChildren();
    event.target.removeAttribute("aria-invalid");
  });

  // A refusal is told beside the field, which keeps what was typed; what was saved is as the file has it.
  document.addEventListener("htmx:before:response", (event) => {
    const {ctx} = event.detail;
    const form = ctx.sourceElement.closest?.(".setting");
    if (!form || ctx.request.method !== "POST") return;
    const field = form.elements.value;
    const beside = document.getElementById(form.dataset.beside);
    beside.replaceChildren();
    if (ctx.response.status === 422) {
      field.setAttribute("aria-invalid", "true");
      ctx.target = beside;
      ctx.swap = "innerHTML";
    } else if (ctx.response.status === 200) {
      typed.delete(field.id);
      form.classList.remove("dirty");
      field.removeAttribute("aria-invalid");
    }
  });

  // The screen is put in anew whenever a file changes: what somebody is typing stays, and what was told of it.
  document.addEventListener("htmx:before:swap", () => {
    const find = document.getElementById("find");
    if (find && find === document.activeElement) typed.set("find", find.value);
    else typed.delete("find");
  });
  document.addEventListener("htmx:after:swap", () => {
    for (const [id, value] of typed) {
      const field = document.getElementById(id);
      if (!field) continue;
      if (field.value !== value) field.value = value;
      const form = field.closest(".setting");
      form?.classList.add("dirty");
      if (form?.querySelector(".beside .note.bad")) field.setAttribute("aria-invalid", "true");
    }
    for (const field of document.querySelectorAll(".setting [name=value]")) {
      if (typed.has(field.id)) continue;
      const form = field.closest(".setting");
      form.classList.remove("dirty");
      if (field.type === "checkbox") field.checked = field.defaultChecked;
      else if (field.value !== form.dataset.asItIs) field.value = form.dataset.asItIs;
    }
  });

  // The file begins with the table that the form shows.
  let table = "";
  document.addEventListener("htmx:after:swap", () => {
    const box = document.querySelector(".file pre[data-table]");
    if (!box) return void (table = "");
    if (box.dataset.table === table) return;
    table = box.dataset.table;
    const head = [...box.querySelectorAll(".head")].find((line) => line.textContent.startsWith("[" + table + "]"));
    if (head) bring(head, 20);
  });

  function bring(line, part) {
    const box = line.closest("pre");
    box.scrollTop += line.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / part;
    return box;
  }

  // Where a setting is written in the file beside the form.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-line]");
    if (!button) return;
    document.querySelector(".line.meant")?.classList.remove("meant");
    const line = document.getElementById("line-" + button.dataset.line);
    if (!line) return;
    line.classList.add("meant");
    const box = bring(line, 3);
    if (box.getBoundingClientRect().top > innerHeight) box.scrollIntoView({block: "center"});
  });

  // A file that somebody chose is read here: its name and its text are sent, never a path.
  document.addEventListener("change", async (event) => {
    if (!event.target.matches("[data-reads]")) return;
    const {name, content} = event.target.form.elements;
    const [file] = event.target.files;
    name.value = file ? file.name : "";
    content.value = file ? await file.slice(0, FILE_BYTES * 2).text() : "";
  });

  memd.draws.saves = (place, {name, content}) => {
    delete place.dataset.values;
    const address = URL.createObjectURL(new Blob([content], {type: "application/json"}));
    Object.assign(document.createElement("a"), {href: address, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };
})();
