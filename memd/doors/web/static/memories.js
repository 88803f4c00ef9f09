// Memories: what is opened beside the list has an address, charts of worth, and the picture of what joins memories.
(() => {
  "use strict";
  const SLICE_MS = 8; // of work at a time, so that the page answers meanwhile
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const MOST_SUBJECTS = 120;
  const pause = () => new Promise((done) => setTimeout(done));
  const needs = (name) => memd.needs(name).then(pause); // what is read and what is drawn with it are two pieces of work
  const narrow = () => matchMedia("(max-width: 60rem)").matches;
  const open = (role, id) => memd.go("/memories?" + new URLSearchParams({...Object.fromEntries(new URLSearchParams(location.search)), role, id}));

  function mark(id) {
    for (const button of document.querySelectorAll("#found [data-address]")) {
      if (button.closest("[data-id]")?.dataset.id === id) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  let opener = null;
  document.addEventListener("click", (event) => {
    const opens = event.target.closest("[data-address]");
    if (opens) {
      opener = opens.closest("[data-id]")?.dataset.id || opener;
      history.pushState(null, "", opens.dataset.address);
    }
    const back = event.target.closest("[data-back]");
    const detail = document.getElementById("detail");
    if (!back || !document.getElementById("found") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const asked = new URLSearchParams(location.search);
    asked.delete("id");
    history.pushState(null, "", "/memories?" + asked);
    detail.replaceChildren();
    mark("");
    document.querySelector(`[data-id="${CSS.escape(opener || "")}"] button`)?.focus();
  }, true);

  document.addEventListener("htmx:after:process", (event) => {
    const detail = document.getElementById("detail");
    if (!detail) return;
    const shown = new URLSearchParams(location.search).get("id");
    mark(shown);
    const head = detail.querySelector("h2[tabindex]");
    if (head && event.target.nodeType === 1 && detail.contains(event.target) && !detail.contains(document.activeElement) && detail.dataset.shown !== head.id + shown) {
      detail.dataset.shown = head.id + shown;
      detail.scrollTop = 0;
      if (narrow()) window.scrollTo(0, 0);
      head.focus({preventScroll: true});
    }
    if (!head) delete detail.dataset.shown;
  });

  // What was saved is shown as it is now.
  document.addEventListener("htmx:after:request", (event) => {
    const {ctx} = event.detail;
    const form = ctx.sourceElement.closest("form[data-then]");
    if (form && ctx.request.method.toUpperCase() === "POST" && ctx.response && ctx.response.status < 300) {
      htmx.ajax("GET", form.dataset.then, {target: "#detail", swap: "innerHTML"});
    }
  });

  const seconds = (told) => new Date(told).getTime() / 1000;

  let names = null; // of months and days, made once: a form of dates costs a millisecond
  function dateNames() {
    const named = (count, at, form) => {
      const made = new Intl.DateTimeFormat(document.documentElement.lang, form);
      return Array.from({length: count}, (_, n) => made.format(at(n)));
    };
    const month = (n) => new Date(2026, n, 1), day = (n) => new Date(2026, 1, 1 + n); // that day was a Sunday
    return names ||= {
      MMMM: named(12, month, {month: "long"}), MMM: named(12, month, {month: "short"}),
      WWWW: named(7, day, {weekday: "long"}), WWW: named(7, day, {weekday: "short"}),
    };
  }

  function chart(place, data, series, height, more = {}) {
    const axis = {stroke: colour("faint"), grid: {stroke: colour("line"), width: 1}, ticks: {stroke: colour("line"), width: 1}};
    const plot = new uPlot({
      width: Math.max(place.clientWidth, 120), height, legend: {show: false}, fmtDate: (form) => uPlot.fmtDate(form, dateNames()), cursor: {drag: {x: false, y: false}},
      scales: {y: {range: [0, 10]}}, axes: [{...axis, space: 80}, {...axis, size: 32, incrs: [2, 5]}], series, ...more,
    }, data, place);
    new ResizeObserver(() => {
      if (place.isConnected && place.clientWidth) plot.setSize({width: place.clientWidth, height});
    }).observe(place);
    return plot;
  }

  memd.draws.worth = async (place, {times: told, course: worth, floor, words}) => {
    await needs("uplot.min.js");
    if (!place.isConnected) return;
    place.replaceChildren();
    const now = Date.now() / 1000;
    const times = told.map(seconds);
    const last = times.findLastIndex((at) => at <= now);
    chart(place, [
      times,
      worth.map((one, at) => (at <= last ? one : null)),
      worth.map((one, at) => (at >= last ? one : null)),
      times.map(() => floor),
    ], [
      {label: words.time},
      {label: words.worth, stroke: colour("accent"), width: 2, points: {show: false}},
      {label: words.foreseen, stroke: colour("accent"), width: 2, dash: [5, 4], points: {show: false}},
      {label: words.floor, stroke: colour("warn"), width: 1, dash: [2, 3], points: {show: false}},
    ], 150);
  };

  const TONES = {episodic: "accent", semantic: "good", trait: "warn", goal: "bad"};

  function legendOf(kinds, shown) {
    const legend = document.createElement("p");
    legend.className = "row small legend";
    for (const kind of Object.keys(kinds).filter((one) => shown.has(one))) {
      const name = document.createElement("span");
      const dot = document.createElement("span");
      dot.className = "dot";
      dot.style.background = colour(TONES[kind]);
      name.append(dot, " " + kinds[kind]);
      legend.append(name);
    }
    return legend;
  }

  memd.draws.timeline = async (place, {points, role, kinds, words}) => {
    await needs("uplot.min.js");
    if (!place.isConnected) return;
    place.replaceChildren();
    const sorted = points.map(([id, at, worth, kind, uses, use, text]) => ({id, at: seconds(at), worth, kind, uses, use, text})).sort((a, b) => a.at - b.at);
    const names = Object.keys(kinds).flatMap((kind) => [[kind, true], [kind, false]]); // what came to mind is filled, what never did is a ring
    const series = names.map(([kind, used]) => ({
      label: kinds[kind], stroke: colour(TONES[kind]), width: 0, paths: () => null,
      points: {show: true, size: 7, width: 1.5, fill: colour(used ? TONES[kind] : "card")},
    }));
    const times = sorted.map((one) => one.at);
    const spread = times.length && times[0] === times[times.length - 1] ? {x: {range: [times[0] - 86400, times[0] + 86400]}} : {};
    const plot = chart(place, [times, ...names.map(([kind, used]) => sorted.map((one) => (one.kind === kind && one.uses > 0 === used ? one.worth : null)))],
      [{label: words.time}, ...series], 320, {scales: {y: {range: [0, 10.5]}, ...spread}});
    const said = document.createElement("p");
    said.className = "small faint said clamped";
    said.setAttribute("aria-live", "polite");
    place.append(legendOf(kinds, new Set(sorted.map((one) => one.kind))), said);
    const tell = (one) => { said.textContent = one ? `${one.text} · ${words.worth} ${one.worth.toFixed(1)} · ${one.use}` : ""; };
    let at = -1; // by keys: arrows from one to the next, Enter opens it
    place.tabIndex = 0;
    place.onkeydown = (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (event.key === "Enter" && sorted[at]) open(role, sorted[at].id);
      if (!step) return;
      event.preventDefault();
      at = Math.min(Math.max(at + step, 0), sorted.length - 1);
      plot.setCursor({left: plot.valToPos(sorted[at].at, "x"), top: plot.valToPos(sorted[at].worth, "y")});
      tell(sorted[at]);
    };
    const nearest = (event) => {
      const box = plot.over.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      let found = null;
      for (const one of sorted) {
        const far = Math.hypot(plot.valToPos(one.at, "x") - x, plot.valToPos(one.worth, "y") - y);
        if (far < 24 && (!found || far < found.far)) found = {far, one};
      }
      return found && found.one;
    };
    plot.over.addEventListener("mousemove", (event) => {
      const one = nearest(event);
      tell(one);
      plot.over.classList.toggle("points-at", Boolean(one));
    });
    plot.over.addEventListener("click", (event) => {
      const one = nearest(event);
      if (one) open(role, one.id);
    });
  };

  // Where each node stands: those that are joined draw together, all others push apart; a slice at a time.
  async function settle(nodes, joins, width, height) {
    const places = nodes.map((_, at) => {
      const turn = at * 2.399963;
      const far = 12 * Math.sqrt(at + 1);
      return {x: far * Math.cos(turn), y: far * Math.sin(turn), dx: 0, dy: 0};
    });
    const apart = 38;
    let begun = performance.now();
    for (let step = 0; step < 140; step++) {
      const heat = 24 * (1 - step / 140) + 0.5;
      for (let a = 0; a < places.length; a++) {
        for (let b = a + 1; b < places.length; b++) {
          const [x, y] = [places[a].x - places[b].x, places[a].y - places[b].y];
          const square = x * x + y * y + 0.01;
          if (square > 90000) continue;
          const push = (apart * apart) / square;
          places[a].dx += x * push; places[a].dy += y * push;
          places[b].dx -= x * push; places[b].dy -= y * push;
        }
        if (performance.now() - begun > SLICE_MS) {
          await pause();
          begun = performance.now();
        }
      }
      for (const [a, b] of joins) {
        const [x, y] = [places[a].x - places[b].x, places[a].y - places[b].y];
        const pull = Math.hypot(x, y) / apart;
        places[a].dx -= x * pull; places[a].dy -= y * pull;
        places[b].dx += x * pull; places[b].dy += y * pull;
      }
      for (const place of places) {
        place.dx -= place.x * 0.06 * (height / width); place.dy -= place.y * 0.06;
        const far = Math.hypot(place.dx, place.dy) || 1;
        const go = Math.min(far, heat) / far;
        place.x += place.dx * go; place.y += place.dy * go;
        place.dx = place.dy = 0;
      }
    }
    return places;
  }

  function fitted(places, width, height) {
    const [x, y] = [places.map((one) => one.x), places.map((one) => one.y)];
    const [left, right, top, bottom] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
    const zoom = Math.max(0.1, Math.min(3, (width - 60) / (right - left + 40), (height - 60) / (bottom - top + 40)));
    return {zoom, pan: {x: width / 2 - zoom * (left + right) / 2, y: height / 2 - zoom * (top + bottom) / 2}};
  }

  // What joins memories: links of theirs, and subjects: a key word, topic or tag of one that another has too, or names in its text.
  async function joined(nodes) {
    const known = new Set(nodes.map((one) => one.id));
    const names = new Map();
    for (const one of nodes) {
      for (const name of one.about.map((word) => word.trim())) if (name.length > 1) names.set(name.toLocaleLowerCase(), name);
    }
    const subjects = new Map([...names].map(([key, name]) => [key, {name, ids: []}]));
    const whole = [...names.keys()].filter((key) => /[^\p{L}\p{N}]|\p{Script=Han}/u.test(key)); // found anywhere, not as one word
    let begun = performance.now();
    for (const one of nodes) {
      const text = (one.name + " " + one.text).toLocaleLowerCase();
      const found = new Set(text.split(/[^\p{L}\p{N}]+/u).concat(one.about.map((word) => word.trim().toLocaleLowerCase()), whole.filter((key) => text.includes(key))));
      for (const key of found) subjects.get(key)?.ids.push(one.id);
      if (performance.now() - begun > SLICE_MS) {
        await pause();
        begun = performance.now();
      }
    }
    const links = [];
    for (const one of nodes) {
      for (const how of ["replaces", "conflicts", "related"]) {
        for (const other of one[how]) {
          const twice = how !== "replaces" && links.some((link) => link.how === how && link.from === other && link.to === one.id);
          if (known.has(other) && !twice) links.push({from: one.id, to: other, how});
        }
      }
    }
    const shared = [...subjects.values()].filter((one) => one.ids.length > 1).sort((a, b) => b.ids.length - a.ids.length);
    return {links, shared: shared.slice(0, MOST_SUBJECTS)};
  }

  function listLinks(nodes, {links, shared}, role, words) {
    const list = document.getElementById("links");
    const byId = new Map(nodes.map((one) => [one.id, one]));
    const button = (id) => {
      const made = document.createElement("button");
      made.type = "button";
      made.className = "opens";
      made.textContent = byId.get(id).text;
      made.addEventListener("click", () => open(role, id));
      return made;
    };
    const row = (head, ids) => {
      const item = document.createElement("li");
      item.className = "stack tight";
      item.dataset.item = "";
      const title = document.createElement("p");
      title.className = "small faint";
      title.textContent = head;
      item.append(title, ...ids.map(button));
      return item;
    };
    const rows = [
      ...links.map((link) => row(words[link.how], [link.from, link.to])),
      ...shared.map((one) => row(`${words.subject}: ${one.name} (${one.ids.length})`, one.ids.slice(0, 8))),
    ];
    const none = document.createElement("li");
    none.className = "faint";
    none.textContent = words.none;
    list.replaceChildren(...(rows.length ? rows.slice(0, 100) : [none]));
  }

  memd.draws.graph = async (place, {nodes, role, kinds, words}) => {
    const {links, shared} = await joined(nodes);
    listLinks(nodes, {links, shared}, role, words);
    const all = [
      ...nodes.map((one) => ({id: "m:" + one.id, memory: one.id, label: one.text, kind: one.kind})),
      ...shared.map((one, at) => ({id: "s:" + at, label: one.name, kind: "subject"})),
    ];
    const at = new Map(all.map((one, number) => [one.id, number]));
    const edges = [
      ...links.map((link) => ({source: "m:" + link.from, target: "m:" + link.to, how: link.how})),
      ...shared.flatMap((one, number) => one.ids.map((id) => ({source: "m:" + id, target: "s:" + number, how: "subject"}))),
    ];
    const places = await settle(all, edges.map((edge) => [at.get(edge.source), at.get(edge.target)]), place.clientWidth, place.clientHeight);
    await needs("cytoscape.min.js");
    if (!place.isConnected) return;
    place.replaceChildren();
    place.parentElement.querySelector(".legend")?.remove();
    place.after(legendOf(kinds, new Set(nodes.map((one) => one.kind))));
    const tone = (name) => ({"background-color": colour(name)});
    const cy = cytoscape({
      container: place,
      layout: {name: "preset"},
      minZoom: 0.1, maxZoom: 3,
      textureOnViewport: true, hideEdgesOnViewport: true,
      style: [
        {selector: "node", style: {width: 20, height: 20, ...tone("accent"), "border-width": 1, "border-color": colour("card")}},
        ...Object.entries(TONES).map(([kind, name]) => ({selector: `node[kind = "${kind}"]`, style: tone(name)})),
        {selector: "node[kind = 'subject']", style: {
          shape: "round-rectangle", width: 12, height: 12, ...tone("edge"), label: "data(label)", color: colour("ink"), "font-size": 21,
          "text-max-width": 140, "text-wrap": "ellipsis", "min-zoomed-font-size": 5, "text-valign": "bottom", "text-margin-y": 3,
        }},
        {selector: ".near", style: {label: "data(label)", color: colour("ink"), "font-size": 13, "text-max-width": 220, "text-wrap": "ellipsis",
          "text-background-color": colour("card"), "text-background-opacity": 0.9, "text-background-padding": 3, "z-index": 9}},
        {selector: "edge", style: {width: 1.5, "line-color": colour("edge"), opacity: 0.7, "curve-style": "haystack"}},
        {selector: "edge[how = 'replaces']", style: {width: 2, "line-color": colour("accent"), "curve-style": "straight", "target-arrow-shape": "triangle", "target-arrow-color": colour("accent")}},
        {selector: "edge[how = 'conflicts']", style: {width: 2, "line-color": colour("bad"), "line-style": "dashed", "curve-style": "straight"}},
        {selector: "edge[how = 'related']", style: {width: 2, "line-color": colour("good"), "curve-style": "straight"}},
      ],
    });
    cy.viewport(fitted(places, place.clientWidth, place.clientHeight)); // before anything is in it: what comes then stays where it is
    for (let first = 0; first < all.length; first += 25) {
      cy.add(all.slice(first, first + 25).map((one, number) => ({group: "nodes", data: one, position: {x: places[first + number].x, y: places[first + number].y}})));
      await pause();
      if (cy.destroyed()) return; // it went with its place
    }
    for (let first = 0; first < edges.length; first += 50) {
      cy.add(edges.slice(first, first + 50).map((one) => ({group: "edges", data: one})));
      await pause();
      if (cy.destroyed()) return;
    }
    cy.on("mouseover", "node", (event) => event.target.addClass("near"));
    cy.on("mouseout", "node", (event) => event.target.removeClass("near"));
    cy.on("tap", "node", (event) => event.target.data("memory") && open(role, event.target.data("memory")));
  };
})();
