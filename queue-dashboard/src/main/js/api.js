// What is asked of the server.

class Refused extends Error {
  constructor(status, message, body) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

const MAYBE = "It may have been done all the same: look before you try again.";

const session = { value: null, listeners: new Set() };

/** By how many milliseconds the database's clock, by which all times of jobs are, is ahead of the browser's. */
const clock = { ahead: 0 };

function serverNow() {
  // An answer has been on its way for some time.
  return Date.now() + (Math.abs(clock.ahead) > 2000 ? clock.ahead : 0);
}

/** When what was answered was read, by the browser's clock. */
const readAt = new WeakMap();

function setSession(value) {
  session.value = value;
  session.listeners.forEach((listener) => listener(value));
}

function query(params) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params || {})) {
    if (value !== null && value !== undefined && value !== "") {
      search.set(name, value);
    }
  }
  const text = search.toString();
  return text ? "?" + text : "";
}

async function ask(path, options) {
  const isWrite = options && options.method === "POST";
  let response;
  try {
    // The page's own folder, whatever the fragment or a proxy's prefix is.
    response = await fetch("api/v1" + path, {
      credentials: "same-origin", redirect: "manual", cache: "no-store", ...options,
      // So that no login of the application's asks for a password in a window of the browser's, or keeps this address.
      headers: { Accept: "application/json", "X-Requested-With": "XMLHttpRequest", ...(options && options.headers) },
    });
  }
  catch (failure) {
    throw new Refused(0, isWrite ? "The application has not answered. " + MAYBE : "The application does not answer. It may be restarting.");
  }
  const time = Date.parse(response.headers.get("Database-Time"));
  if (!Number.isNaN(time)) {
    clock.ahead = time - Date.now();
  }
  if (response.type === "opaqueredirect" || response.status === 401) {
    setSession({ ...(session.value || {}), expired: true });
    throw new Refused(401, "You are not logged in any more.");
  }
  let body = null;
  try {
    const text = await response.text();
    body = text ? JSON.parse(text) : null;
  }
  catch (failure) {
    throw new Refused(response.status, "The answer is not what this page understands (" + response.status + ")." + (isWrite ? " " + MAYBE : ""));
  }
  if (!response.ok) {
    // A gateway on the way knows nothing of what became of a write.
    const reason = body && (body.error || body.message) || (response.status === 404 ? "There is no such thing."
        : isWrite && response.status >= 500 ? "There was no answer but " + response.status + ". " + MAYBE : "Refused (" + response.status + ").");
    throw new Refused(response.status, reason, body);
  }
  if (body !== null && typeof body === "object") {
    readAt.set(body, Date.now() - Number(response.headers.get("Age") || 0) * 1000);
  }
  return body;
}

function get(path, params, signal) {
  return ask(path + query(params), { signal });
}

async function loadSession() {
  const value = await get("/session");
  setSession(value);
  return value;
}

async function post(path, body) {
  const send = () => {
    const csrf = session.value && session.value.csrf;
    const headers = { "Content-Type": "application/json" };
    if (csrf) {
      headers[csrf.header] = csrf.token;
    }
    return ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  };
  try {
    return await send();
  }
  catch (failure) {
    const before = session.value && session.value.csrf;
    if (failure.status !== 403 || !before) {
      throw failure;
    }
    // After a new login the token is another one.
    const now = (await loadSession()).csrf;
    if (now && now.token !== before.token) {
      return send();
    }
    throw failure;
  }
}

function useSession() {
  const [value, setValue] = useState(session.value);
  useEffect(() => {
    session.listeners.add(setValue);
    // It may have come since this was drawn.
    setValue(session.value);
    return () => session.listeners.delete(setValue);
  }, []);
  return value || {};
}
