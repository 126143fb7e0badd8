// Charts, drawn by uPlot in the page's own colours.

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/** A chart is at least as wide, in seconds. */
const LEAST_SECONDS = 60;

/** Where nobody points at a time, the legend says what was last. */
function showLatest(chart) {
  const times = chart.data[0];
  times.length > 0 && chart.setLegend({ idx: times.length - 1 }, false);
}

function chartOptions(width, height, series, format, least) {
  const axis = { stroke: colour("quiet"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1 }, font: "12px system-ui" };
  return {
    width, height,
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    legend: { live: true },
    hooks: { setCursor: [(chart) => chart.cursor.idx === null && showLatest(chart)] },
    scales: { x: { range: (chart, min, max) => [Math.min(min, max - LEAST_SECONDS), max] }, y: { range: (chart, min, max) => [0, Math.max(least, (max || 0) * 1.1)] } },
    axes: [{ ...axis, space: 70, values: (chart, splits, index, space, step) => splits.map((second) => clockTime(second, step)) }, { ...axis, size: 60, values: (chart, values) => values.map((value) => format(value)) }],
    series: [{ label: "time", value: (chart, second) => second === null || second === undefined ? "–" : fullTime(second * 1000) }, ...series.map((one) => ({
      label: one.label, stroke: colour(one.colour), fill: one.fill ? colour(one.colour) + "22" : undefined, width: 2,
      points: { show: false }, value: (chart, value) => value === null || value === undefined ? "–" : format(value),
    }))],
  };
}

/** A time at an axis: the day where one begins, else hour and minute. */
function clockTime(second, step) {
  const time = new Date(second * 1000);
  const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
  return step >= 86400 || isMidnight && step >= 60 ? monthDay.format(time) : (step < 60 ? hourMinuteSecond : hourMinute).format(time);
}

/** Counts and rates: 0.4, 12, 3.1k */
function rounded(value) {
  return value > 0 && value < 10 ? String(Math.round(value * 10) / 10) : short(Math.round(value));
}

/** The same as a table, once somebody wants it: also for those who cannot see the chart. */
function Numbers({ label, data, series, format }) {
  const [open, setOpen] = useState(false);
  const [times, ...values] = data;
  const cell = (value) => value === null || value === undefined ? "–" : format(value);
  return h("details", { class: "numbers", onToggle: (event) => setOpen(event.currentTarget.open) },
      h("summary", null, "Numbers"),
      open && h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": label + ", numbers" }, h("table", null,
          h("thead", null, h("tr", null, h("th", { scope: "col" }, "Time"), series.map((one) => h("th", { scope: "col", class: "number", key: one.label }, one.label)))),
          h("tbody", null, times.map((second, index) => h("tr", { key: second },
              h("th", { scope: "row" }, fullTime(second * 1000)), values.map((line, at) => h("td", { class: "number", key: at }, cell(line[index]))))).reverse()))));
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
  useEffect(() => {
    chart.current.setData(data);
    showLatest(chart.current);
  }, [data, theme]);
  return h("figure", { class: "chart" }, h("figcaption", null, label), h("div", { ref: place }),
      h(Numbers, { label, data, series, format: format || rounded }));
}
