/** Draws all charts of a page in their places, with a shared crosshair and a shared time range. */
import type uPlot from 'uplot';
import type { Chart, Plots } from '../model.ts';
import { dataOf, type Place, plotOf } from './plot.ts';

/** Width of a chart on paper: A4 without margins. */
const PAPER_WIDTH = 660;

interface Drawn {
  plot: uPlot;
  /** Everything that the chart was drawn from, except for the values. */
  made: string;
}

export class Charts {
  #plots: Plots | null = null;
  #range: [fromS: number, toS: number] | null = null;
  #isOnPaper = false;
  readonly #drawn = new Map<HTMLElement, Drawn>();
  readonly #onZoom: (isZoomed: boolean) => void;

  constructor(onZoom: (isZoomed: boolean) => void) {
    this.#onZoom = onZoom;
    new ResizeObserver(() => this.#drawAll()).observe(document.body);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
    addEventListener('beforeprint', () => this.setPaper(true));
    addEventListener('afterprint', () => this.setPaper(false));
    document.addEventListener('toggle', () => this.#drawAll(), true);
    document.addEventListener('keydown', (event) => this.#move(event));
  }

  /** Draws new values in the places that the page currently has. */
  draw(plots: Plots) {
    this.#plots = plots;
    for (const [element, { plot }] of this.#drawn) {
      if (element.isConnected) continue;
      plot.destroy();
      this.#drawn.delete(element);
    }
    this.#drawAll();
  }

  /** Redraws all charts in the current colours. */
  redraw() {
    for (const { plot } of this.#drawn.values()) plot.destroy();
    this.#drawn.clear();
    this.#drawAll();
  }

  setPaper(isOnPaper: boolean) {
    this.#isOnPaper = isOnPaper;
    this.redraw();
  }

  /** @param range null: the whole run */
  show(range: [fromS: number, toS: number] | null) {
    this.#range = range;
    this.#drawAll();
  }

  #drawAll() {
    const plots = this.#plots;
    if (!plots) return;
    const lanes = plots.strip;
    const charts = new Map([...lanes, ...plots.charts].map((chart) => [chart.id, chart]));
    for (const element of document.querySelectorAll<HTMLElement>('.plot')) {
      const chart = charts.get(element.dataset.chart ?? '');
      if (chart && element.clientWidth > 0) this.#drawOne(element, chart, plots, lanes.indexOf(chart));
    }
  }

  #drawOne(element: HTMLElement, chart: Chart, plots: Plots, lane: number) {
    const made = JSON.stringify([chart, plots.phases, plots.marks]);
    let drawn = this.#drawn.get(element);
    if (drawn?.made !== made) {
      drawn?.plot.destroy();
      const place = this.#place(element, lane < 0 || lane === 0, lane < 0 || lane === plots.strip.length - 1);
      drawn = { plot: plotOf(element, chart, plots, place), made };
      this.#drawn.set(element, drawn);
    }
    const { plot } = drawn;
    const { width, height } = this.#sizeOf(element);
    if (plot.width !== width || plot.height !== height) plot.setSize({ width, height });
    const data = dataOf(chart, plots);
    plot.batch(() => {
      plot.setData([...data, []] as uPlot.AlignedData, false);
      const times = data[0];
      const [min, max] = this.#range ?? [
        times[0] ?? 0,
        Math.max(times.at(-1) ?? 1, plots.phases.at(-1)?.toS ?? 1),
      ];
      plot.setScale('x', { min, max });
    });
  }

  #sizeOf(element: HTMLElement) {
    const width = this.#isOnPaper ? PAPER_WIDTH : element.clientWidth;
    return { width, height: Number(getComputedStyle(element).getPropertyValue('--height')) };
  }

  #place(element: HTMLElement, isFirst: boolean, isLast: boolean): Place {
    const probe = element.appendChild(document.createElement('i'));
    // Before printing, the page still has the colours of the screen.
    if (this.#isOnPaper) probe.style.colorScheme = 'light';
    const style = getComputedStyle(probe);
    const colours = new Map<string, string>();
    const colour: Place['colour'] = (name) => {
      const known = colours.get(name);
      if (known !== undefined) return known;
      element.appendChild(probe).style.color = `var(--${name})`;
      const found = style.color;
      probe.remove();
      colours.set(name, found);
      return found;
    };
    const font = `12px ${style.fontFamily}`;
    probe.remove();
    return {
      ...this.#sizeOf(element),
      colour,
      font,
      isFirst,
      isLast,
      zoom: (fromS, toS) => {
        this.show([fromS, toS]);
        this.#onZoom(true);
      },
      whole: () => {
        this.show(null);
        this.#onZoom(false);
      },
    };
  }

  /** Moves the crosshair by a point, or to the first or the last one. */
  #move(event: KeyboardEvent) {
    const lanes = document.activeElement?.closest('.lanes');
    const first = lanes && this.#drawn.get(lanes.querySelector<HTMLElement>('.plot') as HTMLElement)?.plot;
    if (!first) return;
    const last = (first.data[0]?.length ?? 1) - 1;
    const now = first.cursor.idx ?? 0;
    const moves: Record<string, number> = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const atS = first.data[0][Math.min(Math.max(to, 0), last)] ?? 0;
    for (const { plot } of this.#drawn.values()) plot.setCursor({ left: plot.valToPos(atS, 'x'), top: 0 });
  }
}
