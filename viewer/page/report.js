/** The page of a report: draws the charts of the data that came with it, on one time axis. It asks nobody for anything. */
import { tellUtc } from './clock.js';
import { mountTimeSeries } from './render/timeseries.js';

/** A chart on paper, in pixels: as wide as A4 is between its margins, as high as the print style has it. */
const PAPER = { width: 660, height: 150 };

/** @typedef {import('./report-data.js').ReportData} ReportData */

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const root = document.documentElement;

/** @returns {import('./colors.js').ThemeName} what the reader sees now */
function theme() {
  const { theme: chosen } = root.dataset;
  if (chosen === 'dark' || chosen === 'light') return chosen;
  return systemIsDark.matches ? 'dark' : 'light';
}

/** All charts of the page, with what they have in common. */
class Charts {
  #data;
  #range;
  #isOnPaper = false;
  /** @type {{body: HTMLElement, renderer: import('./scene.js').Renderer, scene: Pick<import('./scene.js').Scene, 'panel' | 'data' | 'marks'>}[]} */
  #charts;

  /** @param {ReportData} data @param {(isZoomed: boolean) => void} onZoom */
  constructor(data, onZoom) {
    const { startS, stepS, count, series, phases, charts } = data;
    const times = Array.from({ length: count }, (_, index) => startS + index * stepS);
    this.#data = data;
    this.#range = this.whole;
    this.#charts = charts.flatMap(({ id, panel, lines, marks }) => {
      const body = /** @type {HTMLElement | null} */ (
        document.getElementById(id)?.querySelector('.plot') ?? null
      );
      if (!body) return [];
      const frames = lines.map(({ series: refId, name }) => ({
        refId,
        name,
        labels: {},
        values: series[refId] ?? [],
      }));
      const renderer = mountTimeSeries(body, {
        zoom: (range) => {
          this.show(range);
          onZoom(true);
        },
        redraw: () => this.draw(),
      });
      const scene = { panel, data: { times, stepS, frames, tables: [] }, marks: [...phases, ...marks] };
      return [{ body, renderer, scene }];
    });
    document.addEventListener('dblclick', ({ target }) => {
      if (!(target instanceof Element) || !target.closest('.plot')) return;
      this.show(this.whole);
      onZoom(false);
    });
  }

  /** @returns {import('./time-range.js').Range} */
  get whole() {
    const { startS, stepS, count } = this.#data;
    return { fromS: startS, toS: startS + Math.max(1, count - 1) * stepS };
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
    // What is asked of the layout is asked before anything changes it.
    const sizes = this.#charts.map(({ body }) => ({ width: body.clientWidth, height: body.clientHeight }));
    for (const [index, { renderer, scene }] of this.#charts.entries()) {
      const { width = 0, height = 0 } = this.#isOnPaper ? PAPER : (sizes[index] ?? {});
      renderer.draw({
        ...scene,
        range: this.#range,
        theme: this.#isOnPaper ? 'light' : theme(),
        width,
        height,
      });
    }
  }
}

/** @param {Charts} charts @param {ReportData} data */
function watch(charts, { phases }) {
  let drawnAt = root.clientWidth;
  window.addEventListener('resize', () => {
    if (root.clientWidth === drawnAt) return;
    drawnAt = root.clientWidth;
    requestAnimationFrame(() => charts.draw());
  });
  window.addEventListener('beforeprint', () => charts.setPaper(true));
  window.addEventListener('afterprint', () => charts.setPaper(false));
  zoom?.addEventListener('change', () => {
    const phase = phases[Number(zoom.value)];
    charts.show(zoom.value === '' || !phase ? charts.whole : phase);
  });
}

const toggle = document.getElementById('theme');
const zoom = /** @type {HTMLSelectElement | null} */ (document.getElementById('zoom'));
/** @type {ReportData | null} */
const data = JSON.parse(document.getElementById('data')?.textContent ?? 'null');

tellUtc();
const charts =
  data &&
  new Charts(data, (isZoomed) => {
    if (!zoom) return;
    // What was dragged is none of the choices.
    if (isZoomed) zoom.selectedIndex = -1;
    else zoom.value = '';
  });
toggle?.addEventListener('click', () => {
  root.dataset.theme = theme() === 'dark' ? 'light' : 'dark';
  charts?.draw();
});
systemIsDark.addEventListener('change', () => charts?.draw());
if (charts && data) {
  charts.draw();
  watch(charts, data);
}
for (const one of document.querySelectorAll('[data-scripted]')) one.removeAttribute('hidden');
for (const one of document.querySelectorAll('[data-unscripted]')) one.remove();
document.body.dataset.state = 'ready';
