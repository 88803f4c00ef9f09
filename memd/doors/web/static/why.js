// Why: figures beside sliders as they move, and asking anew with what they say once there is an answer.
(() => {
  "use strict";
  const form = () => document.getElementById("why");
  const answered = () => document.querySelector("#answer #block-head");
  const ask = (name) => form().dispatchEvent(new CustomEvent(name, {bubbles: true, cancelable: true}));

  function tell(slider) {
    const shown = slider.parentElement.querySelector("output"), moved = slider.value !== slider.dataset.base;
    slider.parentElement.classList.toggle("moved", moved);
    let words = slider.value;
    if (slider.id === "as-of") {
      const at = new Date(slider.value * 1000);
      words = moved ? at.toLocaleString(document.documentElement.lang, {dateStyle: "medium", timeStyle: "short"}) : shown.dataset.now;
      slider.setAttribute("aria-valuetext", words);
    }
    shown.textContent = words;
  }

  document.addEventListener("input", (event) => {
    if (!event.target.matches("#why [data-moves]")) return;
    if (event.target.type === "range") tell(event.target);
    if (event.target.id === "role") document.body.dispatchEvent(new CustomEvent("of-another"));
    if (answered()) ask("moved");
  });
  document.addEventListener("click", (event) => {
    const taken = event.target.closest("[data-asks]");
    if (taken) {
      document.getElementById("message").value = taken.dataset.asks;
      document.getElementById("role").value = taken.dataset.of;
      form().requestSubmit();
    }
    if (event.target.closest("[data-puts-back]")) {
      for (const slider of form().querySelectorAll("input[type=range]")) {
        slider.value = slider.dataset.base;
        tell(slider);
      }
      if (answered()) ask("moved");
    }
  });
  for (const topic of ["memory", "file", "settings", "anew"]) { // what was not asked is not asked, nor is a field that is empty still complained of
    document.body.addEventListener("live-" + topic, () => form() && answered() && ask("changed"));
  }
  let submitted = false; // on a narrow window what comes is brought into sight
  document.addEventListener("submit", (event) => {
    submitted ||= event.target.id === "why";
  });
  document.addEventListener("keydown", (event) => { // a message is sent as in a chat
    if (event.target.id === "message" && event.key === "Enter" && (event.ctrlKey || event.metaKey)) form().requestSubmit();
  });
  document.addEventListener("htmx:after:process", (event) => {
    for (const slider of event.target.querySelectorAll?.("#why input[type=range]") || []) tell(slider);
    const answer = document.getElementById("answer");
    if (submitted && answered() && answer.getBoundingClientRect().top > 0.8 * window.innerHeight) answer.scrollIntoView();
    if (answered()) submitted = false;
  });
})();
