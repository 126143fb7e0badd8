// Charts, drawn by uPlot in the page's own colours.

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function chartOptions(width, height, series, format, least) {
  const axis = { stroke: colour("quiet"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1 }, font: "12px system-ui" };
  return {
    width, height,
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    legend: { live: true },
    scales: { y: { range: (chart, min, max) => [0, Math.max(least, (max || 0) * 1.1)] } },
    axes: [{ ...axis }, { ...axis, size: 60, values: (chart, values) => values.map((value) => format(value)) }],
    series: [{ label: "time" }, ...series.map((one) => ({
      label: one.label, stroke: colour(one.colour), fill: one.fill ? colour(one.colour) + "22" : undefined, width: 2,
      points: { show: false }, value: (chart, value) => value === null || value === undefined ? "–" : format(value),
    }))],
  };
}

/** Counts and rates: 0.4, 12, 3.1k */
function rounded(value) {
  return value > 0 && value < 10 ? String(Math.round(value * 10) / 10) : short(Math.round(value));
}

/** data is [times in seconds, values of the first series, of the second, …]. */
function Chart({ label, data, series, format, height, least }) {
  const place = useRef(null);
  const chart = useRef(null);
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const changed = () => setTheme((n) => n + 1);
    const media = matchMedia("(prefers-color-scheme: dark)");
    media.addEventListener("change", changed);
    addEventListener("themechange", changed);
    return () => {
      media.removeEventListener("change", changed);
      removeEventListener("themechange", changed);
    };
  }, []);
  useEffect(() => {
    const width = () => Math.max(200, place.current.clientWidth);
    chart.current = new window.uPlot(chartOptions(width(), height || 200, series, format || rounded, least || 1), data, place.current);
    const resized = new ResizeObserver(() => chart.current.setSize({ width: width(), height: height || 200 }));
    resized.observe(place.current);
    return () => {
      resized.disconnect();
      chart.current.destroy();
    };
  }, [theme, series.map((one) => one.label).join()]);
  useEffect(() => chart.current.setData(data), [data]);
  return h("figure", { class: "chart" }, h("figcaption", null, label), h("div", { ref: place, role: "img", "aria-label": label }));
}
