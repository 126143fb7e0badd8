// What happened in the last hour, day, week and quarter.

const RANGES = [["hour", "Hour"], ["day", "Day"], ["week", "Week"], ["quarter", "90 days"]];

/** What the history says, as charts have it: lists of numbers. */
function lines(history, ...values) {
  const points = history.points;
  return [points.map((point) => new Date(point.at) / 1000), ...values.map((value) => points.map(value))];
}

function perMinute(history, name) {
  const minutes = history.stepSeconds / 60;
  return (point) => point[name] / minutes;
}

const THROUGHPUT = [
  { label: "succeeded", colour: "running", fill: true }, { label: "enqueued", colour: "ready" },
  { label: "failed", colour: "waiting" }, { label: "dead", colour: "bad" }];

function Throughput({ history, height }) {
  const data = useMemo(() => lines(history, ...THROUGHPUT.map((one) => perMinute(history, one.label))), [history]);
  return h(Chart, { label: "Jobs a minute: succeeded, enqueued, failed attempts, dead", data, series: THROUGHPUT, height });
}

const QUANTILES = [{ label: "half within", colour: "ready", fill: true }, { label: "95 of 100 within", colour: "waiting" }];

function Quantiles({ history, of, label }) {
  const data = useMemo(() => lines(history, (point) => point[of].p50, (point) => point[of].p95), [history]);
  return h(Chart, { label, data, series: QUANTILES, format: duration, least: 0.01 });
}

const DEPTH = [{ label: "ready at most", colour: "ready", fill: true }];
const AGE = [{ label: "oldest at most", colour: "waiting", fill: true }];

function Most({ history, of, label, series, format }) {
  const data = useMemo(() => lines(history, (point) => point[of]), [history]);
  return h(Chart, { label, data, series, format });
}

function ChartCard({ title, note, children }) {
  return h("section", { class: "card" }, h("h2", null, title), children, note && h("p", { class: "note" }, note));
}

function RangeLinks({ params }) {
  const chosen = params.range || "hour";
  return h("nav", { class: "ranges", "aria-label": "How far back" }, RANGES.map(([range, label]) => h("a", {
    key: range, class: "button", href: to("history", { ...params, range }), "aria-current": range === chosen ? "true" : undefined,
  }, label)));
}

function HistoryFilter({ params }) {
  const [filter, setFilter] = useState({ queue: params.queue || "", type: params.type || "" });
  const field = (name, label) => h(Field, { label }, h("input", { type: "search", value: filter[name], onInput: (event) => setFilter({ ...filter, [name]: event.currentTarget.value.trim() }) }));
  return h("form", { class: "filters", role: "search", onSubmit: (event) => {
    event.preventDefault();
    go("history", { ...params, ...filter });
  } }, field("queue", "Queue"), field("type", "Type"), h("button", { type: "submit" }, "Show"),
  (params.queue || params.type) && h("a", { href: to("history", { range: params.range }) }, "All"));
}

function SumsTable({ sums, params }) {
  const seconds = (value) => value === null ? h("span", { class: "quiet" }, "–") : duration(value);
  return h(Table, {
    label: "By queue and type", rows: sums, keyOf: (sum) => sum.queue + " " + sum.type,
    columns: [
      { title: "Queue", wide: true, of: (sum) => sum.queue !== "*" ? h("a", { href: to("history", { range: params.range, queue: sum.queue }) }, h(Name, null, sum.queue)) : "others" },
      { title: "Type", wide: true, of: (sum) => sum.type !== "*" ? h("a", { href: to("history", { range: params.range, type: sum.type }) }, h(Name, null, sum.type)) : "others" },
      { title: "Enqueued", number: true, of: (sum) => number(sum.enqueued) },
      { title: "Attempts", number: true, of: (sum) => number(sum.started) },
      { title: "Succeeded", number: true, of: (sum) => number(sum.succeeded) },
      { title: "Failed", number: true, of: (sum) => sum.failed ? h("strong", null, number(sum.failed)) : "0" },
      { title: "Dead", number: true, of: (sum) => sum.dead ? h("strong", { class: "bad" }, number(sum.dead)) : "0" },
      { title: "Waited, half", number: true, of: (sum) => seconds(sum.delay.p50) },
      { title: "95 of 100", number: true, of: (sum) => seconds(sum.delay.p95) },
      { title: "Ran, half", number: true, of: (sum) => seconds(sum.ran.p50) },
      { title: "95 of 100", number: true, of: (sum) => seconds(sum.ran.p95) },
    ],
  });
}

function HistoryPage({ params }) {
  const { data, failure, reload } = useData((signal) => get("/history", { range: params.range, queue: params.queue, type: params.type }, signal), [params.range, params.queue, params.type], 20);
  const sums = data && data.sums.filter((sum) => sum.enqueued || sum.started || sum.succeeded || sum.failed);
  return h(Fragment, null,
      h(Title, { text: "History", note: "Of all nodes. Jobs that other programs insert by SQL are missing from what was enqueued. Delays and run times are approximate: they are counted in ranges, each three times as wide as the one before." }, h(RangeLinks, { params })),
      h(HistoryFilter, { params, key: params.queue + " " + params.type }),
      h(Failure, { failure, retry: reload }),
      data && !data.recorded && h("p", { class: "notice warn" }, "This node adds nothing to the history: jobqueue.history.enabled is false."),
      data && h("div", { class: "charts" },
          h(ChartCard, { title: "Jobs a minute", note: "Failed counts attempts." }, h(Throughput, { history: data })),
          h(ChartCard, { title: "Waited before the start" }, h(Quantiles, { history: data, of: "delay", label: "How long jobs have waited: half of them, and 95 of 100" })),
          h(ChartCard, { title: "Handlers ran" }, h(Quantiles, { history: data, of: "ran", label: "How long handlers have run: half of them, and 95 of 100" })),
          h(ChartCard, { title: "Ready jobs", note: params.type && "Of all types." }, h(Most, { history: data, of: "ready", label: "How many jobs were ready", series: DEPTH })),
          h(ChartCard, { title: "Oldest ready job", note: params.type && "Of all types." }, h(Most, { history: data, of: "oldestSeconds", label: "How long the oldest ready job had waited", series: AGE, format: duration }))),
      data && (sums.length === 0 ? h(Empty, null, "Nothing happened in this time.") : h("section", { class: "card" }, h("h2", null, "By queue and type"), sums.length >= 200 && h("p", { class: "note" }, "The 200 with most attempts."), h(SumsTable, { sums, params }))));
}
