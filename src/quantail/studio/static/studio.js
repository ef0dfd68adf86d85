// Small comforts; every page works without them.
"use strict";

// A form is sent once, however often its button is pressed.
for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    setTimeout(() => { for (const button of form.querySelectorAll("button")) button.disabled = true; }, 0);
  });
}
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// Fields of a column that do not belong to its type are put away.
const kind = document.getElementById("type");
if (kind && document.querySelector("[data-types]")) {
  const fit = () => {
    for (const part of document.querySelectorAll("[data-types]")) {
      part.hidden = kind.value !== "" && !part.dataset.types.split(" ").includes(kind.value);
    }
  };
  kind.addEventListener("change", fit);
  fit();
}
for (const choice of document.querySelectorAll("[name=explained]")) {
  const list = document.getElementById("explained-by");
  const fit = () => { list.hidden = document.querySelector("[name=explained]:checked").value !== "listed"; };
  choice.addEventListener("change", fit);
  fit();
}

// The errors of one epsilon at a time.
const slider = document.getElementById("slider");
if (slider) {
  const shown = [...document.querySelectorAll("[data-epsilon]")];
  const move = () => {
    const chosen = shown[slider.value];
    for (const part of shown) part.hidden = part !== chosen;
    document.getElementById("epsilon-shown").textContent = chosen.dataset.epsilon;
    slider.setAttribute("aria-valuetext", "epsilon " + chosen.dataset.epsilon);
  };
  slider.closest("[hidden]")?.removeAttribute("hidden");
  slider.addEventListener("input", move);
  move();
}

// A run tells how far it is; when it ends, or a plan has more to show, the page is loaded anew.
const watched = document.querySelector("[data-watch]");
if (watched) {
  const bar = watched.querySelector("progress"), step = watched.querySelector("[data-step]");
  let first = null, began = null;
  const look = async () => {
    try {
      const answer = await fetch(watched.dataset.watch, { cache: "no-store" });
      const now = await answer.json();
      const part = (now.step || "").split(",")[0];
      first ??= part;
      if (now.state !== "running" || (watched.dataset.parts && part !== first && part.startsWith("epsilon"))) {
        location.reload();
        return;
      }
      began ??= { at: Date.now(), fraction: now.fraction };
      const gone = now.fraction - began.fraction, left = (Date.now() - began.at) / gone * (1 - now.fraction) / 1000;
      const soon = gone > 0.02 && left > 1 ? ", about " + (left < 90 ? Math.ceil(left) + " s" : Math.ceil(left / 60) + " min") + " to go" : "";
      bar.value = now.fraction;
      step.textContent = now.step + soon;
    } catch {
      step.textContent = "the studio does not answer; what runs goes on, and shows when it is started again";
    }
    setTimeout(look, 700);
  };
  setTimeout(look, 400);
}
