// Written by `make report-build` from viewer/page/report.js: change that.
"use strict";
(() => {
  // viewer/page/clock.js
  var padded = (value, width = 2) => String(value).padStart(width, "0");
  var PARTS = {
    YYYY: (date) => String(date.getUTCFullYear()),
    MM: (date) => padded(date.getUTCMonth() + 1),
    DD: (date) => padded(date.getUTCDate()),
    HH: (date) => padded(date.getUTCHours()),
    mm: (date) => padded(date.getUTCMinutes()),
    ss: (date) => padded(date.getUTCSeconds()),
    SSS: (date) => padded(date.getUTCMilliseconds(), 3)
  };
  var isUtc = false;
  function tellUtc() {
    isUtc = true;
  }
  var clockDate = (ms) => new Date(isUtc ? ms : ms - new Date(ms).getTimezoneOffset() * 6e4);
  var tickDate = (s) => new Date(isUtc ? s * 1e3 + new Date(s * 1e3).getTimezoneOffset() * 6e4 : s * 1e3);
  function dateText(ms, form) {
    const date = clockDate(ms);
    if (Number.isNaN(date.getTime())) return "";
    return form.replace(/YYYY|MM|DD|HH|mm|SSS|ss/g, (part) => PARTS[part]?.(date) ?? part);
  }
  var fullText = (ms) => dateText(ms, "YYYY-MM-DD HH:mm:ss");
  function timeTickTexts(ticksS, incrementS) {
    if (incrementS >= 86400) return ticksS.map((tick) => dateText(tick * 1e3, "MM-DD"));
    const form = incrementS >= 60 ? "HH:mm" : incrementS >= 1 ? "HH:mm:ss" : "HH:mm:ss.SSS";
    const spansDays = (ticksS.at(-1) ?? 0) - (ticksS[0] ?? 0) > 86400;
    return ticksS.map((tick) => dateText(tick * 1e3, spansDays ? "MM-DD HH:mm" : form));
  }

  // viewer/page/colors.js
  var HUES = {
    red: ["#AD0317", "#C4162A", "#E02F44", "#F2495C", "#FF7383", "#FFA6B0"],
    orange: ["#E55400", "#FA6400", "#FF780A", "#FF9830", "#FFB357", "#FFCB7D"],
    yellow: ["#CC9D00", "#E0B400", "#F2CC0C", "#FADE2A", "#FFEE52", "#FFF899"],
    green: ["#19730E", "#37872D", "#56A64B", "#73BF69", "#96D98D", "#C8F2C2"],
    blue: ["#1250B0", "#1F60C4", "#3274D9", "#5794F2", "#8AB8FF", "#C0D8FF"],
    purple: ["#7C2EA3", "#8F3BB8", "#A352CC", "#B877D9", "#CA95E5", "#DEB6F2"]
  };
  var SHADES = ["dark-", "semi-dark-", "", "light-", "super-light-"];
  function named(theme2) {
    const first = theme2 === "dark" ? 1 : 0;
    return {
      text: theme2 === "dark" ? "#CCCCDC" : "#24292E",
      white: "#FFFFFF",
      black: "#000000",
      gray: theme2 === "dark" ? "#8E8E99" : "#75757F",
      transparent: "rgba(0,0,0,0)",
      ...Object.fromEntries(
        Object.entries(HUES).flatMap(
          ([hue, tones]) => SHADES.map((shade, index) => [shade + hue, tones[index + first] ?? ""])
        )
      )
    };
  }
  var COLORS = { dark: named("dark"), light: named("light") };
  var PALETTE = [
    "green",
    "semi-dark-yellow",
    "light-blue",
    "semi-dark-orange",
    "red",
    "blue",
    "purple",
    "#705DA0",
    "dark-green",
    "yellow",
    "#447EBC",
    "#C15C17",
    "#890F02",
    "#0A437C",
    "#6D1F62",
    "#584477",
    "#B7DBAB",
    "#F4D598",
    "#70DBED",
    "#F9BA8F",
    "#F29191",
    "#82B5D8",
    "#E5A8E2",
    "#AEA2E0"
  ];
  function cssColor(name, theme2) {
    return COLORS[theme2][name] ?? name;
  }
  function paletteColor(index, theme2) {
    return cssColor(PALETTE[index % PALETTE.length] ?? "green", theme2);
  }
  var IS_HEX = /^#[0-9a-fA-F]{6}$/;
  function withOpacity(color, opacity) {
    if (!IS_HEX.test(color)) return opacity > 0 ? color : "transparent";
    const [r, g, b] = partsOf(color);
    return `rgba(${r},${g},${b},${opacity})`;
  }
  var partsOf = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  function luminance(parts) {
    const [r = 0, g = 0, b = 0] = parts.map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  var MIN_CONTRAST = 4.8;
  function textColor(color, theme2) {
    if (!IS_HEX.test(color)) return color;
    const panel = luminance(partsOf(CANVAS[theme2].panel));
    const towards = theme2 === "dark" ? 255 : 0;
    let parts = partsOf(color);
    const contrast = (own) => (Math.max(own, panel) + 0.05) / (Math.min(own, panel) + 0.05);
    while (contrast(luminance(parts)) < MIN_CONTRAST) {
      parts = parts.map((part) => Math.round(part + (towards - part) * 0.08 + Math.sign(towards - part) * 0.5));
    }
    return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  }
  var CANVAS = {
    dark: {
      grid: "rgba(204,204,220,0.09)",
      axis: "rgba(204,204,220,0.75)",
      text: "#CCCCDC",
      panel: "#181B1F"
    },
    light: {
      grid: "rgba(36,41,46,0.1)",
      axis: "rgba(36,41,46,0.8)",
      text: "#24292E",
      panel: "#FFFFFF"
    }
  };

  // viewer/page/thresholds.js
  function thresholdColor(thresholds, value, scale = {}) {
    let color = thresholds?.steps[0]?.color ?? null;
    if (value === null) return color;
    for (const step of thresholds?.steps ?? []) {
      if (step.value !== null && value >= absolute(thresholds, step.value, scale)) color = step.color;
    }
    return color;
  }
  function absolute(thresholds, value, { min = 0, max = 100 }) {
    return thresholds?.mode === "percentage" ? min + (max - min) * value / 100 : value;
  }
  function limits(thresholds, scale = {}) {
    return (thresholds?.steps ?? []).flatMap(
      ({ value, color }) => value === null || value === void 0 ? [] : [{ from: absolute(thresholds, value, scale), color }]
    );
  }

  // viewer/page/field-config.js
  var MATCHERS = {
    byName: (name, field) => field.name === name,
    byFrameRefID: (refId, field) => field.refId === refId,
    byRegexp: (pattern, field) => regularExpression(pattern).test(field.name)
  };
  function regularExpression(text) {
    const [, pattern, flags] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
    return pattern === void 0 ? new RegExp(`^${text}$`) : new RegExp(pattern, flags);
  }
  function fieldConfig(panel, field) {
    const { defaults = {}, overrides = [] } = panel.fieldConfig ?? {};
    const config = { ...defaults, custom: { ...defaults.custom } };
    for (const { matcher, properties } of overrides) {
      if (!MATCHERS[matcher.id]?.(matcher.options, field)) continue;
      for (const { id, value } of properties) {
        if (id.startsWith("custom.")) config.custom[id.slice("custom.".length)] = value;
        else config[id] = value;
      }
    }
    return config;
  }
  function colorOf({ color, thresholds, min, max }, index, value, theme2) {
    if (color?.mode === "fixed") return cssColor(color.fixedColor ?? "text", theme2);
    if (color?.mode === "thresholds")
      return cssColor(thresholdColor(thresholds, value, { min, max }) ?? "text", theme2);
    return paletteColor(index, theme2);
  }

  // viewer/page/units.js
  function autoDecimals(value) {
    if (value % 1 === 0) return 0;
    const digits = Math.floor(Math.log10(Math.abs(value)));
    const leading = value / 10 ** (digits - 1);
    return Math.max(0, 1 - digits + (leading > 2.25 ? 1 : 0));
  }
  function fixed(value, decimals = autoDecimals(value)) {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value < 0 ? "-∞" : "∞";
    const rounded = Math.round(value * 10 ** decimals) / 10 ** decimals;
    return (rounded === 0 ? 0 : rounded).toFixed(decimals);
  }
  var plain = (suffix) => (value, decimals) => ({ text: fixed(value, decimals), suffix });
  var scaled = (factor, suffixes) => (value, decimals) => {
    const size = Math.abs(value);
    const power = size > 0 && Number.isFinite(size) ? Math.floor(Math.log(size) / Math.log(factor) + 1e-12) : 0;
    const step = Math.max(0, Math.min(suffixes.length - 1, power));
    return { text: fixed(value / factor ** step, decimals), suffix: suffixes[step] ?? "" };
  };
  var count = (unit) => scaled(
    1e3,
    ["", " K", " M", " B", " T"].map((prefix) => `${prefix} ${unit}`)
  );
  var metric = (unit) => scaled(
    1e3,
    ["", "k", "M", "G", "T", "P", "E"].map((prefix) => ` ${prefix}${unit}`)
  );
  var binary = (unit) => scaled(
    1024,
    ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((prefix) => ` ${prefix}${unit}`)
  );
  var TIME_STEPS = (
    /** @type {const} */
    [
      [31536e3, " year"],
      [604800, " week"],
      [86400, " day"],
      [3600, " hour"],
      [60, " min"],
      [1, " s"],
      [1e-3, " ms"],
      [1e-6, " µs"],
      [1e-9, " ns"]
    ]
  );
  var duration = (inSeconds, suffix) => (value, decimals) => {
    if (value === 0 || !Number.isFinite(value)) return { text: fixed(value, decimals), suffix };
    const s = Math.abs(value * inSeconds);
    const least = inSeconds === 1 ? 0 : inSeconds;
    const [size, text] = TIME_STEPS.find(([from]) => s >= from * (1 - 1e-12) || from <= least * (1 + 1e-12)) ?? /** @type {const} */
    [1e-9, " ns"];
    const scaledValue = Number((value * inSeconds / size).toPrecision(12));
    const plural = size >= 3600 && fixed(scaledValue, decimals) !== "1" ? "s" : "";
    return { text: fixed(scaledValue, decimals), suffix: text + plural };
  };
  var spoken = (inSeconds) => (value, decimals = 1) => {
    const names = ["year", "month", "week", "day", "hour", "minute", "second", "millisecond"];
    const sizes = [31536e3, 2592e3, 604800, 86400, 3600, 60, 1, 1e-3];
    let rest = Math.abs(value * inSeconds);
    const parts = [];
    for (const [index, size] of sizes.entries()) {
      const whole = Math.floor(rest / size + 1e-9);
      if (parts.length === 0 && whole < 1) continue;
      parts.push(`${whole} ${names[index]}${whole === 1 ? "" : "s"}`);
      rest -= whole * size;
      if (parts.length > decimals) break;
    }
    return { text: parts.length > 0 ? parts.join(", ") : "0 seconds", suffix: value < 0 ? " ago" : "" };
  };
  var FORMATS = {
    none: plain(""),
    string: (value) => ({ text: String(value), suffix: "" }),
    short: scaled(1e3, ["", " K", " Mil", " Bil", " Tri", " Quadr", " Quint", " Sext", " Sept"]),
    percent: plain("%"),
    percentunit: (value, decimals) => ({
      text: fixed(Number((value * 100).toPrecision(12)), decimals),
      suffix: "%"
    }),
    bytes: binary("B"),
    decbytes: metric("B"),
    bits: binary("b"),
    Bps: metric("B/s"),
    binBps: binary("B/s"),
    bps: metric("b/s"),
    pps: metric("p/s"),
    hertz: metric("Hz"),
    reqps: count("req/s"),
    ops: count("ops/s"),
    cps: count("c/s"),
    rps: count("rd/s"),
    wps: count("wr/s"),
    iops: count("io/s"),
    ns: duration(1e-9, " ns"),
    µs: duration(1e-6, " µs"),
    ms: duration(1e-3, " ms"),
    s: duration(1, " s"),
    m: duration(60, " min"),
    h: duration(3600, " hour"),
    d: duration(86400, " day"),
    dtdurations: spoken(1),
    dtdurationms: spoken(1e-3),
    dateTimeAsIso: (value) => ({ text: dateText(value, "YYYY-MM-DD HH:mm:ss"), suffix: "" })
  };
  function formatOf(unit) {
    if (!unit) return plain("");
    const known2 = FORMATS[unit];
    if (known2) return known2;
    const [, kind, rest = ""] = /^(time|suffix|prefix):(.+)$/.exec(unit) ?? [];
    if (kind === "time") return (value) => ({ text: dateText(value, rest), suffix: "" });
    if (kind === "prefix") return (value, decimals) => ({ text: rest + fixed(value, decimals), suffix: "" });
    return plain(` ${kind === "suffix" ? rest : unit}`);
  }
  function format(value, unit, decimals) {
    if (value === null) return "";
    const { text, suffix } = formatOf(unit)(value, decimals);
    return text + suffix;
  }
  var MOST_DECIMALS = 4;
  function tickTexts(ticks, unit, decimals) {
    const formatTick = formatOf(unit);
    if (decimals !== void 0) return ticks.map((tick) => format(tick, unit, decimals));
    const needed = /* @__PURE__ */ new Map();
    for (const tick of ticks) {
      const { suffix, text } = formatTick(tick, MOST_DECIMALS);
      const used = /\.(\d*?)0*$/.exec(text)?.[1]?.length ?? 0;
      needed.set(suffix, Math.max(needed.get(suffix) ?? 0, used));
    }
    return ticks.map((tick) => {
      const { suffix } = formatTick(tick, MOST_DECIMALS);
      return format(tick, unit, tick === 0 ? 0 : needed.get(suffix));
    });
  }
  function logarithmicStart(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return Number((Math.floor(least / power + 1e-9) * power).toPrecision(1));
  }
  function sparseTickTexts(ticks, unit, decimals) {
    const shown = ticks.filter((tick) => tick !== null);
    const texts = tickTexts(shown, unit, decimals);
    return ticks.map((tick) => tick === null ? null : texts.shift() ?? "");
  }

  // viewer/page/element.js
  function element(tag, properties = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (value === void 0 || value === null) continue;
      if (name === "class") made.className = value;
      else if (name === "dataset") Object.assign(made.dataset, value);
      else if (name === "style") Object.assign(made.style, value);
      else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (name.includes("-") || name === "role") made.setAttribute(name, String(value));
      else Object.assign(made, { [name]: value });
    }
    made.append(...children.filter((child) => child !== null));
    return made;
  }
  function setText(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  // viewer/page/tooltip.js
  var MAX_ROWS = 16;
  var DISTANCE = 16;
  var box = element("div", { class: "tooltip", role: "presentation", hidden: true });
  function showTooltip({ x, y }, { heading, rows, marks = [] }) {
    if (!box.isConnected) document.body.append(box);
    const shown = rows.slice(0, MAX_ROWS);
    box.replaceChildren(
      element("div", { class: "tooltip-heading" }, heading),
      ...marks.map(
        ({ title, text, color }) => element(
          "div",
          { class: "tooltip-mark", style: { borderLeftColor: color } },
          element("b", {}, title),
          text ? ` ${text}` : ""
        )
      ),
      ...shown.map(
        ({ color, name, value }) => element(
          "div",
          { class: "tooltip-row" },
          element("i", { style: { background: color } }),
          element("span", {}, name),
          element("b", {}, value)
        )
      ),
      rows.length > shown.length ? element("div", { class: "tooltip-more" }, `and ${rows.length - shown.length} more`) : ""
    );
    box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = box;
    const left = x + DISTANCE + width > window.innerWidth ? x - DISTANCE - width : x + DISTANCE;
    const top = Math.min(y + DISTANCE, window.innerHeight - height - 4);
    box.style.transform = `translate(${Math.max(4, Math.round(left))}px, ${Math.max(4, Math.round(top))}px)`;
  }
  function hideTooltip() {
    box.hidden = true;
  }

  // viewer/page/render/chart.js
  var UPlot = (
    /** @type {typeof import('uplot')} */
    /** @type {any} */
    globalThis.uPlot
  );
  var FONT = '11px Inter, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
  var MIN_SELECTION = 8;
  var NEAR = 6;
  var LABEL_GAP = 8;
  var LABEL_HEIGHT = 12;
  var NUMBERED = /^\S+-(\d+)$/;
  var crosshair = UPlot.sync("dashboard");
  function chartOptions({ scene, hooks, tooltip, series, scales, axes, bands, under, over }) {
    const { theme: theme2, width, height } = scene();
    const { grid, axis: stroke } = CANVAS[theme2];
    let isHovered = false;
    const point = (plot) => {
      const { left = -1, top = -1, idx } = plot.cursor;
      if (!isHovered) return;
      const content = left >= 0 && idx !== null && idx !== void 0 ? tooltip(plot, idx) : null;
      const marks = marksAt(plot, scene(), left);
      if (left < 0 || !content && marks.length === 0) return hideTooltip();
      const { left: x, top: y } = plot.over.getBoundingClientRect();
      const heading = content?.heading ?? fullText(plot.posToVal(left, "x") * 1e3);
      showTooltip({ x: x + left, y: y + top }, { heading, rows: content?.rows ?? [], marks });
    };
    return {
      width,
      height,
      bands,
      tzDate: tickDate,
      padding: [8, PADDING_RIGHT, 0, 0],
      legend: { show: false },
      cursor: {
        drag: { x: true, y: false, setScale: false },
        points: { size: 7, width: 0 },
        sync: {
          key: crosshair.key,
          scales: ["x", null],
          // A range is dragged in one chart alone.
          filters: { pub: (type) => type === "mousemove" || type === "mouseleave" }
        }
      },
      scales: {
        x: { time: true, range: () => [scene().range.fromS, scene().range.toS] },
        ...scales
      },
      series: [{}, ...series],
      axes: [
        {
          stroke,
          font: FONT,
          size: 24,
          gap: 4,
          space: 70,
          grid: { stroke: grid, width: 1 },
          ticks: { show: false },
          values: (plot, ticks, _axis, _space, increment) => withinChart(plot, ticks, timeTickTexts(ticks, increment))
        },
        ...axes
      ],
      hooks: {
        drawAxes: under ? [under] : [],
        draw: [
          (plot) => {
            over?.(plot);
            drawMarks(plot, scene());
          }
        ],
        setCursor: [point],
        ready: [
          (plot) => {
            plot.over.addEventListener("mouseenter", () => {
              isHovered = true;
            });
            plot.over.addEventListener("mouseleave", () => {
              isHovered = false;
              hideTooltip();
            });
          }
        ],
        setSelect: [
          (plot) => {
            const { left, width: selected } = plot.select;
            if (selected >= MIN_SELECTION) {
              hooks.zoom({ fromS: plot.posToVal(left, "x"), toS: plot.posToVal(left + selected, "x") });
            }
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          }
        ]
      }
    };
  }
  var PADDING_RIGHT = 8;
  function widthOf({ ctx }, text) {
    ctx.save();
    ctx.font = FONT;
    const { width } = ctx.measureText(text);
    ctx.restore();
    return width;
  }
  function withinChart(plot, ticks, texts) {
    const width = plot.bbox.width / UPlot.pxRatio;
    const { min = 0, max = 1 } = plot.scales.x ?? {};
    return ticks.map((tick, index) => {
      const text = texts[index] ?? "";
      const half = widthOf(plot, text) / 2;
      const x = (tick - (min ?? 0)) / ((max ?? 1) - (min ?? 0)) * width;
      return width > 0 && (x < half || x > width - half + PADDING_RIGHT) ? null : text;
    });
  }
  function valueAxis(theme2, axis) {
    const { grid, axis: stroke } = CANVAS[theme2];
    return {
      stroke,
      font: FONT,
      gap: 6,
      // As many as are read with ease, whatever the height.
      space: (_plot, _axis, _min, _max, pixels) => Math.max(26, pixels / 9),
      grid: { stroke: grid, width: 1 },
      ticks: { show: false },
      size: (plot, values) => 14 + Math.max(0, ...(values ?? []).map((text) => widthOf(plot, text ?? ""))),
      ...axis
    };
  }
  function marksAt(plot, { marks, theme: theme2 }, left) {
    return marks.filter(
      ({ fromS, toS }) => left >= plot.valToPos(fromS, "x") - NEAR && left <= plot.valToPos(toS, "x") + NEAR
    ).map(({ title, text, color, fromS, toS }) => ({
      title,
      text: [
        text,
        toS > fromS ? `${fullText(fromS * 1e3)} to ${fullText(toS * 1e3)}` : fullText(fromS * 1e3)
      ].filter((part) => part !== "").join(", "),
      color: cssColor(color, theme2)
    }));
  }
  function clipToPlot({ ctx, bbox }) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
  }
  function drawMarks(plot, { marks, theme: theme2 }) {
    const { ctx, bbox } = plot;
    const ratio = UPlot.pxRatio;
    clipToPlot(plot);
    ctx.font = FONT.replace("11px", `${10 * ratio}px`);
    ctx.textBaseline = "top";
    ctx.textAlign = "left";
    ctx.lineWidth = ratio;
    const placed = marks.map((mark) => ({
      ...mark,
      left: Math.round(plot.valToPos(mark.fromS, "x", true)),
      right: Math.round(plot.valToPos(mark.toS, "x", true))
    })).filter(({ left, right }) => right >= bbox.left && left <= bbox.left + bbox.width).sort((a, b) => a.left - b.left);
    for (const { color: name, left, right } of placed) {
      const color = cssColor(name, theme2);
      if (right > left) {
        ctx.fillStyle = withOpacity(color, 0.1);
        ctx.fillRect(left, bbox.top, right - left, bbox.height);
      }
      ctx.strokeStyle = withOpacity(color, 0.8);
      ctx.setLineDash([4 * ratio, 3 * ratio]);
      for (const x of right > left ? [left, right] : [left]) {
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
      }
    }
    for (const line of [0, 1]) {
      labelMarks(
        plot,
        placed.filter((mark) => (mark.line ?? 0) === line),
        theme2,
        bbox.top + line * LABEL_HEIGHT * ratio
      );
    }
    ctx.restore();
  }
  function labelMarks({ ctx, bbox }, marks, theme2, top) {
    const ratio = UPlot.pxRatio;
    let labelled = bbox.left;
    for (const { title, color: name, left } of marks) {
      const next = Math.min(
        bbox.left + bbox.width,
        ...marks.filter((one) => one.left > left).map((one) => one.left)
      );
      const text = [title, NUMBERED.exec(title)?.[1]].find(
        (one) => one !== void 0 && ctx.measureText(one).width + LABEL_GAP * ratio <= next - left
      );
      if (left < labelled || text === void 0) continue;
      const labelWidth = ctx.measureText(text).width;
      const x = left + 3 * ratio;
      labelled = x + labelWidth + LABEL_GAP * ratio;
      ctx.fillStyle = withOpacity(CANVAS[theme2].panel, 0.75);
      ctx.fillRect(x - ratio, top, labelWidth + 3 * ratio, LABEL_HEIGHT * ratio);
      ctx.fillStyle = textColor(cssColor(name, theme2), theme2);
      ctx.fillText(text, x, top + ratio);
    }
  }

  // viewer/page/render/bars.js
  var WIDTH = 0.8;
  function bars(bottom) {
    return (plot, seriesIndex, from, to) => {
      const times = plot.data[0];
      const values = (
        /** @type {(number | null)[]} */
        plot.data[seriesIndex] ?? []
      );
      const scale = plot.series[seriesIndex]?.scale ?? "y";
      const bottoms = bottom();
      const apart = times.length > 1 ? plot.valToPos(times[1] ?? 0, "x", true) - plot.valToPos(times[0] ?? 0, "x", true) : 10;
      const width = Math.max(UPlot.pxRatio, Math.min(apart * WIDTH, 40 * UPlot.pxRatio));
      const path = new Path2D();
      const floor = plot.bbox.top + plot.bbox.height;
      for (let index = from; index <= to; index++) {
        const value = values[index];
        if (value === null || value === void 0) continue;
        const x = plot.valToPos(times[index] ?? 0, "x", true);
        const top = plot.valToPos(value, scale, true);
        const base = Math.min(floor, plot.valToPos(bottoms?.[index] ?? 0, scale, true));
        path.rect(x - width / 2, Math.min(top, base), width, Math.abs(base - top));
      }
      return { stroke: path, fill: path, flags: 1 };
    };
  }

  // viewer/page/reduce.js
  var known = (values) => (
    /** @type {number[]} */
    values.filter((value) => value !== null)
  );
  var sum = (values) => values.reduce((total, value) => total + value, 0);
  var CALCS = {
    lastNotNull: { text: "Last", of: (values) => values.findLast((value) => value !== null) ?? null },
    last: { text: "Last", of: (values) => values.at(-1) ?? null },
    firstNotNull: { text: "First", of: (values) => values.find((value) => value !== null) ?? null },
    first: { text: "First", of: (values) => values[0] ?? null },
    mean: {
      text: "Mean",
      of: (values) => {
        const all = known(values);
        return all.length > 0 ? sum(all) / all.length : null;
      }
    },
    max: { text: "Max", of: (values) => extreme(values, (a, b) => a > b) },
    min: { text: "Min", of: (values) => extreme(values, (a, b) => a < b) },
    sum: { text: "Total", of: (values) => known(values).length > 0 ? sum(known(values)) : null },
    count: { text: "Count", of: (values) => known(values).length },
    range: {
      text: "Range",
      of: (values) => {
        const [most, least] = [extreme(values, (a, b) => a > b), extreme(values, (a, b) => a < b)];
        return most === null || least === null ? null : most - least;
      }
    },
    diff: {
      text: "Difference",
      of: (values) => {
        const all = known(values);
        return all.length > 0 ? (all.at(-1) ?? 0) - (all[0] ?? 0) : null;
      }
    }
  };
  function extreme(values, isMore) {
    let found = null;
    for (const value of values) if (value !== null && (found === null || isMore(value, found))) found = value;
    return found;
  }
  var calcText = (calc) => CALCS[calc]?.text ?? calc;
  var reduce = (calc, values) => CALCS[calc]?.of(values) ?? null;

  // viewer/page/render/legend-table.js
  var LINE_HEIGHT = 20;
  var MOST = 0.36;
  var Legend = class {
    element = element("div", { class: "legend" });
    #redraw;
    /** @type {Set<string>} names of series */
    #hidden = /* @__PURE__ */ new Set();
    /** What the rows were made for. */
    #built = "";
    /** What its lines were counted for. */
    #looked = "";
    #lines = 1;
    /** @type {{values: Node[], swatch: HTMLElement, row: HTMLElement, button: HTMLElement}[]} */
    #rows = [];
    /** @type {string[]} */
    #names = [];
    /** @param {() => void} redraw */
    constructor(redraw) {
      this.#redraw = redraw;
    }
    /** @param {string} name */
    isShown(name) {
      return !this.#hidden.has(name);
    }
    /**
     * @param {{showLegend?: boolean, displayMode?: string, calcs?: string[]} | undefined} options
     * @param {import('./timeseries.js').Line[]} lines
     * @param {{width: number, height: number}} size of the panel
     * @returns {number} pixels that it takes
     */
    draw({ showLegend = true, displayMode = "list", calcs = [] } = {}, lines, { width, height }) {
      this.#names = lines.map(({ name }) => name);
      if (this.#names.every((name) => this.#hidden.has(name))) this.#hidden.clear();
      const isTable = displayMode === "table";
      if (!showLegend || displayMode === "hidden" || lines.length === 0) {
        this.element.hidden = true;
        return 0;
      }
      this.element.hidden = false;
      const structure = JSON.stringify([isTable, calcs, this.#names]);
      if (structure !== this.#built) {
        this.#built = structure;
        this.#build(isTable, calcs);
      }
      for (const [index, { name, color, values, config }] of lines.entries()) {
        const row = this.#rows[index];
        if (!row) continue;
        if (row.swatch.style.background !== color) row.swatch.style.background = color;
        row.row.classList.toggle("off", this.#hidden.has(name));
        row.button.setAttribute("aria-pressed", String(!this.#hidden.has(name)));
        for (const [at, calc] of calcs.entries()) {
          const node = row.values[at];
          const value = format(reduce(calc, values), config.unit, config.decimals);
          if (node) setText(node, isTable ? value : `${calcText(calc)}: ${value}`);
        }
      }
      const room = Math.max(2, Math.floor(height * MOST / LINE_HEIGHT));
      const taken = Math.min(isTable ? lines.length + 1 : this.#listLines(width), room) * LINE_HEIGHT + 4;
      this.element.style.height = `${taken}px`;
      return taken;
    }
    /** @param {number} width @returns {number} lines that a list takes; to look is to lay the page out, so it is done once */
    #listLines(width) {
      const looked = `${this.#built} ${width}`;
      if (looked !== this.#looked) {
        this.#looked = looked;
        this.#lines = Math.max(
          1,
          Math.round((this.element.firstElementChild?.clientHeight ?? 0) / LINE_HEIGHT)
        );
      }
      return this.#lines;
    }
    /** @param {boolean} isTable @param {string[]} calcs */
    #build(isTable, calcs) {
      this.#rows = this.#names.map((name) => {
        const swatch = element("i", { class: "swatch" });
        const button = element(
          "button",
          {
            type: "button",
            title: `${name}: click for this one alone, with Ctrl to hide it`,
            onclick: (event) => this.#choose(name, event.ctrlKey || event.metaKey || event.shiftKey)
          },
          swatch,
          element("span", {}, name)
        );
        const values = calcs.map(() => document.createTextNode(""));
        const row = isTable ? element(
          "tr",
          {},
          element("th", { scope: "row" }, button),
          ...values.map((node) => element("td", {}, node))
        ) : element(
          "span",
          { class: "legend-item" },
          button,
          ...values.map((node) => element("span", {}, node))
        );
        return { values, swatch, row, button };
      });
      const rows = this.#rows.map(({ row }) => row);
      this.element.replaceChildren(
        isTable ? element(
          "table",
          {},
          element(
            "thead",
            {},
            element(
              "tr",
              {},
              element("th", { scope: "col" }, element("span", { class: "visually-hidden" }, "Series")),
              ...calcs.map((calc) => element("th", { scope: "col" }, calcText(calc)))
            )
          ),
          element("tbody", {}, ...rows)
        ) : element("div", { class: "legend-list" }, ...rows)
      );
    }
    /** @param {string} name @param {boolean} one hide or show it, and leave the others */
    #choose(name, one) {
      if (one) {
        if (!this.#hidden.delete(name)) this.#hidden.add(name);
      } else {
        const others = this.#names.filter((other) => other !== name);
        const isAlone = !this.#hidden.has(name) && others.every((other) => this.#hidden.has(other)) && others.length > 0;
        this.#hidden = new Set(isAlone ? [] : others);
      }
      this.#redraw();
    }
  };

  // viewer/page/render/stacking.js
  function stacked(lines) {
    const heights = /* @__PURE__ */ new Map();
    const tops = [];
    const bottoms = [];
    for (const { values, scale, config } of lines) {
      const { mode, group } = config.custom.stacking ?? {};
      if (mode !== "normal") {
        tops.push(values);
        bottoms.push(null);
        continue;
      }
      const key = `${scale} ${group}`;
      const below = heights.get(key);
      const above = values.map((value, index) => (below?.[index] ?? 0) + (value ?? 0));
      tops.push(values.map((value, index) => value === null ? null : above[index] ?? null));
      bottoms.push(below ?? null);
      heights.set(key, above);
    }
    return { tops, bottoms };
  }

  // viewer/page/render/timeseries.js
  var BINARY_INCREMENTS = Array.from({ length: 60 }, (_, power) => 2 ** power);
  function mountTimeSeries(body, hooks) {
    let plot = null;
    let current = null;
    let built = "";
    let lines = [];
    const legend = new Legend(hooks.redraw);
    const chart = document.createElement("div");
    chart.className = "chart";
    body.replaceChildren(chart, legend.element);
    const scene = () => (
      /** @type {import('../scene.js').Scene} */
      current
    );
    function draw(next) {
      const { panel, data: data2, theme: theme2 } = next;
      const all = linesOf(panel, data2.frames, theme2);
      const legendHeight = legend.draw(panel.options?.legend, all, next);
      current = { ...next, height: Math.max(60, next.height - legendHeight) };
      lines = all.filter(({ name }) => legend.isShown(name));
      const values = stacked(lines);
      const structure = JSON.stringify([theme2, panel.fieldConfig, lines.map(({ values: _, ...line }) => line)]);
      const drawn = (
        /** @type {import('uplot').AlignedData} */
        [data2.times, ...values.tops]
      );
      if (plot && structure === built) {
        if (plot.width !== current.width || plot.height !== current.height) plot.setSize(current);
        bottoms = values.bottoms;
        plot.setData(drawn);
        return;
      }
      plot?.destroy();
      built = structure;
      bottoms = values.bottoms;
      plot = new UPlot(options(next), drawn, chart);
    }
    let bottoms = [];
    function options({ panel, theme: theme2 }) {
      const scales = [...new Map(lines.map((line) => [line.scale, line])).values()];
      return chartOptions({
        scene,
        hooks,
        series: lines.map((line, index) => seriesOptions(line, () => bottoms[index] ?? null)),
        scales: Object.fromEntries(scales.map(({ scale, config }) => [scale, scaleOptions(config)])),
        axes: scales.map(
          ({ scale, side, config }, index) => valueAxis(theme2, {
            scale,
            side: side === "right" ? 1 : 3,
            ...index > 0 && { grid: { show: false } },
            ...config.custom.axisWidth && { size: config.custom.axisWidth },
            ...config.unit === "bytes" && !isLogarithmic(config) && { incrs: BINARY_INCREMENTS },
            values: (_plot, ticks) => sparseTickTexts(ticks, config.unit, config.decimals)
          })
        ),
        bands: bandsOf(lines),
        under: (drawn) => drawThresholds(drawn, fieldConfig(panel, { name: "", refId: "" }), lines[0]?.scale, theme2),
        tooltip: (_drawn, index) => tooltipAt(panel, lines, index)
      });
    }
    return {
      draw,
      destroy() {
        plot?.destroy();
        plot = null;
      }
    };
  }
  function linesOf(panel, frames, theme2) {
    let first = null;
    return frames.map(({ name, refId, values }, index) => {
      const config = fieldConfig(panel, { name, refId });
      const { unit = "", min, max } = config;
      const placement = config.custom.axisPlacement ?? "auto";
      const scale = JSON.stringify([
        unit,
        min,
        max,
        placement === "right",
        config.custom.scaleDistribution ?? null
      ]);
      first ??= scale;
      const side = placement === "right" || placement === "auto" && scale !== first ? "right" : "left";
      return {
        name: config.displayName ?? name,
        values,
        color: colorOf(config, index, null, theme2),
        scale,
        side,
        config
      };
    });
  }
  var isLogarithmic = ({ custom }) => custom.scaleDistribution?.type === "log";
  function seriesOptions({ name, color, scale, values: _, config: { custom } }, bottom) {
    const isBar = custom.drawStyle === "bars";
    const opacity = (custom.fillOpacity ?? 0) / 100;
    return {
      label: name,
      scale,
      stroke: color,
      width: isBar ? 0 : (custom.lineWidth ?? 1) * 0.75,
      fill: opacity > 0 ? withOpacity(color, isBar ? Math.max(opacity, 0.6) : opacity) : void 0,
      spanGaps: custom.spanNulls === true,
      ...custom.lineStyle?.fill === "dash" && {
        dash: (custom.lineStyle.dash ?? [10, 10]).map((part) => part * 0.6)
      },
      ...custom.lineStyle?.fill === "dot" && { dash: [1, 4], cap: "round" },
      points: pointsOf(custom, color, isBar),
      paths: isBar ? bars(bottom) : pathsOf(custom.lineInterpolation)
    };
  }
  function pathsOf(interpolation) {
    const { linear, stepped, spline } = UPlot.paths;
    if (interpolation === "stepAfter") return stepped?.({ align: 1 });
    if (interpolation === "stepBefore") return stepped?.({ align: -1 });
    return interpolation === "smooth" ? spline?.() : linear?.();
  }
  function pointsOf({ showPoints = "auto", pointSize = 5, drawStyle }, color, isBar) {
    if (isBar || showPoints === "never" && drawStyle !== "points") return { show: false };
    const dot = { size: pointSize, fill: color };
    if (showPoints === "always" || drawStyle === "points") return { ...dot, show: true };
    return {
      ...dot,
      // A sample with none beside it makes no line.
      show: true,
      filter: (plot, series, show, gaps) => {
        void show;
        void gaps;
        const values = (
          /** @type {(number | null)[]} */
          plot.data[series] ?? []
        );
        const alone = [];
        for (const [index, value] of values.entries()) {
          if (value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null)
            alone.push(index);
        }
        return alone;
      }
    };
  }
  function scaleOptions(config) {
    const { min: hardMin, max: hardMax } = config;
    if (isLogarithmic(config)) {
      return {
        distr: 3,
        log: 10,
        range: (_plot, min, max) => {
          if (!(max > 0)) return [1e-3, 1];
          const least = min > 0 ? min : max / 1e3;
          return [
            hardMin && hardMin > 0 ? hardMin : logarithmicStart(least),
            hardMax ?? Math.max(max * 1.2, least * 10)
          ];
        }
      };
    }
    return {
      range: (_plot, min, max) => {
        if (min === null || min === void 0) return [hardMin ?? 0, hardMax ?? 1];
        if (min === 0 && max === 0) return [hardMin ?? 0, hardMax ?? 1];
        const [low, high] = UPlot.rangeNum(min, max, {
          min: { pad: 0.1, soft: 0, mode: 3, hard: hardMin ?? Number.NEGATIVE_INFINITY },
          max: { pad: 0.1, soft: 0, mode: 3, hard: hardMax ?? Number.POSITIVE_INFINITY }
        });
        return [hardMin ?? low, hardMax ?? high];
      }
    };
  }
  function bandsOf(lines) {
    const below = /* @__PURE__ */ new Map();
    const bands = [];
    for (const [index, { scale, config }] of lines.entries()) {
      const { stacking, drawStyle } = config.custom;
      if (stacking?.mode !== "normal" || drawStyle === "bars") continue;
      const group = `${scale} ${stacking.group}`;
      const lower = below.get(group);
      if (lower !== void 0) bands.push({ series: [index + 1, lower + 1] });
      below.set(group, index);
    }
    return bands;
  }
  function drawThresholds(plot, config, scale, theme2) {
    const mode = config.custom.thresholdsStyle?.mode ?? "off";
    if (mode === "off" || !scale || !config.thresholds) return;
    const { ctx, bbox } = plot;
    const ratio = UPlot.pxRatio;
    clipToPlot(plot);
    if (mode.includes("area")) {
      const { steps } = config.thresholds;
      for (const [index, step] of steps.entries()) {
        const from = step.value === null ? bbox.top + bbox.height : plot.valToPos(absolute(config.thresholds, step.value, config), scale, true);
        const above = steps[index + 1]?.value;
        const to = above === void 0 || above === null ? bbox.top : plot.valToPos(absolute(config.thresholds, above, config), scale, true);
        ctx.fillStyle = withOpacity(cssColor(step.color, theme2), 0.1);
        ctx.fillRect(bbox.left, to, bbox.width, from - to);
      }
    }
    if (mode !== "area") {
      ctx.setLineDash(mode.startsWith("dashed") ? [8 * ratio, 6 * ratio] : []);
      ctx.lineWidth = 1.5 * ratio;
      for (const { from, color } of limits(config.thresholds, config)) {
        const y = Math.round(plot.valToPos(from, scale, true));
        ctx.strokeStyle = withOpacity(cssColor(color, theme2), 0.75);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
      }
    }
    ctx.restore();
  }
  function tooltipAt(panel, lines, index) {
    const { mode = "single", sort = "none" } = panel.options?.tooltip ?? {};
    if (mode === "none") return null;
    const known2 = lines.flatMap(({ name, color, values, config }) => {
      const value = values[index] ?? null;
      return value === null ? [] : [{ name, color, value, text: format(value, config.unit, config.decimals) }];
    });
    if (sort !== "none") known2.sort((a, b) => sort === "desc" ? b.value - a.value : a.value - b.value);
    return { rows: known2.map(({ name, color, text }) => ({ name, color, value: text })) };
  }

  // viewer/page/report.js
  var PAPER = { width: 660, height: 150 };
  var systemIsDark = matchMedia("(prefers-color-scheme: dark)");
  var root = document.documentElement;
  function theme() {
    const { theme: chosen } = root.dataset;
    if (chosen === "dark" || chosen === "light") return chosen;
    return systemIsDark.matches ? "dark" : "light";
  }
  var Charts = class {
    #data;
    #range;
    #isOnPaper = false;
    /** @type {{body: HTMLElement, renderer: import('./scene.js').Renderer, scene: Pick<import('./scene.js').Scene, 'panel' | 'data' | 'marks'>}[]} */
    #charts;
    /** @param {ReportData} data @param {(isZoomed: boolean) => void} onZoom */
    constructor(data2, onZoom) {
      const { startS, stepS, count: count2, series, phases, charts: charts2 } = data2;
      const times = Array.from({ length: count2 }, (_, index) => startS + index * stepS);
      this.#data = data2;
      this.#range = this.whole;
      this.#charts = charts2.flatMap(({ id, panel, lines, marks }) => {
        const body = (
          /** @type {HTMLElement | null} */
          document.getElementById(id)?.querySelector(".plot") ?? null
        );
        if (!body) return [];
        const frames = lines.map(({ series: refId, name }) => ({
          refId,
          name,
          labels: {},
          values: series[refId] ?? []
        }));
        const renderer = mountTimeSeries(body, {
          zoom: (range) => {
            this.show(range);
            onZoom(true);
          },
          redraw: () => this.draw()
        });
        const scene = { panel, data: { times, stepS, frames, tables: [] }, marks: [...phases, ...marks] };
        return [{ body, renderer, scene }];
      });
      document.addEventListener("dblclick", ({ target }) => {
        if (!(target instanceof Element) || !target.closest(".plot")) return;
        this.show(this.whole);
        onZoom(false);
      });
    }
    /** @returns {import('./time-range.js').Range} */
    get whole() {
      const { startS, stepS, count: count2 } = this.#data;
      return { fromS: startS, toS: startS + Math.max(1, count2 - 1) * stepS };
    }
    /** @param {import('./time-range.js').Range} range */
    show(range) {
      this.#range = range;
      this.draw();
    }
    /** @param {boolean} isOnPaper */
    setPaper(isOnPaper) {
      this.#isOnPaper = isOnPaper;
      this.draw();
    }
    draw() {
      const sizes = this.#charts.map(({ body }) => ({ width: body.clientWidth, height: body.clientHeight }));
      for (const [index, { renderer, scene }] of this.#charts.entries()) {
        const { width = 0, height = 0 } = this.#isOnPaper ? PAPER : sizes[index] ?? {};
        renderer.draw({
          ...scene,
          range: this.#range,
          theme: this.#isOnPaper ? "light" : theme(),
          width,
          height
        });
      }
    }
  };
  function watch(charts2, { phases }) {
    let drawnAt = root.clientWidth;
    window.addEventListener("resize", () => {
      if (root.clientWidth === drawnAt) return;
      drawnAt = root.clientWidth;
      requestAnimationFrame(() => charts2.draw());
    });
    window.addEventListener("beforeprint", () => charts2.setPaper(true));
    window.addEventListener("afterprint", () => charts2.setPaper(false));
    zoom?.addEventListener("change", () => {
      const phase = phases[Number(zoom.value)];
      charts2.show(zoom.value === "" || !phase ? charts2.whole : phase);
    });
  }
  var toggle = document.getElementById("theme");
  var zoom = (
    /** @type {HTMLSelectElement | null} */
    document.getElementById("zoom")
  );
  var data = JSON.parse(document.getElementById("data")?.textContent ?? "null");
  tellUtc();
  var charts = data && new Charts(data, (isZoomed) => {
    if (!zoom) return;
    if (isZoomed) zoom.selectedIndex = -1;
    else zoom.value = "";
  });
  toggle?.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    charts?.draw();
  });
  systemIsDark.addEventListener("change", () => charts?.draw());
  if (charts && data) {
    charts.draw();
    watch(charts, data);
  }
  for (const one of document.querySelectorAll("[data-scripted]")) one.removeAttribute("hidden");
  for (const one of document.querySelectorAll("[data-unscripted]")) one.remove();
  document.body.dataset.state = "ready";
})();
