// What the page does by itself: its addresses, JSON for forms, changes as they come, keys, notes, dialogs.
(() => {
  "use strict";
  const {session} = window.memd; // first.js
  const screen = document.getElementById("screen");
  const notes = document.getElementById("notes");
  const connection = document.getElementById("connection");
  let ended = false;

  const one = (selector) => document.querySelector(selector);

  async function enter() {
    if ((await session.first.catch(() => undefined)) === null) return show("without");
    await open();
    listen();
  }

  function show(template) {
    ended = true;
    screen.replaceChildren(document.getElementById(template).content.cloneNode(true));
    screen.removeAttribute("aria-busy");
    connected(false);
  }

  // The screen of the address, without another document: a link within the page, and back.
  let asked = session.path; // for which there is a reply that is not shown yet
  async function open(focus) {
    await session.first.catch(() => null); // it may bring the secret
    const path = location.pathname + location.search;
    const fetch = asked === path ? () => session.first : undefined;
    asked = "";
    for (const link of document.querySelectorAll("header nav a")) {
      if (link.pathname === location.pathname) {
        link.setAttribute("aria-current", "page");
        document.title = link.textContent.trim() + " · memd";
      } else link.removeAttribute("aria-current");
    }
    screen.setAttribute("aria-busy", "true");
    const swap = fetch && (await session.shown) ? "innerMorph" : "innerHTML"; // what is seen already stays
    await htmx.ajax("GET", "/screen" + path, {source: screen, target: "#screen", swap, fetch}); // hx-sync: the last that is asked for counts
    if (path !== location.pathname + location.search) return;
    screen.removeAttribute("aria-busy");
    if (focus) {
      window.scrollTo(0, 0);
      screen.focus({preventScroll: true});
    }
  }

  function go(address) {
    history.pushState(null, "", address);
    return open(true);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='/']");
    if (link && !link.target && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0) {
      event.preventDefault();
      go(link.pathname + link.search);
    }
    const opens = event.target.closest("[data-opens]");
    if (opens) document.getElementById(opens.dataset.opens).showModal();
    const closes = event.target.closest("[data-closes]");
    if (closes) close(closes.dataset.closes ? document.getElementById(closes.dataset.closes) : closes.closest(".note"));
    if (event.target.nodeName === "DIALOG") event.target.close(); // beside what is in it
  });
  window.addEventListener("popstate", () => open(true));

  // A form of questions (method get) changes the address, so that it can be gone back to.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "get" || form.hasAttribute("hx-get") || !form.getAttribute("action")) return;
    event.preventDefault();
    const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    go(form.getAttribute("action") + (asked.size ? "?" + asked : ""));
  });

  function close(what) {
    if (what.nodeName === "DIALOG") return what.close();
    what.remove();
  }

  // Requests: the secret as a header, what is posted as JSON, nothing evaluated.
  const AS = {
    number: (value) => (value === "" ? undefined : Number(value)),
    figure: (value) => (value.trim() === "" || Number.isNaN(Number(value)) ? value : Number(value)), // what is none is told by who is asked
    yes: (value) => value === "true" || value === "on",
    list: (value) => value.split("\n").map((line) => line.trim()).filter(Boolean),
    json: (value) => JSON.parse(value),
    given: (value) => value || undefined,
    null: (value) => value || null,
  };

  // Of a form with data-changed only what somebody changed is sent, and fields with data-always.
  function isLeft(field, form) {
    if (!form.hasAttribute("data-changed") || field.hasAttribute("data-always")) return false;
    if (field.type === "checkbox") return field.checked === field.defaultChecked;
    if (field.nodeName === "SELECT") return [...field.options].every((one) => one.selected === one.defaultSelected);
    return field.value === field.defaultValue;
  }

  function valuesOf(body, form) {
    const values = {};
    for (const [name, value] of body) {
      const field = form && form.querySelector(`[name="${CSS.escape(name)}"]`);
      if (field && isLeft(field, form)) continue;
      const as = field && AS[field.dataset.as];
      values[name] = as ? as(value) : value;
    }
    for (const box of form ? form.querySelectorAll("input[type=checkbox][data-as=yes]") : []) {
      if (!box.disabled && !(box.name in values) && !isLeft(box, form)) values[box.name] = false;
    }
    return values;
  }

  const MOST_BODY = 250000, MOST_ADDRESS = 8000; // below what the server takes (app.py)
  const note = (template) => notes.append(document.getElementById(template).content.cloneNode(true));
  const unreached = () => notes.querySelector("[data-note=unreached]");

  const refuse = () => { throw new Error("nothing is evaluated here"); };
  htmx.registerExtension("memd", {init: (api) => api.initSecurity(null, refuse, refuse)});

  document.addEventListener("htmx:config:request", (event) => {
    const {ctx} = event.detail;
    Object.assign(ctx.request.headers, session.headers());
    if (ctx.request.method.toUpperCase() === "POST") {
      const source = ctx.sourceElement;
      ctx.memd = JSON.stringify(valuesOf(ctx.request.body, source.closest("form")));
    }
  });
  document.addEventListener("htmx:before:request", (event) => {
    const {ctx} = event.detail;
    if (new Blob([ctx.memd || ""]).size > MOST_BODY || ctx.request.action?.length > MOST_ADDRESS) {
      event.preventDefault(); // it would be refused, half sent
      return note("too-long");
    }
    if (ctx.memd === undefined) return;
    ctx.request.headers["Content-Type"] = "application/json";
    ctx.request.body = ctx.memd;
  });
  document.addEventListener("htmx:before:response", (event) => {
    const {ctx} = event.detail;
    if (ctx.response.status === 401) {
      event.preventDefault();
      leave();
    } else if (ctx.response.status >= 400 && !/^text\/html/.test(ctx.response.headers.get("content-type"))) {
      event.preventDefault(); // refused before it was looked at
      note([413, 414].includes(ctx.response.status) ? "too-long" : "unanswered");
    } else if (ctx.response.status >= 500 && ctx.request.method === "GET" && ctx.target !== screen) {
      event.preventDefault(); // what is shown stays until it can be asked for again
    }
  });

  document.addEventListener("htmx:error", (event) => {
    if (event.detail.error instanceof TypeError && !unreached()) note("unreached"); // what fetch throws where nobody answers
  });

  function leave() {
    session.keep("");
    show("without");
  }

  // Changes: lines of JSON over a request that stays open. The first says that they are told from now on: what happened since the screen was
  // made, or while the connection was lost, is asked for anew.
  function tell(happening) {
    const topic = happening.topic === "subscribed" ? "anew" : happening.topic;
    document.body.dispatchEvent(new CustomEvent("live-" + topic, {detail: happening}));
  }

  // What a button did here is told, too: not everything that changes has a topic.
  document.addEventListener("htmx:after:request", (event) => {
    const {ctx} = event.detail;
    if (ctx.memd !== undefined && ctx.request.action?.startsWith("/do/") && ctx.response?.status < 300) tell({topic: "done"});
  });

  function connected(is) {
    connection.classList.toggle("lost", !is);
    if (is) unreached()?.remove();
    connection.querySelector(".said").textContent = is ? connection.dataset.live : connection.dataset.lost;
  }

  async function listen() {
    while (!ended) {
      try {
        const reply = await fetch("/live", {headers: session.headers(), cache: "no-store"});
        if (reply.status === 401) return leave();
        if (!reply.ok) throw new Error(reply.statusText);
        connected(true);
        const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let rest = ""; ;) {
          const {value, done} = await reader.read();
          if (done) break;
          const lines = (rest + value).split("\n");
          rest = lines.pop();
          lines.filter(Boolean).forEach((line) => tell(JSON.parse(line)));
        }
      } catch { /* the server is away: asked again below */ }
      connected(false);
      await new Promise((done) => setTimeout(done, 1000));
    }
  }

  // What a template leaves to a script: data-draws names what is in memd.draws, data-values is given to it.
  const draws = {};
  const loading = {};

  function needs(name) {
    loading[name] ||= new Promise((done, failed) => {
      const script = document.createElement("script");
      Object.assign(script, {src: "/static/vendor/" + name, onload: done, onerror: failed});
      document.head.append(script);
    });
    return loading[name];
  }

  document.addEventListener("htmx:after:process", (event) => {
    const root = event.target;
    if (root.nodeType !== 1) return;
    for (const list of document.querySelectorAll("[data-most]")) {
      while (list.childElementCount > list.dataset.most) list.lastElementChild.remove();
    }
    for (const place of [root, ...root.querySelectorAll("[data-draws]")]) {
      if (!place.dataset.draws || place.dataset.drawn === place.dataset.values) continue;
      place.dataset.drawn = place.dataset.values;
      draws[place.dataset.draws](place, JSON.parse(place.dataset.values));
    }
  });

  document.body.addEventListener("live-anew", () => {
    if (one("#screen > .refused")) open();
  });

  // Notes go by themselves, unless somebody is at them or they say what went wrong.
  new MutationObserver((changes) => {
    for (const note of changes.flatMap((change) => [...change.addedNodes])) {
      if (note.nodeType !== 1) continue;
      const leaveIt = () => {
        if (note.matches(":hover, :focus-within")) return setTimeout(leaveIt, 2000);
        note.remove();
      };
      if (!note.matches(".bad")) setTimeout(leaveIt, 9000);
    }
  }).observe(notes, {childList: true});

  // Keys: figures for screens, / to search, j and k among entries, n to the newest note, ? for these.
  function move(step) {
    const items = [...screen.querySelectorAll("[data-item]")].filter((item) => item.offsetParent);
    const at = items.findIndex((item) => item.contains(document.activeElement));
    const next = items[at < 0 ? (step > 0 ? 0 : items.length - 1) : at + step];
    if (!next) return;
    next.tabIndex = -1;
    next.focus();
    next.scrollIntoView({block: "nearest"});
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
    if (event.target.matches("input, textarea, select, [contenteditable]")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const link = one(`header nav a[data-key="${CSS.escape(event.key)}"]`);
    if (link) go(link.pathname);
    else if (event.key === "/") one("#screen [type=search]")?.focus();
    else if (event.key === "j" || event.key === "k") move(event.key === "j" ? 1 : -1);
    else if (event.key === "n") notes.lastElementChild?.querySelector("button")?.focus();
    else if (event.key === "?") document.getElementById("keys").showModal();
    else return;
    event.preventDefault();
  });

  Object.assign(window.memd, {go, draws, needs});
  setTimeout(enter); // behind htmx, and what the screens have here
})();
