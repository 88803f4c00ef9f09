// What is asked for before the rest of the page is there: the screen of the address, for the address's token, once, or for the session's secret.
(() => {
  "use strict";
  const SECRET = "memd-session";
  const header = (secret) => ({"X-Memd-Session": secret});
  const token = location.hash.slice(1);
  const path = location.pathname === "/" ? "/now" : location.pathname + location.search;
  history.replaceState(null, "", path); // the token is gone from the address whatever comes of it

  const session = {
    secret: sessionStorage.getItem(SECRET) || "",
    headers: () => header(session.secret),
    keep(secret) {
      session.secret = secret;
      sessionStorage.setItem(SECRET, secret);
    },
    path,
  };
  const ask = (secret) => fetch("/screen" + path, {headers: header(secret)});

  async function enter() {
    if (/^[\w-]{20,}$/.test(token)) {
      const reply = await ask(token);
      if (reply.headers.has("X-Memd-Session")) session.keep(reply.headers.get("X-Memd-Session"));
      if (reply.status !== 401 || !session.secret) return reply;
    }
    return session.secret ? ask(session.secret) : null;
  }

  session.first = enter(); // to the screen of `path`; null where there is nothing to ask with
  session.first.catch(() => null); // told where it is waited for

  // It is seen as soon as it is there, and the rest of the page (page.js) makes it live.
  async function show(reply) {
    if (!reply?.ok) return false;
    const text = await reply.clone().text();
    const screen = document.getElementById("screen");
    if (!screen || screen.firstElementChild) return false;
    screen.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes); // no script in it would run
    return true;
  }
  session.shown = session.first.then(show).catch(() => false);

  // The rest runs when the screen is painted, or is long in coming; a window that nobody sees paints nothing, and does not wait for that.
  function rest() {
    const script = document.createElement("script");
    script.src = document.getElementById("rest").href;
    document.head.append(script);
  }
  const after = (ms) => new Promise((done) => setTimeout(done, ms));
  const painted = () => Promise.race([after(100), new Promise(requestAnimationFrame).then(() => after(0))]);
  const read = new Promise((done) => {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", done);
    else done();
  });
  Promise.race([session.shown.then((shown) => shown && painted()), after(500)]).then(() => read).then(rest);
  window.memd = {session};
})();
