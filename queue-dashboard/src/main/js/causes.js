// Dead jobs, those of the same cause together.

/** Other programs may write dead jobs; their causes are found by nodes with a worker. */
function NoCause() {
  const { data } = useData((signal) => get("/jobs/count", { state: "dead" }, signal), []);
  return h(Empty, null, !data ? "No cause is known." : data.jobs === 0 && !data.more ? "No job is dead."
      : h(Fragment, null, h("a", { href: to("jobs", { state: "dead" }) }, count(data) + " dead"), ", but their causes are not known yet. A node with a worker finds them within minutes."));
}

function CausesPage() {
  const { data, failure, reload } = useData((signal) => get("/causes", null, signal), [], 15);
  return h(Fragment, null,
      h(Title, { data, text: "Dead jobs", note: "Dead jobs by their error. Numbers in messages make no difference." + (data && data.length >= 200 ? " The 200 causes of most jobs." : "") },
          h("a", { class: "button", href: to("jobs", { state: "dead" }) }, "As a list")),
      h(Failure, { failure, retry: reload }),
      data && (data.length === 0 ? h(NoCause) : h("ul", { class: "causes" }, data.map((cause) => h("li", { key: cause.id, class: "card" },
          h("div", null,
              h("h2", null, h("bdi", null, simple(cause.errorType))),
              h("p", { class: "message" }, h("bdi", null, cause.message || "(no message)")),
              h("p", { class: "note" }, cause.place && h(Fragment, null, h("code", null, cause.place), " · "), "first ", h(Time, { at: cause.firstAt }), " · last ", h(Time, { at: cause.lastAt }))),
          h("div", { class: "side" },
              h("a", { class: "big", href: to("jobs", { state: "dead", cause: cause.id }) }, count(cause.jobs), h("span", { class: "quiet" }, cause.jobs.jobs === 1 && !cause.jobs.more ? " job" : " jobs")),
              h(Act, { label: "Redrive", of: "all that died of " + simple(cause.errorType), text: h(Fragment, null, h("p", { class: "message" }, h("bdi", null, cause.message || "(no message)")), h("p", null, h(Counted, { filter: { state: "dead", cause: cause.id } }), " of this cause become ready again, with no attempts counted."),
                  h("p", { class: "note" }, "It is done in the background, some at a time. Jobs that die again meanwhile are not redriven twice.")),
                act: () => post("/operations/redrive", { state: "dead", cause: cause.id }).then((operation) => "Operation " + operation.id + " has begun"), done: reload })))))));
}
