// The first page: what is wrong, how much there is, and how that goes.

/** What was seen since the page was opened, for the live chart. */
const seen = { times: [], ready: [], running: [], waiting: [] };
const MOST_SEEN = 600;

/** In seconds. */
const GAP = 90;

function remember(overview) {
  const time = overview.at ? new Date(overview.at) / 1000 : null;
  if (time === null || seen.times[seen.times.length - 1] >= time) {
    return;
  }
  const last = seen.times[seen.times.length - 1];
  if (last && time - last > GAP) {
    // Nobody looked: there is no line over that time.
    seen.times.push(last + 1);
    seen.ready.push(null);
    seen.running.push(null);
    seen.waiting.push(null);
  }
  seen.times.push(time);
  seen.ready.push(overview.counts.ready);
  seen.running.push(overview.counts.running);
  seen.waiting.push(overview.counts.waiting + overview.counts.delayed);
  for (const list of Object.values(seen)) {
    list.length > MOST_SEEN && list.shift();
  }
}

/** While the database is away, the answer has what is known, under the status 503. */
function loadOverview(signal) {
  return get("/overview", null, signal).catch((failure) => {
    if (failure.status === 503 && failure.body && failure.body.counts) {
      return failure.body;
    }
    throw failure;
  }).then((overview) => {
    remember(overview);
    return overview;
  });
}

const TILES = [["ready", "Ready"], ["running", "Running"], ["delayed", "Delayed"], ["waiting", "Waiting"], ["dead", "Dead"], ["succeeded", "Succeeded"]];

/** The title of the page that a link leads to. */
function pageOf(link) {
  const [, title] = PAGES.find(([path]) => link.startsWith("#/" + path)) || [null, "its page"];
  return title.toLowerCase();
}

function Problem({ problem }) {
  const severity = problem.severity.toLowerCase();
  return h("li", { class: "notice " + severity },
      h("strong", null, h("bdi", null, problem.title)), h("p", null, h("bdi", null, problem.advice)),
      problem.link && h("a", { href: problem.link }, "To " + pageOf(problem.link)));
}

function LastHour() {
  const { data, failure } = useData((signal) => get("/history", null, signal), [], 20);
  return h("section", { class: "card" }, h("h2", null, "Last hour, jobs a minute"),
      data && !data.recorded && h("p", { class: "note" }, "This node adds nothing to the history: jobqueue.history.enabled is false."),
      failure ? h(Failure, { failure }) : data ? h(Throughput, { history: data }) : h("p", { class: "loading" }, "…"),
      h("p", { class: "note" }, h("a", { href: to("history") }, "Day, week, delays and depths")));
}

function OverviewPage() {
  const { data, failure, reload } = useData(loadOverview, [], 3);
  const lines = data && [[...seen.times], [...seen.ready], [...seen.running], [...seen.waiting]];
  return h(Fragment, null,
      h(Title, { text: "Overview", note: data && h(Fragment, null, "Live jobs were counted ", h(Time, { at: data.at, none: "never" }), ", ended ones ", h(Time, { at: data.archivedAt, none: "never" })) }),
      h(Failure, { failure, retry: reload }),
      data && h(Fragment, null,
          data.problems.length > 0
              ? h("ul", { class: "problems", "aria-label": "Problems" }, data.problems.map((problem) => h(Problem, { key: problem.title, problem })))
              : h("p", { class: "notice good" }, "Nothing is wrong, as far as can be seen."),
          h("ul", { class: "tiles" }, TILES.map(([state, label]) => h("li", { key: state },
              h("a", { href: state === "delayed" ? to("jobs", { state: "ready" }) : to("jobs", { state }), class: "tile " + state },
                  h("span", { class: "label" }, label), h("span", { class: "value", title: data.counts[state] === null ? "not counted yet" : number(data.counts[state]) }, data.counts[state] === null ? "–" : short(data.counts[state])))))),
          h("div", { class: "charts" },
              h(LastHour),
              h("section", { class: "card" }, h("h2", null, "Live jobs, since this page is open"),
                  h(Chart, { label: "Ready, running, and waiting or delayed jobs", data: lines, series: [
                    { label: "ready", colour: "ready", fill: true }, { label: "running", colour: "running" }, { label: "waiting or delayed", colour: "waiting" }] })),
              h("section", { class: "card" }, h("h2", null, "Workers"),
                  h("p", { class: "big" }, number(data.slots.busy), h("span", { class: "quiet" }, " of " + plural(data.slots.slots, "slot") + " busy")),
                  h("meter", { min: 0, max: Math.max(1, data.slots.slots), value: data.slots.busy, "aria-label": "Busy slots" }),
                  h("p", { class: "note" }, plural(data.slots.workers, "worker"), " · as of their last heartbeats · ", h("a", { href: to("workers") }, "all workers")))),
          h("section", { class: "card" }, h("h2", null, "Queues"),
              h(QueueTable, { queues: data.queues.slice(0, 10), reload }),
              data.queueCount > 10 && h("p", null, h("a", { href: to("queues") }, "All " + plural(data.queueCount, "queue"))))));
}
