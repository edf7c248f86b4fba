"use strict";
(() => {
  const tape = JSON.parse(document.getElementById("tape").textContent);
  const last = tape.steps.length;
  const byId = (id) => document.getElementById(id);
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  let now = -1;

  // The steps in which a part changes: only then it is drawn anew.
  const parts = tape.parts.map((part) => {
    const steps = new Set();
    for (const line of part.lines) {
      if (line.cut) continue;
      steps.add(line.from);
      if (line.to !== null) steps.add(line.to);
    }
    const box = make("div", "part code");
    box.setAttribute("aria-label", part.name);
    byId("module").append(box);
    return { ...part, steps, box };
  });

  const draw = (part, step) => {
    const rows = make("div");
    for (const line of part.lines) {
      if (line.cut) {
        rows.append(make("div", "row cut", `${line.cut} lines that no rule changes are left out`));
        continue;
      }
      const isGone = step > 0 && line.to === step;
      if (line.from > step || (line.to !== null && line.to <= step && !isGone)) continue;
      const state = isGone ? "row gone" : step > 0 && line.from === step ? "row new" : "row";
      rows.append(make("div", state, line.text));
    }
    part.box.replaceChildren(rows);
    part.box.hidden = rows.childElementCount === 0;
  };

  const about = (step) => {
    const line = byId("about");
    if (step === 0) {
      line.replaceChildren(make("span", "phase", "input"), "the module before the first rule");
      return;
    }
    const { phase, rule, operation, place } = tape.steps[step - 1];
    const text = rule === null ? ["each site gets its strategy"] : [make("code", "", rule), ` on ${operation} at ${place}`];
    line.replaceChildren(make("span", "phase", phase), ...text);
  };

  const source = (step) => {
    const rule = step === 0 ? null : tape.steps[step - 1].rule;
    const known = rule === null ? undefined : tape.rules[rule];
    byId("rule").textContent = known ? known.text : "";
    byId("place").textContent = known ? known.place : "";
    byId("rule").parentElement.hidden = !known;
  };

  const items = [{ phase: "input", rule: "the module" }, ...tape.steps].map((step, index) => {
    const button = make("button", "code");
    button.type = "button";
    button.append(make("span", "number", index), `${step.phase} ${step.rule ?? ""}`);
    button.addEventListener("click", () => go(index));
    const item = make("li");
    item.append(button);
    byId("steps").append(item);
    return button;
  });

  const go = (wanted) => {
    const step = Math.max(0, Math.min(last, wanted));
    if (step === now) return;
    const [low, high] = now < 0 ? [0, last] : [Math.min(now, step), Math.max(now, step)];
    for (const part of parts) {
      const changes = [...part.steps].some((at) => at >= low && at <= high);
      if (now < 0 || changes) draw(part, step);
    }
    if (now >= 0) items[now].removeAttribute("aria-current");
    items[step].setAttribute("aria-current", "step");
    now = step;
    byId("count").textContent = `${step} of ${last}`;
    byId("first").disabled = byId("back").disabled = step === 0;
    byId("last").disabled = byId("next").disabled = step === last;
    about(step);
    source(step);
    document.documentElement.style.setProperty("--header", `${document.querySelector("header").offsetHeight}px`);
    const list = byId("steps");
    const item = items[step];
    list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
    const changed = document.querySelector(".row.new, .row.gone");
    if (changed) changed.scrollIntoView({ block: "center", inline: "nearest" });
    document.documentElement.scrollLeft = 0;
    history.replaceState(null, "", `#${step}`);
  };

  const keys = { ArrowRight: 1, n: 1, j: 1, ArrowLeft: -1, p: -1, k: -1, Home: -Infinity, End: Infinity };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    go(now + keys[event.key]);
  });
  byId("first").addEventListener("click", () => go(0));
  byId("back").addEventListener("click", () => go(now - 1));
  byId("next").addEventListener("click", () => go(now + 1));
  byId("last").addEventListener("click", () => go(last));
  const asked = () => go(Number.parseInt(location.hash.slice(1), 10) || 0);
  window.addEventListener("hashchange", asked);
  asked();
})();
