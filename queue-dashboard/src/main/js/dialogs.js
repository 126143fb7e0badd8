// Questions before something is done, and what has come of it.

const toasts = { list: [], listener: null };

function say(text, bad) {
  const toast = { text, bad, id: Math.random() };
  toasts.list = [...toasts.list, toast];
  toasts.listener && toasts.listener(toasts.list);
  setTimeout(() => {
    toasts.list = toasts.list.filter((one) => one !== toast);
    toasts.listener && toasts.listener(toasts.list);
  }, bad ? 12000 : 5000);
}

function Toasts() {
  const [list, setList] = useState([]);
  useEffect(() => {
    toasts.listener = setList;
    return () => toasts.listener = null;
  }, []);
  return h("div", { class: "toasts", role: "status" }, list.map((toast) => h("p", { key: toast.id, class: toast.bad && "bad" }, toast.text)));
}

/** Opens while it is there. The browser keeps the focus in it, and Escape closes it. */
function Dialog({ title, heading, close, children }) {
  const dialog = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown.showModal();
    // Another page, or other jobs, are behind it now.
    const left = () => close();
    addEventListener("hashchange", left);
    return () => {
      removeEventListener("hashchange", left);
      // As long as it is open, nothing behind it takes the focus.
      shown.close();
      before && before.focus && before.focus();
      focusWanted = true;
    };
  }, []);
  return h("dialog", { ref: dialog, "aria-label": title, onClose: close, onCancel: close },
      h("h2", null, heading), children);
}

/**
 * Asks, does, and says what has come of it. fields are { name, label, value, type, rows }.
 */
function Ask({ verb, of, text, fields, danger, act, close }) {
  const title = verb + (of ? " " + of : "");
  const [values, setValues] = useState(Object.fromEntries((fields || []).map((field) => [field.name, field.value])));
  const [failure, setFailure] = useState(null);
  const [busy, setBusy] = useState(false);
  const left = useRef(false);
  // What was shown when it was asked, whatever is loaded meanwhile.
  const asked = useRef(act);
  useEffect(() => () => left.current = true, []);
  const submit = (event) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    Promise.resolve().then(() => asked.current(values)).then((said) => {
      say(said || "Done.");
      close(true);
    }, (problem) => {
      if (left.current) {
        say(title + ": " + problem.message, true);
        return;
      }
      setFailure(problem);
      setBusy(false);
    });
  };
  return h(Dialog, { title, heading: of ? h(Fragment, null, verb, " ", h(Name, null, of)) : verb, close: () => close(false) },
      h("form", { onSubmit: submit },
          text && h("div", { class: "text" }, text),
          (fields || []).map((field) => h(Field, { key: field.name, label: field.label },
              h(field.rows ? "textarea" : "input", {
                type: field.rows ? undefined : field.type || "text", rows: field.rows, value: values[field.name], required: field.required, spellcheck: false,
                min: field.min, onInput: (event) => {
                  const value = event.currentTarget.value;
                  setValues((before) => ({ ...before, [field.name]: value }));
                },
              }))),
          h(Failure, { failure }),
          h("div", { class: "buttons" },
              h("button", { type: "button", onClick: () => close(false) }, "Do nothing"),
              h("button", { type: "submit", class: danger ? "danger" : "primary", disabled: busy }, busy ? "Working…" : verb))));
}

/**
 * A button that asks before it acts. Only there for those who may act. What it is about
 * is named, since rows may have moved just before the click.
 */
function Act({ label, of, small, danger, done, ...question }) {
  const [open, setOpen] = useState(false);
  if (!useSession().mayAct) {
    return null;
  }
  const close = (acted) => {
    setOpen(false);
    if (acted && done) {
      done();
    }
  };
  return h(Fragment, null,
      h(Button, { small, danger, label: of && label + " " + of, onClick: () => setOpen(true) }, label),
      open && h(Ask, { verb: label, of, danger, ...question, close }));
}

/** What is said once something was done; it may have come too late. */
function acted(said, otherwise) {
  return (done) => {
    if (!done.changed) {
      throw new Refused(409, "Nothing was changed: " + (otherwise || "somebody or something else was first."));
    }
    return said;
  };
}

/** How many jobs there are, before something is done to all of them. */
function Counted({ filter }) {
  const { data, failure } = useData((signal) => get("/jobs/count", filter, signal), [JSON.stringify(filter)]);
  if (failure || !data) {
    return failure ? failure.message : "Counting…";
  }
  return h("strong", null, !data.more ? plural(data.jobs, "job") : data.jobs ? "At least " + plural(data.jobs, "job") : "None of the first that were looked at, perhaps others,");
}
