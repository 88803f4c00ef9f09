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
  window.memd = {session};
})();
