// Charts, drawn by uPlot in the page's own colours.

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function chartOptions(width, height, series, format) {
  const axis = { stroke: colour("quiet"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1 }, font: "12px system-ui" };
  return {
    width, height,
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    legend: { live: true },
    scales: { y: { range: (chart, min, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [{ ...axis }, { ...axis, size: 60, values: (chart, values) => values.map((value) => format(value)) }],
    series: [{ label: "time" }, ...series.map((one) => ({
      label: one.label, stroke: colour(one.colour), fill: one.fill ? colour(one.colour) + "22" : undefined, width: 2,
      points: { show: false }, value: (chart, value) => value === null || value === undefined ? "–" : format(value),
    }))],
  };
}

/** data is [times in seconds, values of the first series, of the second, …]. */
function Chart({ label, data, series, format, height }) {
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
    chart.current = new window.uPlot(chartOptions(width(), height || 200, series, format || short), data, place.current);
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
