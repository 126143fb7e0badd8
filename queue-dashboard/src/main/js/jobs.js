// Lists of jobs, narrowed by what they are.

const STATES = ["ready", "running", "waiting", "succeeded", "dead", "cancelled", "expired"];
const LIVE = ["ready", "running", "waiting"];
const FILTERS = [["queue", "Queue"], ["type", "Type"], ["orderKey", "Order key"], ["limitKey", "Limit key"]];

function ago(minutes) {
  return new Date(serverNow() - minutes * 60000).toISOString().slice(0, 19) + "Z";
}

function filterOf(params) {
  const { state, queue, type, orderKey, limitKey, cause, from, until } = params;
  return { state, queue, type, orderKey, limitKey, cause, from, until };
}

/** What a list is narrowed by, as a text. */
function FilterText({ filter }) {
  const parts = Object.entries(filter).filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => name + " " + value);
  return h("bdi", null, parts.join(", "));
}

function isSame(one, other) {
  return Object.entries(filterOf(one)).every(([name, value]) => (value || "") === (other[name] || ""));
}

function JobFilters({ params, edited }) {
  const [values, setValues] = useState(params);
  useEffect(() => setValues(params), [JSON.stringify(params)]);
  useEffect(() => edited(!isSame(values, params)), [values, JSON.stringify(params)]);
  const change = (name) => (event) => {
    const value = event.currentTarget.value;
    setValues((before) => ({ ...before, [name]: value }));
  };
  return h("form", { class: "filters", role: "search", onSubmit: (event) => {
    event.preventDefault();
    go("jobs", { ...filterOf(values), cause: values.state === "dead" ? values.cause : undefined });
  } },
  h(Field, { label: "State" }, h("select", { value: values.state || "", onChange: change("state") },
      h("option", { value: "" }, "any"), STATES.map((state) => h("option", { key: state, value: state }, state)))),
  FILTERS.map(([name, label]) => h(Field, { key: name, label }, h("input", { type: "search", value: values[name] || "", spellcheck: false, onInput: change(name) }))),
  h(Field, { label: LIVE.includes(values.state) ? "Enqueued since" : values.state ? "Ended since" : "Since" }, h("select", { value: values.from || "", onChange: change("from") },
      h("option", { value: "" }, "ever"), values.from && h("option", { value: values.from }, fullTime(values.from)),
      [["15 min", 15], ["1 hour", 60], ["1 day", 1440], ["1 week", 10080]].map(([label, minutes]) => h("option", { key: label, value: ago(minutes) }, label)))),
  h("button", { type: "submit", class: "primary" }, "Show"));
}

function JobTable({ jobs, ended }) {
  return h(Table, {
    label: "Jobs", rows: jobs, keyOf: (job) => job.id,
    columns: [
      { title: "Id", of: (job) => h(JobLink, { id: job.id }) },
      { title: "State", of: (job) => h(State, { state: job.state }) },
      { title: "Type", wide: true, of: (job) => h(Name, null, job.type) },
      { title: "Queue", of: (job) => h(Name, null, job.queue) },
      { title: "Attempt", number: true, of: (job) => number(job.attempt) + (job.maxAttempts ? " of " + number(job.maxAttempts) : "") },
      { title: "Enqueued", of: (job) => h(Time, { at: job.enqueuedAt }) },
      ...(ended ? [{ title: "Ended", of: (job) => h(Time, { at: job.finishedAt }) }] : []),
      { title: "What", wide: true, of: (job) => h(Reason, { job }) },
    ],
  });
}

/** What there is to say of a job in one line. */
function Reason({ job }) {
  // One that is ready may wait for a slot only, and what has failed says more.
  if (job.waitingFor && !(job.state === "ready" && job.error)) {
    const waiting = job.waitingFor;
    return h("span", null, waiting.kind === "limit" ? (job.state === "ready" ? "may wait for limit " : "limit ") : waiting.kind === "blocked" ? "blocked key " : "order key ",
        h(Name, null, waiting.name), waiting.jobId && h(Fragment, null, ", behind ", h(JobLink, { id: waiting.jobId })));
  }
  if (job.state === "ready" && new Date(job.availableAt) > serverNow()) {
    return h("span", null, "starts ", h(Time, { at: job.availableAt }));
  }
  if (job.state === "running") {
    return h("span", null, "claimed ", h(Time, { at: job.claimedAt }));
  }
  if (job.error && job.state !== "succeeded") {
    return h("span", { class: "line", title: job.error.message }, h("bdi", null, simple(job.error.type) + (job.error.message ? ": " + job.error.message : "")));
  }
  return job.finishedAt ? h("span", null, "ended ", h(Time, { at: job.finishedAt })) : null;
}

/** java.lang.IllegalStateException → IllegalStateException */
function simple(type) {
  return type.slice(type.lastIndexOf(".") + 1);
}

function BulkActions({ params }) {
  const filter = filterOf(params);
  const narrow = filter.queue || filter.type || filter.orderKey || filter.limitKey;
  const begun = (operation) => {
    go("operations");
    return "Operation " + operation.id + " has begun";
  };
  const text = (what) => h(Fragment, null, h("p", null, h(Counted, { filter }), ": ", h("strong", null, h(FilterText, { filter })), ". ", what),
      h("p", { class: "note" }, "It is done in the background, some at a time, and can be stopped. Jobs that are enqueued later are not concerned" + (filter.state === "dead" ? "." : "; one that comes into this state meanwhile may be.")));
  if (filter.state === "dead") {
    return h(Act, { label: "Redrive all", text: text("They become ready again, with no attempts counted."), act: () => post("/operations/redrive", filter).then(begun) });
  }
  if (LIVE.includes(filter.state) && narrow) {
    return h(Act, { label: "Cancel all", danger: true, text: text("They will not run; those that run are interrupted, but not in row-lock queues."), act: () => post("/operations/cancel", filter).then(begun) });
  }
  return null;
}

function JobsPage({ params }) {
  const filter = filterOf(params);
  const key = JSON.stringify(filter);
  const [after, setAfter] = useState([]);
  const [edited, setEdited] = useState(false);
  useEffect(() => setAfter([]), [key]);
  const last = after[after.length - 1] || null;
  const { data, failure, reload, loading } = useData((signal) => get("/jobs", { ...filter, after: last }, signal), [key, last], last ? 0 : 10);
  return h(Fragment, null,
      h(Title, { data, text: "Jobs" }, edited ? h("span", { class: "note" }, "The list is not narrowed like this yet: press Show.") : h(BulkActions, { key, params }), h(Button, { onClick: reload }, "Refresh")),
      h(JobFilters, { params, edited: setEdited }),
      params.cause && h("p", { class: "notice info" }, "Only jobs that are dead of one cause. ", h("a", { href: to("causes") }, "All causes")),
      params.until && h("p", { class: "notice info" }, "Only jobs until " + fullTime(params.until) + ". ", h("a", { href: to("jobs", { ...filter, until: undefined }) }, "Later ones too")),
      params.state === "ready" && h("p", { class: "note" }, "Jobs that are delayed are among them."),
      h(Failure, { failure, retry: reload }),
      loading && !data && h("p", { class: "loading" }, "Loading…"),
      data && h("section", { class: "card" },
          data.jobs.length > 0 ? h(JobTable, { jobs: data.jobs, ended: params.state && !LIVE.includes(params.state) })
              : h(Empty, null, data.next ? "None of those that were looked at. The search can go on." : "No such job."),
          h("nav", { class: "pages", "aria-label": "Pages" },
              after.length > 0 && h(Button, { onClick: () => setAfter(after.slice(0, -1)) }, "Previous"),
              data.next && h(Button, { onClick: () => setAfter([...after, data.next]) }, data.jobs.length < 50 ? "Search on" : "Next"))));
}
