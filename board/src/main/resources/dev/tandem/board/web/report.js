'use strict';
(() => {
  const report = JSON.parse(document.getElementById('data').textContent);
  const controls = document.getElementById('controls');
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  let printing = false;

  // Colours of Okabe and Ito; dashes tell curves apart without them.
  const light = ['#0072b2', '#d55e00', '#009e73', '#aa4499', '#8a6100', '#000000'];
  const bright = ['#56b4e9', '#ff8c42', '#2cc295', '#e597c4', '#f0c14b', '#e4e9ef'];
  const dashes = [[], [6, 3], [2, 3], [10, 3, 2, 3], [1, 2], [12, 4]];

  const element = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  const number = value => {
    if (value === null || value === undefined) return '';
    const size = Math.abs(value);
    if (size !== 0 && (size < 0.001 || size >= 1e7)) return value.toExponential(2);
    return value.toLocaleString('en', { maximumFractionDigits: size < 1 ? 4 : size < 100 ? 3 : 1 });
  };

  const time = seconds => {
    const whole = Math.round(seconds);
    const two = part => String(part).padStart(2, '0');
    return whole < 60 ? number(seconds) + ' s'
        : Math.floor(whole / 3600) + ':' + two(Math.floor(whole / 60) % 60) + ':' + two(whole % 60);
  };

  // Facts and configuration: what comes from files is text, never markup.
  const facts = element('dl');
  for (const fact of report.facts) {
    const row = element('div');
    row.append(element('dt', fact.name), element('dd', fact.value));
    facts.append(row);
  }
  document.getElementById('facts').append(facts);
  if (report.config) {
    const config = document.getElementById('config');
    config.hidden = false;
    config.querySelector('pre').textContent = report.config;
  }

  // Charts.
  const axes = [...new Set(report.charts.flatMap(chart => chart.series.flatMap(series => Object.keys(series.x))))];
  const shared = axes.filter(axis => report.charts.every(chart => chart.series.every(series => axis in series.x)));
  for (const axis of shared) {
    const option = element('option', axis);
    option.value = axis;
    controls.elements.axis.append(option);
  }
  document.getElementById('axis').hidden = shared.length < 2;
  controls.hidden = report.charts.length === 0;

  const smoothed = (values, weight) => {
    let mean = null;
    let left = 1;
    return values.map(value => {
      if (value === null) return null;
      left *= weight;
      mean = (mean === null ? 0 : mean) * weight + value * (1 - weight);
      return mean / (1 - left);
    });
  };

  const plots = [];

  const draw = (chart, figure) => {
    figure.querySelectorAll('.uplot').forEach(old => old.remove());
    const night = dark.matches && !printing;
    const colours = night ? bright : light;
    const text = night ? '#a0acb8' : '#5b6773';
    const lines = night ? '#35404b' : '#e6eaee';
    const axis = shared.length > 0 ? controls.elements.axis.value : axes[0];
    const weight = Number(controls.elements.smoothing.value);
    const log = chart.log && controls.elements.log.checked;
    const columns = [];
    const series = [{ label: axis, value: (plot, x) => x === null ? '' : axis === 'time' ? time(x) : number(x) }];
    chart.series.forEach((curve, i) => {
      const y = log ? curve.y.map(value => value > 0 ? value : null) : curve.y;
      const smooth = weight > 0 && curve.smooth && curve.y.length > 2;
      const points = { show: curve.y.length <= 60, size: 5 };
      const style = { stroke: colours[i % colours.length], dash: dashes[i % dashes.length], spanGaps: true, value: (plot, v) => number(v) };
      columns.push([curve.x[axis], y]);
      series.push({ ...style, label: curve.name, width: smooth ? 0.5 : 1.5, alpha: smooth ? 0.4 : 1, points });
      if (smooth) {
        columns.push([curve.x[axis], smoothed(y, weight)]);
        series.push({ ...style, label: curve.name + ', smoothed', width: 2, points: { show: false } });
      }
    });
    const grid = { stroke: text, grid: { stroke: lines, width: 1 }, ticks: { stroke: lines, width: 1 } };
    const options = {
      width: Math.max(280, figure.clientWidth),
      height: 260,
      series,
      cursor: { sync: { key: 'run' } },
      scales: {
        x: { time: false, range: (plot, low, high) => low === null ? [0, 1] : low === high ? [Math.min(0, low), high === 0 ? 1 : high * 2] : [low, high] },
        y: log ? { distr: 3 } : { range: (plot, low, high) => low === null ? [0, 1] : low === high ? [low - (Math.abs(low) / 10 || 1), high + (Math.abs(high) / 10 || 1)] : uPlot.rangeNum(low, high, 0.1, true) },
      },
      axes: [
        { ...grid, label: axis, labelSize: 20, values: (plot, splits) => splits.map(x => axis === 'time' ? time(x) : number(x)) },
        { ...grid, label: chart.vertical, labelSize: 20, size: 64, values: (plot, splits) => splits.map(number) },
      ],
    };
    return new uPlot(options, uPlot.join(columns), figure);
  };

  for (const chart of report.charts) {
    const figure = element('figure');
    figure.append(element('figcaption', chart.title));
    document.getElementById('charts').append(figure);
    plots.push({ chart, figure, plot: null });
  }

  const redraw = () => {
    for (const each of plots) {
      if (each.plot) each.plot.destroy();
      each.plot = draw(each.chart, each.figure);
    }
  };

  controls.addEventListener('input', redraw);
  controls.addEventListener('submit', event => event.preventDefault());
  dark.addEventListener('change', redraw);
  window.addEventListener('beforeprint', () => { printing = true; redraw(); });
  window.addEventListener('afterprint', () => { printing = false; redraw(); });
  window.addEventListener('resize', () => plots.forEach(each =>
      each.plot.setSize({ width: Math.max(280, each.figure.clientWidth), height: 260 })));

  // Tables.
  const tables = document.getElementById('tables');
  const isNumber = cell => typeof cell === 'number';
  for (const given of report.tables) {
    const table = element('table');
    const head = table.createTHead().insertRow();
    given.columns.forEach((column, i) => {
      const cell = element('th', column, given.rows.length > 0 && isNumber(given.rows[0][i]) ? 'number' : '');
      cell.scope = 'col';
      head.append(cell);
    });
    const body = table.createTBody();
    for (const cells of given.rows) {
      const row = body.insertRow();
      cells.forEach((cell, i) => {
        const made = element('td', isNumber(cell) ? number(cell) : cell === null ? '' : cell, isNumber(cell) ? 'number' : '');
        if (given.columns[i] === 'percent') {
          const bar = element('span', undefined, 'bar');
          bar.style.width = (cell / 20) + 'rem';
          const place = row.insertCell();
          place.append(bar);
          row.insertBefore(made, place);
        } else {
          row.append(made);
        }
      });
    }
    if (given.columns.includes('percent')) head.append(element('th'));
    const scroll = element('div', undefined, 'scroll');
    scroll.append(table);
    tables.append(element('h2', given.title));
    if (given.note) tables.append(element('p', given.note, 'note'));
    tables.append(scroll);
  }

  if (report.confusion) {
    const { names, counts } = report.confusion;
    const table = element('table', undefined, 'confusion');
    const head = table.createTHead().insertRow();
    head.append(element('th'));
    const small = names.length > 20;
    names.forEach((name, i) => {
      const cell = element('th', small ? String(i) : name);
      cell.title = name;
      cell.scope = 'col';
      head.append(cell);
    });
    const body = table.createTBody();
    counts.forEach((row, label) => {
      const made = body.insertRow();
      const sum = row.reduce((a, b) => a + b, 0);
      const name = element('th', small ? label + ' ' + names[label] : names[label]);
      name.scope = 'row';
      made.append(name);
      row.forEach((count, answer) => {
        const cell = element('td', count === 0 ? '' : String(count));
        const share = sum === 0 ? 0 : count / sum;
        cell.style.background = 'rgba(var(--heat), ' + (0.75 * Math.sqrt(share)).toFixed(3) + ')';
        cell.title = names[label] + ' taken for ' + names[answer] + ': ' + count + ' of ' + sum;
        made.append(cell);
      });
    });
    const scroll = element('div', undefined, 'scroll');
    scroll.append(table);
    tables.append(element('h2', 'Confusion'));
    tables.append(element('p', 'Rows: what a sample is. Columns: what the network says. Last validation.', 'note'));
    tables.append(scroll);
  }

  redraw();
  document.documentElement.dataset.drawn = String(plots.length);
})();
