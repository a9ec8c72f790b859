"use strict";
// Draws the page of a study from its data; every plot has its table. Text never becomes markup.
(() => {
  const study = JSON.parse(document.getElementById("data").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const colours = { COMPLETE: "#0072b2", PRUNED: "#999999", PAUSED: "#56b4e9", FAILED: "#d55e00", TIMED_OUT: "#cc79a7",
    LOST: "#e69f00", CANCELLED: "#bbbbbb", RUNNING: "#009e73", WAITING: "#dddddd", RETRIED: "#f0e442" };
  const symbols = { COMPLETE: "circle", PRUNED: "triangle", FAILED: "diamond" };
  const complete = study.trials.filter(t => t.state === "COMPLETE" && t.value !== null);
  const better = (a, b) => study.minimize ? a < b : a > b;
  const short = v => typeof v === "number" && !Number.isInteger(v) ? Number(v.toPrecision(4)) : v;
  const params = t => study.dimensions.filter(d => d.name in t.params)
    .map(d => d.name + "=" + short(t.params[d.name])).join(" ");
  const plots = [];

  function element(parent, name, text) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  function table(parent, columns, rows) {
    const folded = element(parent, "details");
    element(folded, "summary", "Table (" + rows.length + " rows)");
    folded.addEventListener("toggle", () => {
      if (!folded.open || folded.querySelector("table")) return;
      const scroll = element(folded, "div");
      scroll.className = "scroll";
      const grid = element(scroll, "table");
      const head = element(element(grid, "thead"), "tr");
      columns.forEach(c => element(head, "th", c).scope = "col");
      const body = element(grid, "tbody");
      rows.forEach(row => {
        const line = element(body, "tr");
        row.forEach(cell => {
          const made = element(line, "td", cell === null || cell === undefined ? "" : String(short(cell)));
          if (typeof cell === "number") made.className = "number";
        });
      });
    });
  }

  function plot(title, wide, option, columns, rows) {
    const figure = element(document.getElementById("charts"), "figure");
    if (wide) figure.className = "wide";
    element(figure, "figcaption", title);
    const place = element(figure, "div");
    place.className = "plot";
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", title + "; its table follows");
    const chart = echarts.init(place, dark ? "dark" : null, { renderer: "canvas" });
    const base = { animation: false, backgroundColor: "transparent", tooltip: { confine: true },
      grid: { left: 70, right: 30, top: 40, bottom: 50 } };
    chart.setOption(Object.assign(base, option));
    plots.push(chart);
    if (columns) table(figure, columns, rows);
    return { figure, chart };
  }

  const axis = (name, more) => Object.assign({ type: "value", name, nameLocation: "middle", nameGap: 30, scale: true }, more);
  const dimensionAxis = (d, more) => axis(d.name, Object.assign(d.choices.length
    ? { type: "category", data: d.choices } : { type: d.log ? "log" : "value", min: d.least, max: d.greatest }, more));
  const coordinate = (d, t) => d.choices.length ? String(t.params[d.name]) : t.params[d.name];

  function history() {
    const best = [];
    let value = null;
    complete.forEach(t => {
      if (value === null || better(t.value, value)) value = t.value;
      best.push([t.number, value]);
    });
    const states = [...new Set(study.trials.map(t => t.state))];
    const series = states.map(state => ({ name: state.toLowerCase(), type: "scatter", symbolSize: 7,
      symbol: symbols[state] || "rect", itemStyle: { color: colours[state] },
      data: study.trials.filter(t => t.state === state && t.value !== null).map(t => [t.number, t.value]) }))
      .filter(s => s.data.length);
    series.push({ name: "best so far", type: "line", step: "end", showSymbol: false, data: best, color: "#000000",
      lineStyle: { color: dark ? "#ffffff" : "#000000" } });
    plot("History", false, { legend: { top: 0 }, tooltip: { confine: true, formatter: p => {
      const t = study.trials.find(each => each.number === p.value[0]);
      return echarts.format.encodeHTML("trial " + p.value[0] + ": " + short(p.value[1]) + " " + (t ? params(t) : ""));
    } }, xAxis: axis("trial"), yAxis: axis(study.metric, { nameGap: 50 }), dataZoom: [{ type: "inside" }], series },
    ["trial", "state", study.metric, "seconds", "parameters", "reason"],
    study.trials.map(t => [t.number, t.state.toLowerCase(), t.value, t.seconds, params(t), t.reason]));
  }

  function curves() {
    const having = study.trials.filter(t => t.steps.length);
    if (!having.length) return;
    const series = having.map(t => ({ name: "trial " + t.number, type: "line", showSymbol: t.steps.length === 1,
      symbolSize: 4, emphasis: { focus: "series" }, z: t.state === "PRUNED" ? 1 : 2,
      lineStyle: { width: t.state === "PRUNED" ? 1 : 1.5, color: t.state === "PRUNED" ? "#b0b0b0" : undefined },
      itemStyle: t.state === "PRUNED" ? { color: "#b0b0b0" } : undefined,
      data: t.steps.map((s, i) => [s, t.reports[i]]) }));
    plot("Learning curves of all trials", true, { tooltip: { trigger: "item", confine: true, formatter: p => {
      const t = having[p.seriesIndex];
      return echarts.format.encodeHTML("trial " + t.number + " at " + p.value[0] + ": " + short(p.value[1]) + " " + params(t));
    } }, xAxis: axis("step"), yAxis: axis(study.metric, { nameGap: 50 }), dataZoom: [{ type: "inside" }], series },
    ["trial", "state", "step", study.metric],
    having.flatMap(t => t.steps.map((s, i) => [t.number, t.state.toLowerCase(), s, t.reports[i]])));
  }

  function parallel() {
    if (!complete.length) return;
    const values = complete.map(t => t.value);
    const axes = study.dimensions.map((d, i) => Object.assign({ dim: i, name: d.name },
      d.choices.length ? { type: "category", data: d.choices } : { type: d.log ? "log" : "value", min: d.least, max: d.greatest }));
    axes.push({ dim: axes.length, name: study.metric, scale: true });
    plot("Parallel coordinates", true, { parallel: { left: 60, right: 90, top: 40, bottom: 30 },
      visualMap: { dimension: axes.length - 1, min: Math.min(...values), max: Math.max(...values), right: 0, top: "middle",
        inRange: { color: study.minimize ? ["#d55e00", "#e8c468", "#56b4e9"] : ["#56b4e9", "#e8c468", "#d55e00"] }, precision: 4 },
      parallelAxis: axes, series: [{ type: "parallel", lineStyle: { width: 1.5, opacity: 0.6 },
        data: complete.map(t => [...study.dimensions.map(d => d.name in t.params ? coordinate(d, t) : "-"), t.value]) }] },
    ["trial", ...study.dimensions.map(d => d.name), study.metric],
    complete.map(t => [t.number, ...study.dimensions.map(d => t.params[d.name]), t.value]));
  }

  function importance() {
    if (!study.importance.length) return;
    const rows = [...study.importance].reverse();
    plot("Importance (PED-ANOVA)", false, { grid: { left: 130, right: 30, top: 20, bottom: 40 },
      xAxis: axis("share", { min: 0 }), yAxis: { type: "category", data: rows.map(r => r.parameter + (r.trials < complete.length ? " *" : "")) },
      series: [{ type: "bar", color: "#0072b2", data: rows.map(r => r.share) }] },
    ["parameter", "share", "trials that have it"], study.importance.map(r => [r.parameter, r.share, r.trials]));
  }

  function slices() {
    study.dimensions.forEach(d => {
      const having = complete.filter(t => d.name in t.params);
      if (!having.length || (d.choices.length === 1)) return;
      plot("Slice: " + d.name, false, { xAxis: dimensionAxis(d), yAxis: axis(study.metric, { nameGap: 50 }),
        visualMap: { show: false, dimension: 2, min: 0, max: Math.max(1, study.trials.length - 1), inRange: { color: ["#cfe3f3", "#0072b2", "#08306b"] } },
        series: [{ type: "scatter", symbolSize: 7, data: having.map(t => [coordinate(d, t), t.value, t.number]) }] },
      ["trial", d.name, study.metric], having.map(t => [t.number, t.params[d.name], t.value]));
    });
  }

  // The place of a value from 0 to 1, as samplers see it.
  function place(d, value) {
    if (d.choices.length) return d.choices.length === 1 ? 0.5 : d.choices.indexOf(String(value)) / (d.choices.length - 1);
    if (d.greatest === d.least) return 0.5;
    return d.log ? Math.log(value / d.least) / Math.log(d.greatest / d.least) : (value - d.least) / (d.greatest - d.least);
  }

  function contour() {
    const usable = study.dimensions.filter(d => d.choices.length !== 1);
    if (usable.length < 2 || complete.length < 3) return;
    const order = study.importance.map(i => usable.find(d => d.name === i.parameter)).filter(d => d);
    const size = 40;
    const names = Array.from({ length: size }, (_, i) => ((i + 0.5) / size).toFixed(3));
    const made = plot("Contour (interpolated)", false, {}, null, null);
    const choose = element(made.figure, "p");
    const selects = [0, 1].map(i => {
      const label = element(choose, "label", i ? " against " : "");
      const select = element(label, "select");
      select.setAttribute("aria-label", i ? "vertical parameter" : "horizontal parameter");
      usable.forEach(d => element(select, "option", d.name).value = d.name);
      select.value = order[i].name;
      select.addEventListener("change", draw);
      return select;
    });
    function draw() {
      const [x, y] = selects.map(s => usable.find(d => d.name === s.value));
      const points = complete.filter(t => x.name in t.params && y.name in t.params)
        .map(t => [place(x, t.params[x.name]), place(y, t.params[y.name]), t.value, t.number]);
      const cells = [];
      for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) {
        let sum = 0, weights = 0;
        points.forEach(p => {
          const weight = 1 / (1e-4 + (p[0] - (i + 0.5) / size) ** 2 + (p[1] - (j + 0.5) / size) ** 2) ** 1.5;
          sum += weight * p[2];
          weights += weight;
        });
        cells.push([i, j, sum / weights]);
      }
      const values = cells.map(c => c[2]);
      const text = (d, at) => d.choices.length ? d.choices[Math.round(at * (d.choices.length - 1))]
        : String(short(d.log ? d.least * (d.greatest / d.least) ** at : d.least + at * (d.greatest - d.least)));
      const labels = d => ({ type: "category", data: names, name: d.name, nameLocation: "middle", nameGap: 30,
        axisLabel: { formatter: v => text(d, Number(v)), interval: 7 } });
      made.chart.setOption({ xAxis: labels(x), yAxis: Object.assign(labels(y), { nameGap: 50 }),
        visualMap: { seriesIndex: 0, min: Math.min(...values), max: Math.max(...values), calculable: false, right: 0, top: "middle", precision: 3,
          inRange: { color: study.minimize ? ["#08306b", "#6baed6", "#f7fbff"] : ["#f7fbff", "#6baed6", "#08306b"] } },
        grid: { left: 80, right: 90, top: 20, bottom: 50 },
        series: [{ type: "heatmap", data: cells }, { type: "scatter", symbolSize: 5, itemStyle: { color: "#d55e00" },
          data: points.map(p => [Math.min(size - 1, Math.floor(p[0] * size)), Math.min(size - 1, Math.floor(p[1] * size))]) }] });
    }
    draw();
    table(made.figure, ["trial", ...usable.map(d => d.name), study.metric],
      complete.map(t => [t.number, ...usable.map(d => t.params[d.name]), t.value]));
  }

  function gantt() {
    if (!study.attempts.length) return;
    const lane = (a, core) => a.node + (core === null ? "" : " core " + core);
    const bars = study.attempts.flatMap(a => (a.cores.length ? a.cores : [null]).map(core => ({ a, lane: lane(a, core) })));
    const lanes = [...new Set(bars.map(b => b.lane))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const states = [...new Set(bars.map(b => b.a.state))];
    const series = states.map(state => ({ name: state.toLowerCase(), type: "custom", itemStyle: { color: colours[state] || "#56b4e9" },
      encode: { x: [1, 2], y: 0 }, renderItem: (p, api) => {
        const from = api.coord([api.value(1), api.value(0)]), to = api.coord([api.value(2), api.value(0)]);
        const height = api.size([0, 1])[1] * 0.7;
        const shape = echarts.graphic.clipRectByRect({ x: from[0], y: from[1] - height / 2, width: Math.max(1, to[0] - from[0]), height },
          { x: p.coordSys.x, y: p.coordSys.y, width: p.coordSys.width, height: p.coordSys.height });
        return shape && { type: "rect", shape, style: Object.assign(api.style(), { stroke: "#ffffff", lineWidth: 0.5 }) };
      }, data: bars.filter(b => b.a.state === state).map(b => [lanes.indexOf(b.lane), b.a.from, b.a.to, b.a.trial, b.a.attempt, b.a.reason]) }));
    plot("Processors over time", true, { legend: { top: 0 }, grid: { left: 130, right: 30, top: 40, bottom: 60 },
      tooltip: { confine: true, formatter: p => echarts.format.encodeHTML("trial " + p.value[3] + ", attempt " + p.value[4] + ", "
        + lanes[p.value[0]] + ": " + short(p.value[1]) + " to " + short(p.value[2]) + " s, "
        + p.seriesName + (p.value[5] ? ": " + p.value[5] : "")) },
      xAxis: axis("seconds", { min: 0 }), yAxis: { type: "category", data: lanes }, dataZoom: [{ type: "inside", filterMode: "weakFilter" }], series },
    ["trial", "attempt", "node", "cores", "from s", "to s", "end", "reason"],
    study.attempts.map(a => [a.trial, a.attempt, a.node, a.cores.join(" "), a.from, a.to, a.state.toLowerCase(), a.reason]));
  }

  function cores() {
    const timed = study.trials.filter(t => t.cores > 0 && t.seconds > 0);
    if (!timed.length) return;
    plot("Time against cores", false, { xAxis: axis("cores of a trial", { min: 0, minInterval: 1 }), yAxis: axis("seconds", { min: 0, nameGap: 50 }),
      series: [{ type: "scatter", symbolSize: 7, color: "#0072b2", data: timed.map(t => [t.cores, t.seconds]) }] },
    ["trial", "cores", "seconds", "state"], timed.map(t => [t.number, t.cores, t.seconds, t.state.toLowerCase()]));
  }

  function rungs() {
    const pruned = study.trials.filter(t => t.state === "PRUNED" && t.steps.length);
    if (!pruned.length) return;
    const counts = new Map();
    pruned.forEach(t => { const s = t.steps[t.steps.length - 1]; counts.set(s, (counts.get(s) || 0) + 1); });
    const rows = [...counts.entries()].sort((a, b) => a[0] - b[0]);
    plot("Where trials were stopped", false, { xAxis: { type: "category", name: "step", data: rows.map(r => String(r[0])) },
      yAxis: axis("trials", { min: 0 }), series: [{ type: "bar", color: "#999999", data: rows.map(r => r[1]) }] },
    ["step", "trials stopped"], rows);
  }

  function pauses() {
    if (!study.rungs.length) return;
    plot("Where trials were paused", false, { legend: { top: 0 }, xAxis: { type: "category", name: "step", data: study.rungs.map(r => String(r.step)) },
      yAxis: axis("trials", { min: 0 }), series: [{ name: "paused", type: "bar", color: "#56b4e9", data: study.rungs.map(r => r.paused) },
        { name: "continued", type: "bar", color: "#0072b2", data: study.rungs.map(r => r.continued) }] },
    ["step", "trials paused", "continued", "best " + study.metric], study.rungs.map(r => [r.step, r.paused, r.continued, r.best]));
  }

  function lineage() {
    if (!study.takeovers.length) return;
    plot("Lineage: checkpoints taken over", true, { tooltip: { confine: true, formatter: p => {
      const t = study.takeovers[p.dataIndex];
      return echarts.format.encodeHTML("trial " + t.trial + " from trial " + t.parent + " at step " + t.step + ": " + params(t));
    } }, xAxis: axis("step", { min: 0 }), yAxis: axis("trial", { minInterval: 1 }),
      series: [{ type: "lines", coordinateSystem: "cartesian2d", symbol: ["circle", "arrow"], symbolSize: 7,
        lineStyle: { color: "#0072b2", width: 1.5, curveness: 0.15 },
        data: study.takeovers.map(t => ({ coords: [[t.step, t.parent], [t.step, t.trial]] })) },
      { type: "scatter", symbolSize: 1, silent: true, data: study.takeovers.flatMap(t => [[t.step, t.parent], [t.step, t.trial]]) }] },
    ["trial", "from trial", "at step", "parameters"], study.takeovers.map(t => [t.trial, t.parent, t.step, params(t)]));
  }

  const facts = element(document.getElementById("facts"), "dl");
  study.facts.forEach(fact => {
    const line = element(facts, "div");
    element(line, "dt", fact.name);
    element(line, "dd", fact.value);
  });
  [history, curves, parallel, importance, contour, slices, gantt, cores, rungs, pauses, lineage].forEach(draw => draw());
  addEventListener("resize", () => plots.forEach(p => p.resize()));
  document.body.dataset.plots = String(plots.length);
})();
