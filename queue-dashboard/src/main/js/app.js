// The frame of all pages.

const PAGES = [
  ["overview", "Overview", OverviewPage], ["history", "History", HistoryPage], ["queues", "Queues", QueuesPage], ["jobs", "Jobs", JobsPage], ["causes", "Dead jobs", CausesPage],
  ["schedules", "Schedules", SchedulesPage], ["limits", "Limits", LimitsPage], ["keys", "Blocked keys", KeysPage], ["workers", "Workers", WorkersPage],
  ["operations", "Operations", OperationsPage], ["audit", "Audit", AuditPage],
];

const THEMES = ["auto", "light", "dark"];

function readTheme() {
  try {
    return localStorage.getItem("jobqueue.theme") || "auto";
  }
  catch (failure) {
    return "auto";
  }
}

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("jobqueue.theme", theme);
  }
  catch (failure) {
    // Then it holds for this page only.
  }
  dispatchEvent(new Event("themechange"));
}

function Theme() {
  const [theme, setTheme] = useState(readTheme());
  useEffect(() => applyTheme(theme), [theme]);
  return h("label", { class: "theme" }, h("span", { class: "hidden" }, "Colours"),
      h("select", { value: theme, onChange: (event) => setTheme(event.currentTarget.value) }, THEMES.map((one) => h("option", { key: one, value: one }, one))));
}

/** Finds a job by its id, or goes to its list. */
function Find() {
  const [text, setText] = useState("");
  return h("form", { class: "find", role: "search", onSubmit: (event) => {
    event.preventDefault();
    const id = text.trim();
    if (/^-?\d+$/.test(id)) {
      go("job", { id });
      setText("");
    }
    else if (id) {
      go("jobs", { type: id });
    }
  } }, h("label", null, h("span", { class: "hidden" }, "Job id or type"), h("input", { type: "search", placeholder: "Job id or type", value: text, onInput: (event) => setText(event.currentTarget.value) })));
}

/** Lets somebody read in peace. */
function Hold() {
  const [value, setValue] = useState(held.value);
  useEffect(() => {
    held.listeners.add(setValue);
    return () => held.listeners.delete(setValue);
  }, []);
  return h("button", { type: "button", class: "small", "aria-pressed": String(value), title: "Pages stay as they are until you press this again, or go to another one", onClick: () => hold(!value) }, "Hold");
}

const PLACE = "jobqueue.place";

/** A login leads back to the path, but no server has seen what follows the #. */
function keepPlace() {
  try {
    sessionStorage.setItem(PLACE, location.hash);
  }
  catch (failure) {
    // Then the overview is shown after the login.
  }
}

function findPlace() {
  try {
    const place = sessionStorage.getItem(PLACE);
    sessionStorage.removeItem(PLACE);
    if (place && !location.hash) {
      location.replace(place);
    }
  }
  catch (failure) {
    // As above.
  }
}

function Expired() {
  return h("div", { class: "notice bad", role: "alert" }, h("strong", null, "You are not logged in any more."), h("a", { href: "", onClick: (event) => {
    event.preventDefault();
    keepPlace();
    location.reload();
  } }, "Log in again"));
}

function App() {
  const route = useRoute();
  const me = useSession();
  const [failure, setFailure] = useState(null);
  useEffect(() => {
    // As during a restart. Without it nobody may act.
    const load = () => loadSession().then(() => setFailure(null), (problem) => {
      setFailure(problem);
      if (problem.status === 0 || problem.status >= 500) {
        setTimeout(load, document.hidden ? 30000 : 3000);
      }
    });
    load();
  }, []);
  const [, , page] = PAGES.find(([path]) => path === route.path) || [];
  return h(Fragment, null,
      h("a", { class: "skip", href: "#main", onClick: (event) => {
        event.preventDefault();
        document.getElementById("main").focus();
      } }, "To the content"),
      h("header", { class: "top" },
          h("a", { class: "brand", href: to("overview") }, h("img", { src: "assets/icon.svg", alt: "", width: 24, height: 24 }), "Job queue"),
          h(Find), h(Hold), h(Theme), me.user && h("span", { class: "user" }, h("bdi", null, me.user)), me.mayAct === false && h("span", { class: "badge" }, "look only")),
      h("nav", { class: "pages-nav", "aria-label": "Pages of the dashboard" }, PAGES.map(([path, title]) => h("a", {
        key: path, href: to(path), "aria-current": path === route.path || (path === "jobs" && route.path === "job") ? "page" : undefined,
      }, title))),
      h("main", { id: "main", tabIndex: -1 },
          me.expired && h(Expired), failure && !me.expired && h(Failure, { failure }),
          route.path === "job" ? h(Boundary, { key: route.params.id }, h(JobPage, { params: route.params }))
              : page ? h(Boundary, { key: route.path }, h(page, { params: route.params })) : h(Fragment, null, h(Title, { text: "There is no such page" }), h(Empty, null, h("a", { href: to("overview") }, "To the overview")))),
      h(Toasts));
}

findPlace();
const place = document.getElementById("app");
place.textContent = "";
render(h(App), place);
