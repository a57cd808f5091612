/**
 * The panels of a dashboard and their data: what is in view is queried and drawn, again and again, without building
 * anything anew.
 */
import { marksOf } from './annotations.js';
import { GRID, placesIn, rowsOf } from './dashboard-layout.js';
import { seconds } from './durations.js';
import { element } from './element.js';
import { icon } from './icons.js';
import { panelData, queriesOf } from './panel-queries.js';
import { PanelView } from './panel-view.js';
import { builtIn, SCRAPE_S, substitute } from './substitute.js';
import { align, resolve, stepOf } from './time-range.js';
import { customOptions, filledQuery, optionsOf, stillChosen } from './variables.js';

/** How far below the window a panel counts as in view, so that it is there when it is scrolled to. */
const AHEAD = '120px';

/** How long what has arrived waits for what has not. */
const TOGETHER_MS = 500;

/**
 * @typedef {object} Loaded how far a panel is
 * @property {PanelView} view
 * @property {boolean} isInView
 * @property {number} cycle that it shows
 * @property {Promise<void> | null} running
 * @property {string} asked what it shows the answers of
 *
 * @typedef {object} ViewHooks
 * @property {(range: import('./time-range.js').Range) => void} zoom
 * @property {(id: string | null) => void} enlarge
 * @property {(variables: {variable: any, options: import('./variables.js').Option[], value: string}[]) => void} variables there is something else to choose
 */

export class DashboardView {
  element = element('main', { class: 'dashboard' });
  #dashboard;
  #source;
  #hooks;
  /** @type {Map<Element, Loaded>} */
  #panels = new Map();
  /** @type {import('./annotations.js').Mark[]} */
  #marks = [];
  /** @type {import('./substitute.js').Values} */
  #values = {};
  /** @type {import('./time-range.js').Range} */
  #range = { fromS: 0, toS: 1 };
  /** @type {import('./colors.js').ThemeName} */
  #theme;
  #cycle = 0;
  #pending = 0;
  #abort = new AbortController();
  /** @type {(() => void)[]} what has arrived and waits for the others */
  #draws = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Whether each panel is in view is known. */
  #seen;
  #resized = new ResizeObserver((entries) => {
    for (const { target } of entries) this.#panels.get(target)?.view.resize();
  });

  /**
   * @param {any} dashboard its JSON
   * @param {import('./data-source.js').DataSource} source
   * @param {import('./colors.js').ThemeName} theme
   * @param {ViewHooks} hooks
   */
  constructor(dashboard, source, theme, hooks) {
    this.#dashboard = dashboard;
    this.#source = source;
    this.#theme = theme;
    this.#hooks = hooks;
    this.element.replaceChildren(...rowsOf(dashboard).map((row) => this.#row(row)));
    this.#seen = new Promise((resolve) => {
      const observer = new IntersectionObserver(
        (entries) => {
          for (const { target, isIntersecting } of entries) {
            const loaded = this.#panels.get(target);
            if (loaded) loaded.isInView = isIntersecting;
          }
          resolve(undefined);
          if (this.#cycle > 0) this.#loadPanels();
        },
        { rootMargin: AHEAD },
      );
      for (const panel of this.#panels.keys()) observer.observe(panel);
      if (this.#panels.size === 0) resolve(undefined);
    });
    for (const panel of this.#panels.keys()) this.#resized.observe(panel);
  }

  /** @param {import('./dashboard-layout.js').Row} row */
  #row({ row, panels }) {
    const grid = element('div', { class: 'grid' });
    for (const { panel, column, width, line, height } of panels.length > 0 ? placesIn(panels) : []) {
      const view = new PanelView(panel, {
        zoom: this.#hooks.zoom,
        enlarge: ({ element: { classList } }) =>
          this.#hooks.enlarge(classList.contains('enlarged') ? null : String(panel.id)),
      });
      Object.assign(view.element.style, {
        gridColumn: `${column} / span ${width}`,
        gridRow: `${line} / span ${height}`,
      });
      this.#panels.set(view.element, { view, isInView: false, cycle: -1, running: null, asked: '' });
      grid.append(view.element);
    }
    grid.style.gridAutoRows = `${GRID.cell}px`;
    grid.style.gap = `${GRID.gap}px`;
    if (row === null) return grid;
    const isCollapsed = row.collapsed === true;
    grid.hidden = isCollapsed;
    const button = element(
      'button',
      {
        type: 'button',
        'aria-expanded': !isCollapsed,
        onclick: () => {
          grid.hidden = !grid.hidden;
          button.setAttribute('aria-expanded', String(!grid.hidden));
        },
      },
      icon('down'),
      row.title ?? '',
    );
    return element(
      'section',
      { class: 'row', dataset: { row: String(row.id) } },
      element('h2', {}, button),
      grid,
    );
  }

  /**
   * Brings everything in view up to date.
   *
   * @param {import('./time-range.js').RangeText} rangeText
   * @param {Record<string, string>} chosen values of variables
   * @param {{anew?: boolean}} [how] anew: what is shown is of something else than what is asked for now
   */
  async load(rangeText, chosen, { anew = false } = {}) {
    const range = resolve(rangeText, Date.now());
    if (!range)
      throw new Error(`the time range is ${rangeText.from} to ${rangeText.to}; now-15m to now is valid`);
    if (anew) {
      this.#abort.abort();
      this.#abort = new AbortController();
      for (const loaded of this.#panels.values()) Object.assign(loaded, { running: null, asked: '' });
    }
    const { signal } = this.#abort;
    this.#begin(anew);
    try {
      await this.#seen;
      const values = await this.#loadVariables(range, chosen, signal);
      if (signal.aborted) return;
      this.#range = range;
      this.#values = values;
      this.#cycle += 1;
      for (const { view } of this.#panels.values()) view.setTitle(values);
      await Promise.all([this.#loadMarks(range, values, signal), this.#loadPanels()]);
    } finally {
      this.#end();
    }
  }

  /** @param {boolean} isVisible work that the reader waits for */
  #begin(isVisible) {
    this.#pending += 1;
    if (isVisible || document.body.dataset.state === undefined) document.body.dataset.state = 'loading';
  }

  #end() {
    this.#pending -= 1;
    if (this.#pending === 0 && document.body.dataset.state !== 'ready') document.body.dataset.state = 'ready';
  }

  /**
   * One after the other: a later one's query may name an earlier one.
   *
   * @param {import('./time-range.js').Range} range
   * @param {Record<string, string>} chosen
   * @param {AbortSignal} signal
   */
  async #loadVariables(range, chosen, signal) {
    const intervals = builtIn(range, stepOf(range, window.innerWidth, SCRAPE_S));
    /** @type {import('./substitute.js').Values} */
    const values = {};
    const choices = [];
    for (const variable of this.#dashboard.templating?.list ?? []) {
      const { name, type } = variable;
      /** @type {import('./variables.js').Option[]} */
      let options = [];
      if (type === 'custom') options = customOptions(variable);
      else if (type === 'query') {
        const expr = filledQuery(variable, { ...intervals, ...values });
        if (expr) {
          const query = { key: `variable ${name}`, expr, timeS: range.toS, signal };
          options = optionsOf(variable, await this.#source.query(query));
        }
      }
      const current = variable.current?.value;
      const value =
        type === 'query' || type === 'custom'
          ? stillChosen(
              options,
              chosen[name] ?? (type === 'custom' && typeof current === 'string' ? current : undefined),
            )
          : String(
              type === 'constant' || type === 'textbox' ? (chosen[name] ?? variable.query) : (current ?? ''),
            );
      values[name] = value;
      choices.push({ variable, options, value });
    }
    if (!signal.aborted) this.#hooks.variables(choices);
    return values;
  }

  /**
   * @param {import('./time-range.js').Range} range
   * @param {import('./substitute.js').Values} values
   * @param {AbortSignal} signal
   */
  async #loadMarks(range, values, signal) {
    const annotations = (this.#dashboard.annotations?.list ?? []).filter(
      (/** @type {any} */ { enable, expr }) => enable && expr,
    );
    const found = await Promise.all(
      annotations.map(async (/** @type {any} */ annotation) => {
        const stepS = stepOf(range, window.innerWidth / 2, seconds(annotation.step ?? '') ?? SCRAPE_S);
        const expr = substitute(annotation.expr, { ...values, ...builtIn(range, stepS) });
        const query = {
          key: `annotation ${annotation.name}`,
          expr,
          range: align(range, stepS),
          stepS,
          signal,
        };
        return marksOf(annotation, await this.#source.queryRange(query));
      }),
    ).catch((error) => {
      if (!signal.aborted) console.warn(`annotations: ${error.message}`);
      return null;
    });
    if (found === null || signal.aborted) return;
    const marks = found.flat().sort((a, b) => a.fromS - b.fromS);
    if (JSON.stringify(marks) === JSON.stringify(this.#marks)) return;
    this.#marks = marks;
    for (const { view, isInView } of this.#panels.values()) if (isInView) view.restyle(this.#theme, marks);
  }

  async #loadPanels() {
    await Promise.all(
      [...this.#panels.values()].filter(({ isInView }) => isInView).map((loaded) => this.#loadPanel(loaded)),
    );
    this.#drawAll();
  }

  /** @param {Loaded} loaded @param {boolean} [again] also where nothing has changed but its width */
  async #loadPanel(loaded, again = false) {
    // A query that takes longer than the refresh interval is waited for, not asked again.
    if (loaded.running || (loaded.cycle === this.#cycle && !again)) return;
    loaded.view.setLoading();
    this.#begin(loaded.view.state === 'loading');
    const { signal } = this.#abort;
    const running = this.#query(loaded, signal);
    loaded.running = running;
    try {
      await running;
    } finally {
      if (loaded.running === running) loaded.running = null;
      this.#end();
    }
  }

  /** @param {Loaded} loaded @param {AbortSignal} signal */
  async #query(loaded, signal) {
    const { view } = loaded;
    const [cycle, range] = [this.#cycle, this.#range];
    try {
      const queries = queriesOf(view.panel, range, view.width, this.#values);
      const asked = JSON.stringify(queries);
      // A narrow panel's step is longer than the refresh interval: until the next step there is nothing new to ask.
      if (asked === loaded.asked && queries.every(({ instant }) => !instant)) {
        loaded.cycle = cycle;
        return;
      }
      const answers = await Promise.all(
        queries.map(({ refId, expr, instant, range: own, stepS }) => {
          const key = `panel ${view.panel.id} ${refId}`;
          return instant
            ? this.#source.query({ key, expr, timeS: own.toS, signal })
            : this.#source.queryRange({ key, expr, range: own, stepS, signal });
        }),
      );
      if (signal.aborted) return;
      const data = panelData(queries, answers);
      loaded.asked = asked;
      const draw = () => view.draw({ data, range, marks: this.#marks, theme: this.#theme });
      if (view.state === 'loading') draw();
      else this.#drawTogether(draw, signal);
    } catch (error) {
      if (signal.aborted) return;
      loaded.asked = '';
      view.fail(error instanceof Error ? error.message : String(error));
    }
    loaded.cycle = cycle;
  }

  /**
   * Panels that are refreshed change at once: one frame for all costs much less than one for each, and is calmer.
   *
   * @param {() => void} draw
   * @param {AbortSignal} signal
   */
  #drawTogether(draw, signal) {
    this.#draws.push(() => {
      if (!signal.aborted) draw();
    });
    this.#timer ??= setTimeout(() => this.#drawAll(), TOGETHER_MS);
  }

  #drawAll() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const draw of this.#draws.splice(0)) draw();
  }

  /** @param {import('./colors.js').ThemeName} theme */
  setTheme(theme) {
    this.#theme = theme;
    for (const { view } of this.#panels.values()) view.restyle(theme);
  }

  /** @param {string | null} id of a panel; null for none */
  enlarge(id) {
    document.body.classList.toggle('has-enlarged', id !== null);
    for (const loaded of this.#panels.values()) {
      const { view } = loaded;
      const isEnlarged = String(view.panel.id) === id;
      if (isEnlarged === view.element.classList.contains('enlarged')) continue;
      view.setEnlarged(isEnlarged);
      const grid = view.element.parentElement;
      if (isEnlarged && grid?.hidden) grid.closest('.row')?.querySelector('button')?.click();
      if (isEnlarged) loaded.isInView = true;
      view.resize();
      // Another width has another step.
      if (this.#cycle > 0) this.#loadPanel(loaded, true).then(() => this.#drawAll());
    }
  }

  /** For printing: also what was not in view. */
  async loadAll() {
    await Promise.all([...this.#panels.values()].map((loaded) => this.#loadPanel(loaded)));
    this.#drawAll();
  }
}
