// Schedules, limits and blocked order keys.

function Ticks({ name }) {
  const { data, failure } = useData((signal) => get("/schedules/ticks", { name }, signal), [name]);
  return failure ? h("p", { class: "note" }, failure.message) : h("ol", { class: "ticks" }, (data || []).map((tick) => h("li", { key: tick }, fullTime(tick))));
}

/** Asks for the ticks once somebody wants to see them. */
function When({ schedule }) {
  const [open, setOpen] = useState(false);
  return h("details", { onToggle: (event) => setOpen(event.currentTarget.open) }, h("summary", null, schedule.timing), open && h(Ticks, { name: schedule.name }));
}

function ScheduleActions({ schedule, reload }) {
  const body = { name: schedule.name };
  return h(Fragment, null,
      h(Act, { label: "Trigger", of: schedule.name, small: true, text: h("p", null, "Its job is enqueued now, apart from its ticks."), act: () => post("/schedules/trigger", body)
          .then((done) => done.job ? "Job " + done.job + " was enqueued" : "Nothing was enqueued: its last job has not ended"), done: reload }),
      schedule.paused
          ? h(Act, { key: "resume", label: "Resume", of: schedule.name, small: true, text: h("p", null, "It goes on with its next tick from now."), act: () => post("/schedules/resume", body).then(acted("Resumed " + schedule.name)), done: reload })
          : h(Act, { key: "pause", label: "Pause", of: schedule.name, small: true, text: h("p", null, "Ticks while it is paused are neither fired nor caught up."), act: () => post("/schedules/pause", body).then(acted("Paused " + schedule.name)), done: reload }),
      (!schedule.declared || schedule.orphaned) && h(Act, { label: "Remove", of: schedule.name, small: true, danger: true, text: h("p", null, "The schedule is removed; its jobs stay."), act: () => post("/schedules/remove", body).then(acted("Removed " + schedule.name)), done: reload }));
}

function SchedulesPage({ params }) {
  const page = Number(params.page || 0);
  const { data, failure, reload } = useData((signal) => get("/schedules", { name: params.name, page }, signal), [params.name, page], 10);
  return h(Fragment, null,
      h(Title, { data, text: "Schedules", note: data && plural(data.count, "recurring job") }),
      h(Search, { label: "Name has", value: params.name, go: (name) => go("schedules", { name }) }),
      h(Failure, { failure, retry: reload }),
      data && (data.schedules.length === 0 ? h(Empty, null, params.name ? "No schedule has this in its name." : "There are no recurring jobs.") : h("section", { class: "card" }, h(Table, {
        label: "Schedules", rows: data.schedules, keyOf: (schedule) => schedule.name,
        columns: [
          { title: "Schedule", wide: true, of: (schedule) => h(Fragment, null, h(Name, null, schedule.name),
              schedule.paused && h("span", { class: "badge warn" }, "paused"), schedule.orphaned && h("span", { class: "badge warn" }, "orphaned"),
              schedule.problem && h("span", { class: "badge bad", title: schedule.problem }, "failing")) },
          { title: "When", wide: true, of: (schedule) => h(When, { schedule }) },
          { title: "Next", of: (schedule) => schedule.overdueSeconds > 60 ? h("span", { class: "badge bad" }, "overdue " + duration(schedule.overdueSeconds)) : h(Time, { at: schedule.next }) },
          { title: "Last", of: (schedule) => h(Time, { at: schedule.last }) },
          { title: "Last job", of: (schedule) => h(JobLink, { id: schedule.lastJobId }) },
          { title: "Fired", number: true, of: (schedule) => number(schedule.fired) },
          { title: "Missed", number: true, of: (schedule) => number(schedule.missed) },
          { title: "Skipped", number: true, of: (schedule) => number(schedule.skipped) },
          { title: "", class: "act", of: (schedule) => h(ScheduleActions, { schedule, reload }) },
        ],
      }))),
      data && h(Pages, { page, count: data.count, path: "schedules", params }));
}

function capped(value) {
  return value >= 10000 ? "10,000+" : number(value);
}

function LimitsPage() {
  const { data, failure, reload } = useData((signal) => get("/limits", null, signal), [], 10);
  const rule = (limit) => ({ running: limit.running, starts: limit.starts, perMillis: Math.round(limit.perSeconds * 1000), burst: limit.burst });
  const fields = (limit) => [["running", "How many run at once (0: any number)"], ["starts", "How many start in the time (0: any number)"],
    ["perMillis", "The time, in milliseconds"], ["burst", "How many of them at one moment"]]
      .map(([name, label]) => ({ name, label, value: rule(limit)[name], type: "number", min: 0, required: true }));
  return h(Fragment, null,
      h(Title, { data, text: "Limits", note: "How many jobs run at once, and how many start in a time, on all nodes together." }),
      h(Failure, { failure, retry: reload }),
      data && (data.length === 0 ? h(Empty, null, "There are no limits.") : h("section", { class: "card" }, h(Table, {
        label: "Limits", rows: data, keyOf: (limit) => limit.name,
        columns: [
          { title: "Limit", wide: true, of: (limit) => h(Fragment, null, h(Name, null, limit.name), limit.changed && h("span", { class: "badge", title: "It is not as the nodes are configured" }, "changed")) },
          { title: "At once", number: true, of: (limit) => limit.running || "any" },
          { title: "Starts", of: (limit) => limit.starts ? number(limit.starts) + " in " + duration(limit.perSeconds) + ", burst " + number(limit.burst) : "any" },
          { title: "Types", wide: true, of: (limit) => h(Name, null, limit.types.join(", ")) },
          { title: "Running", number: true, of: (limit) => number(limit.runningNow) },
          { title: "Ready", number: true, of: (limit) => capped(limit.ready) },
          { title: "Waiting", number: true, of: (limit) => capped(limit.waiting) },
          { title: "", class: "act", of: (limit) => h(Act, { label: "Change", of: limit.name, small: true, text: h("p", null, "Holds on all nodes from the next claim on, until they are configured in another way."), fields: fields(limit),
            act: (values) => post("/limits/change", { name: limit.name, before: rule(limit), after: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])) })
                .then(acted("Changed " + limit.name)), done: reload }) },
        ],
      }))));
}

function KeysPage() {
  const { data, failure, reload } = useData((signal) => get("/blocked-keys", null, signal), [], 10);
  return h(Fragment, null,
      h(Title, { data, text: "Blocked keys", note: "Order keys whose jobs wait because one of them is dead; a hundred of them at most, the longest blocked first." }),
      h(Failure, { failure, retry: reload }),
      data && (data.length === 0 ? h(Empty, null, "No order key is blocked.") : h("section", { class: "card" }, h(Table, {
        label: "Blocked keys", rows: data, keyOf: (key) => key.key,
        columns: [
          { title: "Order key", wide: true, of: (key) => h("a", { href: to("jobs", { orderKey: key.key }) }, h(Name, null, key.key)) },
          { title: "Dead job", of: (key) => h(JobLink, { id: key.jobId }) },
          { title: "Since", of: (key) => h(Time, { at: key.blockedAt }) },
          { title: "Error", wide: true, of: (key) => key.error && h("span", { class: "line", title: key.error.message }, h("bdi", null, simple(key.error.type) + ": " + key.error.message)) },
          { title: "", class: "act", of: (key) => h(Fragment, null,
              h(Act, { label: "Redrive", of: "job " + key.jobId + " of " + key.key, small: true, text: h("p", null, "The dead job runs again, before the others of its key."), act: () => post("/jobs/redrive", { id: key.jobId }).then(acted("Redriven job " + key.jobId)), done: reload }),
              h(Act, { label: "Pass over", of: "job " + key.jobId + " of " + key.key, small: true, danger: true, text: h("p", null, "The other jobs of this key run, without the dead one."), act: () => post("/blocked-keys/unblock", { key: key.key, job: key.jobId }).then(acted("Unblocked " + key.key, "another job blocks it by now, or none.")), done: reload })) },
        ],
      }))));
}
