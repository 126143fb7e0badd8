// What is being done to many jobs, and what operators have done.

function OperationsPage() {
  const { data, failure, reload } = useData((signal) => get("/operations", null, signal), [], 3);
  const workers = useData((signal) => get("/workers", null, signal), [], 10).data;
  const waits = data && workers && workers.length === 0 && data.some((operation) => operation.state === "running");
  return h(Fragment, null,
      h(Title, { data, text: "Operations", note: "What is done to many jobs, some at a time, by any node with a worker." }),
      h(Failure, { failure, retry: reload }),
      waits && h("p", { class: "notice warn" }, "No worker is alive. What goes on waits until one is."),
      data && (data.length === 0 ? h(Empty, null, "Nothing was done to many jobs yet.") : h("section", { class: "card" }, h(Table, {
        label: "Operations", rows: data, keyOf: (operation) => operation.id,
        columns: [
          { title: "Number", of: (operation) => operation.id },
          { title: "What", wide: true, of: (operation) => h(Fragment, null, operation.action, ": ", h(FilterText, { filter: operation.filter })) },
          { title: "State", of: (operation) => h(Fragment, null, h("span", { class: "badge" + (operation.state === "running" ? " info" : "") }, operation.state),
              operation.problem && h("p", { class: "note" }, h("bdi", null, operation.problem))) },
          { title: "Done", number: true, of: (operation) => h(Fragment, null, number(operation.changed) + " of " + count(operation.expected),
              h("progress", { max: Math.max(1, operation.expected.jobs), value: operation.expected.more && operation.state === "running" ? undefined : Math.min(operation.changed, operation.expected.jobs), "aria-label": "Done of operation " + operation.id })) },
          { title: "By", of: (operation) => operation.actor ? h(Name, null, operation.actor) : h("span", { class: "quiet" }, "unknown") },
          { title: "Begun", of: (operation) => h(Time, { at: operation.startedAt }) },
          { title: "", class: "act", of: (operation) => operation.state === "running" && h(Act, { label: "Stop", of: "operation " + operation.id, small: true, danger: true, text: h("p", null, "What it has done stays done: ", operation.action, " of ", h(FilterText, { filter: operation.filter }), "."),
            act: () => post("/operations/stop", { id: operation.id }).then(acted("Stopped operation " + operation.id)), done: reload }) },
        ],
      }))));
}

function AuditPage() {
  const [before, setBefore] = useState([]);
  const last = before[before.length - 1] || null;
  const { data, failure, reload } = useData((signal) => get("/audit", { before: last }, signal), [last], last ? 0 : 10);
  return h(Fragment, null,
      h(Title, { data, text: "Audit", note: "What operators have done: on the page, by the endpoint, or by a program." }),
      h(Failure, { failure, retry: reload }),
      data && (data.entries.length === 0 ? h(Empty, null, "Nobody has done anything yet.") : h("section", { class: "card" }, h(Table, {
        label: "Audit", rows: data.entries, keyOf: (entry) => entry.id,
        columns: [
          { title: "When", of: (entry) => h(Time, { at: entry.at }) },
          { title: "Who", of: (entry) => entry.actor ? h(Name, null, entry.actor) : h("span", { class: "quiet" }, "unknown") },
          { title: "From", of: (entry) => entry.source },
          { title: "What", of: (entry) => entry.action },
          { title: "To what", wide: true, of: (entry) => h("bdi", null, entry.target) },
          { title: "Changed", number: true, of: (entry) => entry.changed === null ? "–" : number(entry.changed) },
          { title: "Outcome", of: (entry) => h(Fragment, null, h("span", { class: "badge" + (entry.outcome === "failed" ? " bad" : "") }, entry.outcome === "begun" ? "not known" : entry.outcome === "done" && entry.changed === 0 ? "nothing changed" : entry.outcome),
              entry.problem && h("p", { class: "note" }, h("bdi", null, entry.problem))) },
        ],
      }), h("nav", { class: "pages", "aria-label": "Pages" },
          before.length > 0 && h(Button, { onClick: () => setBefore(before.slice(0, -1)) }, "Previous"),
          data.next && h(Button, { onClick: () => setBefore([...before, data.next]) }, "Next")))));
}
