/** The series of a chart with their figures; a click shows one alone, or all again. */
import { element, setText } from '../element.js';
import { calcText, reduce } from '../reduce.js';
import { format } from '../units.js';

const LINE_HEIGHT = 20;
/** Of the panel's height. */
const MOST = 0.36;

export class Legend {
  element = element('div', { class: 'legend' });
  #redraw;
  /** @type {Set<string>} names of series */
  #hidden = new Set();
  /** What the rows were made for. */
  #built = '';
  /** What its lines were counted for. */
  #looked = '';
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
  draw({ showLegend = true, displayMode = 'list', calcs = [] } = {}, lines, { width, height }) {
    this.#names = lines.map(({ name }) => name);
    // All were hidden, and those that are left now are others.
    if (this.#names.every((name) => this.#hidden.has(name))) this.#hidden.clear();
    const isTable = displayMode === 'table';
    if (!showLegend || displayMode === 'hidden' || lines.length === 0) {
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
      row.row.classList.toggle('off', this.#hidden.has(name));
      row.button.setAttribute('aria-pressed', String(!this.#hidden.has(name)));
      for (const [at, calc] of calcs.entries()) {
        const node = row.values[at];
        const value = format(reduce(calc, values), config.unit, config.decimals);
        if (node) setText(node, isTable ? value : `${calcText(calc)}: ${value}`);
      }
    }
    // Whole lines: half a name looks like a mistake, and what is missing is scrolled to.
    const room = Math.max(2, Math.floor((height * MOST) / LINE_HEIGHT));
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
        Math.round((this.element.firstElementChild?.clientHeight ?? 0) / LINE_HEIGHT),
      );
    }
    return this.#lines;
  }

  /** @param {boolean} isTable @param {string[]} calcs */
  #build(isTable, calcs) {
    this.#rows = this.#names.map((name) => {
      const swatch = element('i', { class: 'swatch' });
      const button = element(
        'button',
        {
          type: 'button',
          title: `${name}: click for this one alone, with Ctrl to hide it`,
          onclick: (/** @type {MouseEvent} */ event) =>
            this.#choose(name, event.ctrlKey || event.metaKey || event.shiftKey),
        },
        swatch,
        element('span', {}, name),
      );
      const values = calcs.map(() => document.createTextNode(''));
      const row = isTable
        ? element(
            'tr',
            {},
            element('th', { scope: 'row' }, button),
            ...values.map((node) => element('td', {}, node)),
          )
        : element(
            'span',
            { class: 'legend-item' },
            button,
            ...values.map((node) => element('span', {}, node)),
          );
      return { values, swatch, row, button };
    });
    const rows = this.#rows.map(({ row }) => row);
    this.element.replaceChildren(
      isTable
        ? element(
            'table',
            {},
            element(
              'thead',
              {},
              element(
                'tr',
                {},
                element('th', { scope: 'col' }, element('span', { class: 'visually-hidden' }, 'Series')),
                ...calcs.map((calc) => element('th', { scope: 'col' }, calcText(calc))),
              ),
            ),
            element('tbody', {}, ...rows),
          )
        : element('div', { class: 'legend-list' }, ...rows),
    );
  }

  /** @param {string} name @param {boolean} one hide or show it, and leave the others */
  #choose(name, one) {
    if (one) {
      if (!this.#hidden.delete(name)) this.#hidden.add(name);
    } else {
      const others = this.#names.filter((other) => other !== name);
      const isAlone =
        !this.#hidden.has(name) && others.every((other) => this.#hidden.has(other)) && others.length > 0;
      this.#hidden = new Set(isAlone ? [] : others);
    }
    this.#redraw();
  }
}
