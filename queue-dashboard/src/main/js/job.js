// One job: where it is in its life, and what has gone wrong.

function Timeline({ job, errors }) {
  const events = [{ at: job.enqueuedAt, text: "enqueued" }];
  if (job.scheduledFor) {
    events.push({ at: job.scheduledFor, text: "tick of its schedule" });
  }
  for (const error of errors) {
    events.push({ at: error.at, text: (error.attempt ? "attempt " + error.attempt + " failed: " : "") + simple(error.type), bad: true });
  }
  if (job.claimedAt) {
    events.push({ at: job.claimedAt, text: job.state === "running" ? "attempt " + job.attempt + " claimed, and runs" : "last claimed" });
  }
  if (LIVE.includes(job.state) && new Date(job.availableAt) > serverNow()) {
    events.push({ at: job.availableAt, text: "may start" });
  }
  if (job.finishedAt) {
    events.push({ at: job.finishedAt, text: job.state, bad: job.state === "dead" });
  }
  events.sort((one, other) => new Date(one.at) - new Date(other.at));
  return h("ol", { class: "timeline" }, events.map((event, index) => h("li", { key: index, class: event.bad && "bad" },
      h("time", { dateTime: event.at }, fullTime(event.at)), h("bdi", null, event.text))));
}

function Attempt({ error, open }) {
  return h("details", { open, class: "attempt" },
      h("summary", null, error.attempt ? "Attempt " + error.attempt : "Before any attempt", " · ", h(Time, { at: error.at }), " · ", h("bdi", null, simple(error.type))),
      h("p", { class: "message" }, h("bdi", null, error.message || "(no message)")),
      error.stackTrace && h("pre", { tabIndex: 0, "aria-label": "Stack trace" }, error.stackTrace));
}

/** Whether a payload was changed; without that there is nothing to edit. */
function changed(before, after) {
  if (after === (before || "")) {
    throw new Refused(400, "The payload is as it was. To run the job as it is, redrive it.");
  }
  return true;
}

function JobActions({ job, payload, editable, reload }) {
  const id = job.id;
  if (job.state === "dead") {
    return h(Fragment, null,
        h(Act, { key: "redrive", label: "Redrive", of: "job " + id, text: h("p", null, "The job becomes ready again, with no attempts counted."), act: () => post("/jobs/redrive", { id }).then(acted("Redriven job " + id)), done: reload }),
        // A browser's field would change line ends.
        editable && !(payload || "").includes("\r") && h(Act, { key: "edit", label: "Edit and redrive", of: "job " + id, text: h("p", null, "The job gets this payload, and becomes ready. Nobody checks whether its handler can read it."),
          fields: [{ name: "payload", label: "Payload", value: payload || "", rows: 12 }], act: (values) => changed(payload, values.payload) && post("/jobs/edit", { id, before: payload, payload: values.payload }).then(acted("Redriven with another payload", "it is not dead any more, or has another payload by now.")), done: reload }));
  }
  if (!LIVE.includes(job.state)) {
    return null;
  }
  return h(Fragment, null,
      job.state === "ready" && h(Act, { key: "reschedule", label: "Reschedule", of: "job " + id, text: h("p", null, "When may it start?"),
        fields: [{ name: "at", label: "Time (UTC)", value: new Date(serverNow()).toISOString().slice(0, 19) + "Z", required: true }],
        act: (values) => post("/jobs/reschedule", { id, before: job.availableAt, at: values.at }).then(acted("Rescheduled job " + id, "it runs or has ended by now, or somebody else has rescheduled it.")), done: reload }),
      h(Act, { key: "cancel", label: "Cancel", of: "job " + id, danger: true, text: h("p", null, job.state === "running" ? "The attempt is interrupted, and its result is discarded. In a row-lock queue it cannot be cancelled while it runs." : "The job will not run."),
        act: () => post("/jobs/cancel", { id, state: job.state }).then(acted("Cancelled job " + id, "the job is not " + job.state + " any more, or runs in a row-lock queue.")), done: reload }));
}

function noPayload({ payloadShown, payloadLength }) {
  const length = " It has " + plural(payloadLength, "character") + ".";
  switch (payloadShown) {
    case "hidden": return "You may not see payloads, nor edit them; jobqueue.dashboard.payloads and payload-roles say who may." + length;
    case "failed": return "It could not be masked, so it is not shown." + length;
    case "masked": return "All of it is masked." + length;
    default: return "It has none.";
  }
}

function JobPage({ params }) {
  if (!/^-?\d+$/.test(params.id || "")) {
    return h(Fragment, null, h(Title, { text: "There is no such job" }), h(Empty, null, "A job's id is a number."));
  }
  return h(OneJob, { params });
}

function OneJob({ params }) {
  const { data, failure, reload } = useData((signal) => get("/jobs/" + encodeURIComponent(params.id), null, signal), [params.id], (last) => !last || LIVE.includes(last.job.state) ? 5 : last.job.state === "dead" ? 10 : 20);
  if (!data) {
    return h(Fragment, null, h(Title, { text: "Job " + params.id }), h(Failure, { failure, retry: reload }), !failure && h("p", { class: "loading" }, "Loading…"));
  }
  const job = data.job;
  return h(Fragment, null,
      h(Title, { data, text: "Job " + job.id, note: h(Fragment, null, h(State, { state: job.state }), " ", h(Name, null, job.type)) },
          h(JobActions, { job, payload: data.payload, editable: data.payloadShown === "whole" || data.payloadShown === "none", reload })),
      h(Failure, { failure, retry: reload }),
      h("div", { class: "columns" },
          h("section", { class: "card" }, h("h2", null, "The job"), h(Facts, { facts: [
            ["Queue", h("a", { href: to("jobs", { queue: job.queue }) }, h(Name, null, job.queue))],
            ["Type", h("a", { href: to("jobs", { type: job.type }) }, h(Name, null, job.type))],
            ["Priority", String(job.priority)],
            ["Attempt", number(job.attempt) + (job.maxAttempts ? " of " + number(job.maxAttempts) : "")],
            ["Crashes", job.crashes ? number(job.crashes) : null],
            ["Waits for", job.waitingFor && job.state === "waiting" && h(Reason, { job })],
            ["Why not yet", data.reasons.length > 0 && new Date(job.availableAt) <= serverNow() ? data.reasons.join(" ") : null],
            ["Order key", job.orderKey && h("a", { href: to("jobs", { orderKey: job.orderKey }) }, h(Name, null, job.orderKey))],
            ["Limit key", job.limitKey && h("a", { href: to("jobs", { limitKey: job.limitKey }) }, h(Name, null, job.limitKey))],
            ["Trace", job.traceId && h("code", null, job.traceId)],
          ] })),
          h("section", { class: "card" }, h("h2", null, "Its life"), h(Timeline, { job, errors: data.errors }))),
      h("section", { class: "card" }, h("h2", null, "Payload"),
          data.payloadShown === "masked" && h("p", { class: "note" }, "Parts of it are masked, so it cannot be edited."),
          (data.payload || "").includes("\r") && h("p", { class: "note" }, "It has carriage returns, which a browser would change, so it cannot be edited here."),
          data.payload === null ? h(Empty, null, noPayload(data)) : h("pre", { tabIndex: 0, "aria-label": "Payload" }, data.payload)),
      data.errors.length > 0 && h("section", { class: "card" }, h("h2", null, "Failed attempts"),
          data.errors.map((error, index) => h(Attempt, { key: error.attempt + " " + error.at, error, open: index === 0 }))));
}
