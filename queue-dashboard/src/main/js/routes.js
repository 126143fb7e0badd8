// Pages are named by the address's fragment, so that they work behind any prefix: #/jobs?state=dead

function readRoute() {
  const text = location.hash.replace(/^#\/?/, "");
  const at = text.indexOf("?");
  const path = at < 0 ? text : text.slice(0, at);
  return { path: path || "overview", params: Object.fromEntries(new URLSearchParams(at < 0 ? "" : text.slice(at + 1))) };
}

function to(path, params) {
  return "#/" + path + query(params);
}

function go(path, params) {
  location.hash = to(path, params);
}

function useRoute() {
  const [route, setRoute] = useState(readRoute());
  useEffect(() => {
    const changed = () => setRoute(readRoute());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
