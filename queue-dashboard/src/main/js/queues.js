// Queues and workers.

function QueueTable({ queues, reload, none }) {
  if (queues.length === 0) {
    return h(Empty, null, none || "No queue has jobs that are ready, run or wait.");
  }
  const jobs = (queue, state, value) => value > 0 ? h("a", { href: to("jobs", { queue: queue.name, state }) }, number(value)) : h("span", { class: "quiet" }, "0");
  return h(Table, {
    label: "Queues", rows: queues, keyOf: (queue) => queue.name,
    columns: [
      { title: "Queue", wide: true, of: (queue) => h(Fragment, null, h(Name, null, queue.name),
          queue.paused && h("span", { class: "badge warn" }, "paused"), queue.order === "lifo" && h("span", { class: "badge" }, "newest first"),
          queue.mode !== "standard" && h("span", { class: "badge" }, queue.mode)) },
      { title: "Ready", number: true, of: (queue) => jobs(queue, "ready", queue.ready) },
      { title: "Oldest", number: true, of: (queue) => queue.ready ? duration(queue.oldestSeconds) : h("span", { class: "quiet" }, "–") },
      { title: "Starts/min", number: true, of: (queue) => queue.startedPerMinute === null ? h("span", { class: "quiet", title: "It is not among the queues that the history tells apart" }, "–") : queue.startedPerMinute ? h("a", { href: to("history", { queue: queue.name }) }, rounded(queue.startedPerMinute)) : h("span", { class: "quiet" }, "0") },
      { title: "Running", number: true, of: (queue) => jobs(queue, "running", queue.running) },
      { title: "Delayed", number: true, of: (queue) => number(queue.delayed) },
      { title: "Waiting", number: true, of: (queue) => jobs(queue, "waiting", queue.waiting) },
      { title: "", class: "act", of: (queue) => queue.paused
          ? h(Act, { key: "resume", label: "Resume", of: queue.name, small: true, text: h("p", null, "Jobs of ", h(Name, null, queue.name), " are claimed again on all nodes."), act: () => post("/queues/resume", { queue: queue.name }).then(() => "Resumed " + queue.name), done: reload })
          : h(Act, { key: "pause", label: "Pause", of: queue.name, small: true, text: h("p", null, "No job of ", h(Name, null, queue.name), " starts on any node until somebody resumes it. Jobs that run go on."), act: () => post("/queues/pause", { queue: queue.name }).then(() => "Paused " + queue.name), done: reload }) },
    ],
  });
}

function QueuesPage({ params }) {
  const page = Number(params.page || 0);
  const { data, failure, reload } = useData((signal) => get("/queues", { name: params.name, page }, signal), [params.name, page], 5);
  return h(Fragment, null,
      h(Title, { data, text: "Queues", note: data && plural(data.count, "queue") + " with jobs that are ready, run or wait, or with settings" },
          h(Act, { label: "Pause by name", text: h("p", null, "Also a queue that has no jobs yet: none will start on any node until somebody resumes it."), fields: [{ name: "queue", label: "Queue", value: "", required: true }],
            act: (values) => post("/queues/pause", { queue: values.queue.trim() }).then((done) => done.note || "Paused " + values.queue.trim()), done: reload })),
      h(Search, { label: "Name has", value: params.name, go: (name) => go("queues", { name }) }),
      h(Failure, { failure, retry: reload }),
      data && h("section", { class: "card" }, h(QueueTable, { queues: data.queues, reload, none: params.name ? "No queue has this in its name." : null })),
      data && h(Pages, { page, count: data.count, path: "queues", params }));
}

/** One text that a list is narrowed by. */
function Search({ label, value, go: search }) {
  const [text, setText] = useState(value || "");
  return h("form", { class: "filters", role: "search", onSubmit: (event) => {
    event.preventDefault();
    search(text);
  } }, h(Field, { label }, h("input", { type: "search", value: text, onInput: (event) => setText(event.currentTarget.value) })),
  h("button", { type: "submit" }, "Search"));
}

function Pages({ page, count, path, params }) {
  if (count <= 100) {
    return null;
  }
  return h("nav", { class: "pages", "aria-label": "Pages" },
      page > 0 && h("a", { href: to(path, { ...params, page: page - 1 }) }, "Previous"),
      h("span", { class: "note" }, number(page * 100 + 1) + " to " + number(Math.min(count, page * 100 + 100)) + " of " + number(count)),
      (page + 1) * 100 < count && h("a", { href: to(path, { ...params, page: page + 1 }) }, "Next"));
}

function WorkersPage() {
  const { data, failure, reload } = useData((signal) => get("/workers", null, signal), [], 5);
  return h(Fragment, null,
      h(Title, { data, text: "Workers", note: "The live workers of all nodes. What is busy is as of their last heartbeats." }),
      h(Failure, { failure, retry: reload }),
      data && (data.length === 0 ? h(Empty, null, "No worker is alive. Jobs wait until one is.") : h("section", { class: "card" },
          h(Table, {
            label: "Workers", rows: data, keyOf: (worker) => worker.id,
            columns: [
              { title: "Worker", wide: true, of: (worker) => h(Name, null, worker.name) },
              { title: "Busy", number: true, of: (worker) => number(worker.busy) + " of " + number(worker.slots) },
              { title: "Queues", wide: true, of: (worker) => worker.queues.length ? h(Name, null, worker.queues.join(", ")) : "all" },
              { title: "Types", wide: true, of: (worker) => h("details", null, h("summary", null, plural(worker.types.length, "type")), h(Name, null, worker.types.join(", "))) },
              { title: "Since", of: (worker) => h(Time, { at: worker.startedAt }) },
              { title: "Heartbeat", of: (worker) => h(Time, { at: worker.heartbeatAt }) },
            ],
          }))));
}
