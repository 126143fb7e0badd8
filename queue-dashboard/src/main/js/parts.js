// What pages are made of.

const SELECTED_FOR = 60000;

/** In seconds: what is older says so. */
const OLD = 30;

/** In seconds: an answer that takes longer is missed. */
const SILENT = 8;
let selectedAt = 0;
document.addEventListener("selectionchange", () => selectedAt = Date.now());

/** Whether somebody wants that nothing changes, and who else is to know that. */
const held = { value: false, listeners: new Set() };

function hold(value) {
  held.value = value;
  held.listeners.forEach((listener) => listener(value));
}

let pressedAt = 0;
for (const event of ["keydown", "focusin"]) {
  document.addEventListener(event, () => pressedAt = Date.now(), true);
}

/** Whether somebody goes through a table by keyboard: the row that has the focus would go away. */
function isInTable() {
  const focused = document.activeElement;
  return focused !== null && focused.matches("main table *:focus-visible") && Date.now() - pressedAt < SELECTED_FOR;
}

function isAsking() {
  return document.querySelector("dialog[open]") !== null;
}

/** Whether somebody reads or writes something that must not move away under them. A selection may be a forgotten one. */
function isBusy() {
  const selection = getSelection();
  const selected = selection !== null && !selection.isCollapsed && Date.now() - selectedAt < SELECTED_FOR;
  return document.hidden || held.value || isAsking() || selected || isInTable();
}

/** Whether nobody has done anything since a dialog was closed. */
let focusWanted = false;
for (const event of ["keydown", "pointerdown"]) {
  document.addEventListener(event, () => focusWanted = false, true);
}

/** What had the focus before a dialog may be gone after what that has done. */
function keepFocus() {
  const heading = document.querySelector("main h1");
  if (focusWanted && heading && document.activeElement === document.body) {
    heading.focus({ preventScroll: true });
  }
}

/**
 * Loads something, and again after some seconds unless somebody is busy. What was loaded
 * stays while the next one loads, unless that is something else. The seconds may depend
 * on what was loaded.
 */
function useData(load, keys, seconds) {
  const of = JSON.stringify(keys);
  const nothing = { of, data: null, failure: null, loading: true };
  const [known, setState] = useState(nothing);
  const [turn, setTurn] = useState(0);
  const shown = useRef(null);
  const state = known.of === of ? known : nothing;
  useEffect(() => {
    const abort = new AbortController();
    let timer = null;
    const again = (news) => {
      const wait = typeof seconds === "function" ? seconds(news.data) : seconds;
      if (wait) {
        timer = setTimeout(() => isBusy() || session.value && session.value.expired ? again(news) : run(), wait * 1000);
      }
    };
    const held = () => timer = setTimeout(() => isAsking() ? held() : run(), 1000);
    // Nobody has to guess from a picture that does not change. The answer takes it away.
    const noAnswer = () => abort.signal.aborted || isAsking()
        || setState((before) => ({ ...(before.of === of ? before : nothing), failure: new Refused(0, "There has been no answer for " + SILENT + " seconds. The database may be slow or away.") }));
    const waited = () => {
      const silent = setTimeout(noAnswer, SILENT * 1000);
      return load(abort.signal).finally(() => clearTimeout(silent));
    };
    const run = () => waited().then(
        (data) => ({ of, data, failure: null, loading: false }),
        (failure) => ({ failure, loading: false })).then((news) => {
          if (abort.signal.aborted) {
            return;
          }
          if (isAsking() && shown.current === of) {
            // The question would become another one.
            held();
            return;
          }
          shown.current = news.data ? of : shown.current;
          setState((before) => ({ ...(before.of === of ? before : nothing), ...news }));
          setTimeout(keepFocus, 50);
          again(news);
        });
    run();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [...keys, turn]);
  return { ...state, reload: () => setTurn((n) => n + 1) };
}

function useNow() {
  const [now, setNow] = useState(serverNow());
  useEffect(() => {
    const timer = setInterval(() => document.hidden || isAsking() || setNow(serverNow()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Time({ at, none }) {
  const now = useNow();
  return at ? h("time", { dateTime: at, title: fullTime(at) }, relative(at, now)) : h("span", { class: "quiet" }, none || "–");
}

function State({ state }) {
  return h("span", { class: "state state-" + state }, state);
}

/** Says how old something is, unless it is of just now. */
function AsOf({ data }) {
  useNow();
  const at = data && readAt.get(data);
  const age = at ? (Date.now() - at) / 1000 : 0;
  return age > OLD ? h("span", { class: "badge warn" }, "as of " + duration(age) + " ago") : null;
}

function Title({ text, note, data, children }) {
  const heading = useRef(null);
  useEffect(() => {
    document.title = text + " · Job queue";
    heading.current.focus({ preventScroll: true });
  }, [text]);
  return h("header", { class: "title" },
      h("div", null, h("h1", { ref: heading, tabIndex: -1 }, text), note && h("p", { class: "note" }, note), h(AsOf, { data })),
      children && h("div", { class: "actions" }, children));
}

function Failure({ failure, retry }) {
  if (!failure) {
    return null;
  }
  return h("div", { class: "notice bad", role: "alert" }, h("strong", null, failure.message),
      retry && h("button", { type: "button", class: "small", onClick: retry }, "Try again"));
}

function Empty({ children }) {
  return h("p", { class: "empty" }, children);
}

/**
 * A table whose columns are { title, of: (row) => content, number, wide }.
 */
function Table({ columns, rows, label, keyOf }) {
  return h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": label },
      h("table", null,
          h("thead", null, h("tr", null, columns.map((column) => h("th", { scope: "col", class: column.number && "number" }, column.title || h("span", { class: "hidden" }, "Actions"))))),
          h("tbody", null, rows.map((row) => h("tr", { key: keyOf(row) },
              columns.map((column) => h("td", { class: classes(column.number && "number", column.wide && "wide", column.class) }, column.of(row))))))));
}

function Button({ onClick, danger, small, label, children }) {
  return h("button", { type: "button", class: classes(danger && "danger", small && "small"), "aria-label": label, onClick }, children);
}

/** Shows what has gone wrong in a page, in its place. */
class Boundary extends Component {
  constructor() {
    super();
    this.state = { failure: null };
  }

  componentDidCatch(failure) {
    console.error(failure);
    this.setState({ failure });
  }

  render() {
    return this.state.failure === null ? this.props.children
        : h("div", { class: "notice bad", role: "alert" }, h("strong", null, "This page cannot be shown."),
            h("button", { type: "button", class: "small", onClick: () => location.reload() }, "Reload"));
  }
}

function Field({ label, children }) {
  return h("label", { class: "field" }, h("span", null, label), children);
}

/** A list of facts: [name, content]. What is null is left out. */
function Facts({ facts }) {
  return h("dl", { class: "facts" }, facts.filter(([, content]) => content !== null && content !== undefined && content !== "")
      .map(([name, content]) => h("div", { key: name }, h("dt", null, name), h("dd", null, content))));
}

function Name({ children }) {
  return h("bdi", { class: "name" }, children);
}

function JobLink({ id }) {
  return id ? h("a", { href: to("job", { id }), class: "id" }, id) : h("span", { class: "quiet" }, "–");
}
