// Draws the pictures of the page (see report/pictures.lua for what they are) with Apache ECharts.
"use strict";
(function () {
  const list = JSON.parse(document.getElementById("pictures").textContent);
  // Okabe and Ito's colours, told apart by most eyes, in an order whose neighbours differ in lightness; lighter on dark.
  const ON_LIGHT = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999933", "#882255"];
  const ON_DARK = ["#4aa3df", "#f0b840", "#2cc296", "#e08fbf", "#9bd7ff", "#ff8c42", "#c5c55e", "#c873a5"];
  const darkness = window.matchMedia("(prefers-color-scheme: dark)");
  let printing = false;
  const inks = () => darkness.matches && !printing
    ? { text: "#e7eaee", soft: "#a9b2bb", line: "#3a424b", back: "#14181c", limit: "#ff8f8f", faint: 0.45, colors: ON_DARK }
    : { text: "#1c2024", soft: "#525a63", line: "#d5dade", back: "#ffffff", limit: "#b3001b", faint: 0.3, colors: ON_LIGHT };
  const escape = (s) => String(s).replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");
  const number = (v, digits = 4) => typeof v !== "number" ? "–"
    : Math.abs(v) >= 1e9 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(2)
    : Number(v.toPrecision(digits)).toLocaleString("en", { maximumSignificantDigits: digits });
  // Short, for axes: 20,000 as 20k.
  const brief = (v) => Math.abs(v) >= 1e9 ? number(v / 1e9) + "G" : Math.abs(v) >= 1e6 ? number(v / 1e6) + "M"
    : Math.abs(v) >= 1e4 ? number(v / 1e3, 3) + "k" : number(v);

  const AXIS_NAME = 24; // pixels that the name of an upright axis takes, above it
  const LETTER = 6.8; // pixels of a letter in the mean

  // Halves and doubles are read easily; beyond, and where their labels would be ten doubles apart, tens.
  const logBase = (least, most) => most / least < 1000 ? 2 : 10;

  function axis(about, ink, more) {
    const made = Object.assign({ type: about && about.log ? "log" : "value", name: about && about.title || "", nameLocation: "middle",
      nameGap: 28, nameTextStyle: { color: ink.soft }, axisLabel: { color: ink.soft, hideOverlap: true },
      axisLine: { lineStyle: { color: ink.line } }, axisTick: { lineStyle: { color: ink.line } },
      splitLine: { lineStyle: { color: ink.line, opacity: 0.6 } }, minorSplitLine: { show: false } }, more);
    if (made.type === "log" && made.logBase === 10) made.minorTick = { show: true, lineStyle: { color: ink.line } };
    if (made.type !== "category") made.axisLabel = Object.assign({ formatter: brief }, made.axisLabel);
    return made;
  }

  // Upright: its name stands above it, where it hides no number.
  function upright(about, ink, more) {
    return axis(about, ink, Object.assign({ nameLocation: "end", nameGap: 9, nameTextStyle: { color: ink.soft, align: "left" } }, more));
  }

  function base(picture, ink) {
    const named = (picture.series || []).filter((s) => s && s.name);
    return { animation: false, color: ink.colors, textStyle: { fontFamily: "system-ui, sans-serif", color: ink.text },
      aria: { enabled: false },
      legend: named.length > 1 ? { type: "plain", selectedMode: false, top: 0, left: 0, itemWidth: 14, itemHeight: 10,
        textStyle: { color: ink.text }, data: named.map((s) => s.name) } : undefined,
      tooltip: { confine: true, backgroundColor: ink.back, borderColor: ink.line, textStyle: { color: ink.text, fontSize: 12 },
        extraCssText: "max-width:340px;white-space:normal" } };
  }

  // Room for a legend of several lines.
  function legendLines(picture, width) {
    const named = (picture.series || []).filter((s) => s && s.name);
    if (named.length < 2) return 0;
    let lines = 1, used = 0;
    for (const s of named) {
      const needed = 34 + 7 * s.name.length;
      if (used + needed > width - 10 && used > 0) { lines += 1; used = 0; }
      used += needed;
    }
    return lines;
  }

  const top = (picture, width) => 10 + 22 * legendLines(picture, width);

  // Lines across at limits; `most` is the largest value that is drawn along.
  function limitLine(limits, ink, flat, most) {
    if (!limits.length) return undefined;
    return { silent: true, symbol: "none", lineStyle: { color: ink.limit, type: "dashed", width: 2 },
      label: { color: ink.limit, formatter: (p) => p.name, position: flat ? "start" : "insideStartTop", rotate: 0, fontSize: 12 },
      data: limits.map((l) => Object.assign({ name: l.name + " " + number(l.value, 3) }, flat
        ? { xAxis: l.value, label: { align: l.value > 0.55 * most ? "right" : l.value < 0.2 * most ? "left" : "center" } }
        : { yAxis: l.value })) };
  }

  // Lines from low to high with a bar at either end.
  function whiskers(picture, ink, flat) {
    return { type: "custom", name: "", silent: true, z: 5, data: picture.whiskers.map((w) => w.slice()),
      encode: flat ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
      renderItem(params, api) {
        const at = (v) => api.coord(flat ? [v, api.value(0)] : [api.value(0), v]);
        const a = at(api.value(1)), b = at(api.value(2)), d = 6;
        const lines = flat ? [[a, b], [[a[0], a[1] - d], [a[0], a[1] + d]], [[b[0], b[1] - d], [b[0], b[1] + d]]]
          : [[a, b], [[a[0] - d, a[1]], [a[0] + d, a[1]]], [[b[0] - d, b[1]], [b[0] + d, b[1]]]];
        return { type: "group", children: lines.map((l) => ({ type: "line",
          shape: { x1: l[0][0], y1: l[0][1], x2: l[1][0], y2: l[1][1] }, style: { stroke: ink.text, lineWidth: 2 } })) };
      } };
  }

  const draw = {};

  draw.bars = function (p, ink, width) {
    const option = base(p, ink), flat = p.flat, lines = p.categories.length;
    const most = Math.max(p.limit ? p.limit.value : 0, ...(p.whiskers || []).map((w) => w[2]), 0);
    const sums = p.categories.map((_, i) => p.series.reduce((sum, s) => p.stacked ? sum + (s.values[i] || 0)
      : Math.max(sum, s.values[i] || 0), 0));
    const longest = LETTER * Math.max(...p.categories.map((c) => c.length)), room = Math.min(220, width * 0.38);
    const category = axis(p.x, ink, { type: "category", data: p.categories, splitLine: { show: false }, inverse: !!flat,
      axisLabel: Object.assign({ color: ink.soft, lineHeight: 13, fontSize: 12 },
        flat && longest > room ? { width: room, overflow: "break" } : {}), nameGap: 26 });
    const value = (flat ? axis : upright)(p.y, ink, Object.assign({ max: (range) => most > range.max ? Number((most * 1.04).toPrecision(3))
      : null, axisLabel: { color: ink.soft, hideOverlap: true, showMaxLabel: most ? false : null } }, flat ? { nameGap: 26 } : {}));
    option.xAxis = flat ? value : category;
    option.yAxis = flat ? category : value;
    option.grid = { left: 8, right: flat && !p.stacked ? 46 : 18, top: top(p, width) + (flat ? p.limit ? 22 : 2 : AXIS_NAME), bottom: 26,
      containLabel: true };
    option.series = p.series.map((s, i) => ({ type: "bar", name: s.name, data: s.values.map((v) => v === false ? null : v),
      stack: p.stacked ? "all" : undefined, barMaxWidth: 44, itemStyle: { color: s.faint ? ink.soft : undefined,
        opacity: s.faint ? ink.faint : 1,
        borderColor: ink.back, borderWidth: p.stacked ? 1 : 0 },
      label: { show: !p.stacked && p.series.length === 1, position: flat ? "right" : "top", color: ink.text,
        backgroundColor: p.limit ? ink.back : "transparent", padding: [5, 3],
        formatter: (d) => number(d.value, 3) },
      markLine: i === 0 && p.limit ? Object.assign(limitLine([p.limit], ink, flat, Math.max(most, ...sums)),
        { z: p.stacked ? 5 : 1 }) : undefined }));
    if (p.whiskers) option.series.push(whiskers(p, ink, flat));
    option.tooltip.trigger = "axis";
    option.tooltip.axisPointer = { type: "shadow" };
    option.tooltip.formatter = (rows) => escape(rows[0].axisValueLabel) + rows.filter((r) => r.seriesName).map((r) =>
      "<br>" + r.marker + escape(r.seriesName) + ": <b>" + number(r.value) + "</b>").join("");
    const high = (longest > room ? 34 : lines > 14 ? 22 : 26) * (p.stacked ? 1 : Math.max(1, 0.62 * p.series.length));
    const height = flat ? 64 + (p.limit ? 22 : 0) + lines * high : 340;
    return [option, height + 22 * legendLines(p, width)];
  };

  const ends = (series, at) => {
    const values = series.flatMap((s) => s.points.map((d) => d[at]));
    return [Math.min(...values), Math.max(...values)];
  };

  draw.lines = function (p, ink, width) {
    const option = base(p, ink), [first, last] = ends(p.series, 0);
    option.xAxis = axis(p.x, ink, { min: first, max: last, logBase: logBase(first, last), axisLabel: { color: ink.soft, hideOverlap: true,
      showMaxLabel: !p.x.log && Number(last.toPrecision(2)) === last } });
    const most = Math.max(...(p.limits || []).map((l) => l.value), 0);
    option.yAxis = upright(p.y, ink, { logBase: logBase(...ends(p.series, 1)),
      max: (range) => most > range.max ? Number((most * 1.08).toPrecision(2)) : null,
      axisLabel: { color: ink.soft, hideOverlap: true, showMaxLabel: most ? false : null } });
    option.grid = { left: 8, right: 26, top: top(p, width) + AXIS_NAME, bottom: 28, containLabel: true };
    option.series = p.series.map((s, i) => ({ type: "line", name: s.name, data: s.points, step: s.steps ? "end" : false, symbol: "circle",
      showSymbol: s.points.length <= 40 && !s.steps, symbolSize: 6, lineStyle: { width: 2, opacity: s.faint ? 0.5 : 1,
        type: ["solid", "dashed", "dotted"][Math.floor(i / ink.colors.length) % 3] },
      markLine: i === 0 && p.limits ? limitLine(p.limits, ink, false) : undefined }));
    option.tooltip.trigger = "axis";
    option.tooltip.formatter = (rows) => escape(p.x.title) + " " + number(rows[0].axisValue) + rows.map((r) =>
      "<br>" + r.marker + escape(r.seriesName) + ": <b>" + number(r.value[1]) + "</b>").join("");
    return [option, 310 + 22 * legendLines(p, width)];
  };

  draw.points = function (p, ink, width) {
    const option = base(p, ink);
    let [least, most] = [0, 1].map((at) => ends(p.series, at)).reduce((a, b) => [Math.min(a[0], b[0]), Math.max(a[1], b[1])]);
    for (const s of p.series) for (const d of s.points) {
      if (d[3]) least = Math.min(least, d[3]);
      if (d[4]) most = Math.max(most, d[4]);
    }
    const same = { min: Number((least / 1.2).toPrecision(2)), max: Number((most * 1.2).toPrecision(2)), logBase: most / least < 30 ? 2 : 10,
      axisLabel: { color: ink.soft, hideOverlap: true, showMinLabel: false, showMaxLabel: false } };
    const own = (about, at) => {
      const [first, last] = ends(p.series, at);
      return { scale: !about.zero, min: about.zero ? 0 : null, logBase: logBase(first, last),
        max: p.labelled && at === 1 ? Number((last + 0.12 * (last - first)).toPrecision(3)) : null };
    };
    option.xAxis = axis(p.x, ink, p.diagonal ? same : own(p.x, 0));
    option.yAxis = upright(p.y, ink, p.diagonal ? same : own(p.y, 1));
    option.grid = { left: 8, right: 24, top: top(p, width) + AXIS_NAME, bottom: 28, containLabel: true };
    option.series = [];
    p.series.filter((s) => s).forEach((s, i) => {
      const color = s.chosen ? ink.colors[5] : ink.colors[(i - (p.series[0].chosen ? 1 : 0)) % ink.colors.length];
      if (s.points.some((d) => d[4])) {
        option.series.push({ type: "custom", name: "", silent: true, data: s.points, z: 1, encode: { x: 0, y: 1 },
          renderItem(params, api) {
            const d = s.points[params.dataIndex];
            if (!d[4]) return null;
            const a = api.coord([d[0], d[3]]), b = api.coord([d[0], d[4]]);
            return { type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { stroke: color, opacity: 0.45 } };
          } });
      }
      option.series.push({ type: s.joined ? "line" : "scatter", name: s.name, data: s.points, symbolSize: s.chosen ? 15 : s.faint || p.small ? 6 : 9,
        showSymbol: true, symbol: s.chosen ? "diamond"
          : ["circle", "triangle", "rect", "diamond"][Math.floor(i / ink.colors.length) % 4],
        itemStyle: { color: s.faint ? ink.soft : color, opacity: s.faint && !p.labelled ? ink.faint : 0.9 }, encode: { x: 0, y: 1 },
        label: { show: !!p.labelled, position: "top", color: ink.text, fontSize: 12, formatter: (d) => d.value[2].split(":")[0] },
        lineStyle: { width: 1.5, color: color }, step: s.joined ? "end" : undefined, z: s.faint ? 2 : 3 });
    });
    if (p.diagonal) {
      option.series.push({ type: "line", name: "", silent: true, symbol: "none", data: [[least, least], [most, most]],
        lineStyle: { color: ink.soft, width: 1, type: "dashed" }, tooltip: { show: false } });
    }
    option.tooltip.trigger = "item";
    option.tooltip.formatter = (d) => "<b>" + escape(d.value[2] || d.seriesName) + "</b><br>" + escape(p.x.title) + ": "
      + number(d.value[0]) + "<br>" + escape(p.y.title) + ": " + number(d.value[1]);
    return [option, (printing ? 270 : Math.max(340, Math.min(460, width * 0.58))) + 22 * legendLines(p, width)];
  };

  // From a light blue to a dark one; the text on it in what can be read.
  function shade(share) {
    const from = [222, 235, 247], to = [8, 69, 148];
    return "rgb(" + from.map((c, i) => Math.round(c + (to[i] - c) * share)).join(",") + ")";
  }

  draw.heat = function (p, ink, width) {
    const option = base(p, ink), values = p.cells.map((c) => c[2]).filter((v) => v !== false);
    const least = Math.min(...values), most = Math.max(...values);
    const letters = LETTER * Math.max(...p.rows.map((r) => r.length)), room = width * 0.3;
    // Times that differ by factors are told apart by them; differences of others by their size.
    const by = least > 0 && most / least > 3 ? Math.log : (v) => v;
    option.xAxis = axis(p.x, ink, { type: "category", data: p.columns, splitLine: { show: false } });
    option.yAxis = upright(p.y, ink, { type: "category", data: p.rows, splitLine: { show: false },
      axisLabel: Object.assign({ color: ink.soft, interval: 0 }, letters > room ? { width: room, overflow: "truncate" } : {}) });
    option.grid = { left: 8, right: 12, top: 8 + (p.y.title ? AXIS_NAME : 0), bottom: 28, containLabel: true };
    option.series = [{ type: "custom", data: p.cells.map((c) => [c[0], c[1]]), encode: { x: 0, y: 1 },
      renderItem(params, api) {
        const cell = p.cells[params.dataIndex], size = api.size([1, 1]), at = api.coord([cell[0], cell[1]]);
        const known = cell[2] !== false, share = known && most > least ? (by(cell[2]) - by(least)) / (by(most) - by(least)) : 0;
        const box = { x: at[0] - size[0] / 2 + 1, y: at[1] - size[1] / 2 + 1, width: size[0] - 2, height: size[1] - 2 };
        const children = [{ type: "rect", shape: box, style: { fill: known ? shade(share) : "transparent",
          stroke: known ? "none" : ink.line, lineDash: known ? null : [4, 3] } }];
        const words = known ? number(cell[2], 3) : cell[3] || "";
        if (size[0] <= 26 && !known) children.push({ type: "line", shape: { x1: box.x, y1: box.y, x2: box.x + box.width,
          y2: box.y + box.height }, style: { stroke: ink.line } });
        if (size[0] > 26) children.push({ type: "text", style: { text: words, x: at[0], y: at[1], textAlign: "center",
          textVerticalAlign: "middle", fill: known ? (share > 0.45 ? "#ffffff" : "#08203c") : ink.soft, width: size[0] - 6,
          overflow: "truncate", fontSize: 12 } });
        return { type: "group", children: children };
      } }];
    option.tooltip.trigger = "item";
    option.tooltip.formatter = (d) => {
      const cell = p.cells[d.dataIndex];
      return escape(p.x.title + " " + p.columns[cell[0]] + ", " + p.y.title + " " + p.rows[cell[1]]) + "<br><b>"
        + escape(cell[2] === false ? cell[3] || "no value" : number(cell[2]) + " " + p.unit) + "</b>";
    };
    return [option, Math.min(560, 80 + p.rows.length * 36)];
  };

  const KIND_COLORS = { F: ["#4a86c5", "#8fb8e0"], B: ["#e08a2e", "#f3c083"], W: ["#6a9e5b", "#abd09f"] };

  draw.spans = function (p, ink, width) {
    const option = base(p, ink);
    const least = Math.min(...p.spans.map((s) => s[1])), most = Math.max(...p.spans.map((s) => s[2]));
    option.xAxis = axis(p.x, ink, { min: least, max: most, axisLabel: { color: ink.soft, hideOverlap: true, showMinLabel: least === 0, showMaxLabel: false } });
    option.yAxis = axis({}, ink, { type: "category", data: p.rows, inverse: true, splitLine: { show: false } });
    option.grid = { left: 8, right: 18, top: 30, bottom: 28, containLabel: true };
    option.legend = { selectedMode: false, top: 0, left: 0, itemWidth: 14, itemHeight: 10, textStyle: { color: ink.text },
      data: p.kinds.map((k) => k[1]) };
    option.series = p.kinds.map((k) => ({ type: "custom", name: k[1], itemStyle: { color: KIND_COLORS[k[0]][0] },
      data: p.spans.filter((s) => s[3][0] === k[0]), encode: { x: [1, 2], y: 0 }, clip: true,
      renderItem(params, api) {
        const from = api.coord([api.value(1), api.value(0)]), to = api.coord([api.value(2), api.value(0)]);
        const span = p.spans.filter((s) => s[3][0] === k[0])[params.dataIndex], high = Math.min(30, api.size([0, 1])[1] * 0.8);
        const box = { x: from[0], y: from[1] - high / 2, width: Math.max(0.5, to[0] - from[0]), height: high };
        const children = [{ type: "rect", shape: box, style: { fill: KIND_COLORS[k[0]][Number(span[3][1])], stroke: ink.back,
          lineWidth: box.width > 3 ? 0.5 : 0 } }];
        if (box.width > 7 * span[4].length) children.push({ type: "text", style: { text: span[4], x: box.x + box.width / 2, y: from[1],
          textAlign: "center", textVerticalAlign: "middle", fill: "#111111", fontSize: 10 } });
        return { type: "group", children: children };
      } }));
    option.tooltip.trigger = "item";
    option.tooltip.formatter = (d) => escape(d.seriesName) + " of micro-batch " + escape(d.value[4]) + "<br>" + escape(p.rows[d.value[0]])
      + ", " + number(d.value[1]) + " to " + number(d.value[2]);
    return [option, 90 + Math.min(36, 700 / p.rows.length) * p.rows.length];
  };

  draw.intervals = function (p, ink, width) {
    const option = base(p, ink), room = Math.min(190, width * 0.38);
    option.xAxis = axis(p.x, ink, { scale: !p.x.zero, min: p.x.zero ? 0 : null, nameGap: 26, max: (range) => p.middle > range.max ? Number((p.middle * 1.05)
      .toPrecision(3)) : null, axisLabel: { color: ink.soft, hideOverlap: true, showMaxLabel: p.middle ? false : null } });
    option.yAxis = axis({}, ink, { type: "category", data: p.rows.map((r) => r[0]), inverse: true, splitLine: { show: false },
      axisLabel: Object.assign({ color: ink.soft }, LETTER * Math.max(...p.rows.map((r) => r[0].length)) > room
        ? { width: room, overflow: "break" } : {}) });
    option.grid = { left: 8, right: 24, top: p.middle_name ? 26 : 8, bottom: 28, containLabel: true };
    option.series = [{ type: "custom", data: p.rows.map((r, i) => [i, r[1], r[2]]), encode: { x: [1, 2], y: 0 },
      renderItem(params, api) {
        const row = p.rows[params.dataIndex], from = api.coord([row[1], params.dataIndex]), to = api.coord([row[2], params.dataIndex]);
        const high = Math.min(26, api.size([0, 1])[1] * 0.7);
        const children = [{ type: "rect", shape: { x: from[0], y: from[1] - high / 2, width: Math.max(1, to[0] - from[0]), height: high },
          style: { fill: ink.colors[0], opacity: 0.85 } }];
        if (row[3] !== false) {
          const middle = api.coord([row[3], params.dataIndex])[0];
          children.push({ type: "line", shape: { x1: middle, y1: from[1] - high / 2, x2: middle, y2: from[1] + high / 2 },
            style: { stroke: ink.back, lineWidth: 2 } });
        }
        return { type: "group", children: children };
      }, markLine: typeof p.middle === "number" ? { silent: true, symbol: "none",
        label: { show: !!p.middle_name, formatter: p.middle_name || "", color: ink.text, position: "start", rotate: 0 },
        lineStyle: { color: ink.text, type: "solid" }, data: [{ xAxis: p.middle }] } : undefined }];
    option.tooltip.trigger = "item";
    option.tooltip.formatter = (d) => { const row = p.rows[d.dataIndex];
      return "<b>" + escape(row[0]) + "</b> " + escape(row[4] || "") + "<br>" + number(row[1]) + " to " + number(row[2]); };
    return [option, 64 + (p.middle_name ? 18 : 0) + p.rows.length * 30];
  };

  const drawn = [];

  function show(i) {
    const box = document.getElementById("chart-" + (i + 1)), width = printing ? 680 : box.clientWidth;
    const made = draw[list[i].kind](list[i], inks(), width);
    box.style.height = made[1] + "px";
    if (drawn[i]) drawn[i].dispose();
    drawn[i] = window.echarts.init(box, null, { renderer: "svg", width: width, height: made[1] });
    drawn[i].setOption(made[0]);
    box.dataset.drawn = "yes";
  }

  function all() { list.forEach((_, i) => show(i)); }

  let waiting = 0, width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (printing || window.innerWidth === width) return;
    width = window.innerWidth;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(all);
  });
  darkness.addEventListener("change", all);
  let opened = [];
  window.addEventListener("beforeprint", () => {
    printing = true;
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((d) => { d.open = true; });
    all();
  });
  window.addEventListener("afterprint", () => {
    printing = false;
    opened.forEach((d) => { d.open = false; });
    all();
  });
  all();
})();
