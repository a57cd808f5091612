/** The head of the page: where one is, where else one can go, what is chosen. */
import { linksOf } from './address.js';
import { element } from './element.js';
import { icon } from './icons.js';
import { TimePicker } from './time-picker.js';
import { HIDE } from './variables.js';

/** What a live dashboard may refresh itself in, besides what its address says. */
const REFRESHES = ['off', '2s', '5s', '10s', '30s', '1m', '5m'];

/**
 * @typedef {object} ToolbarActions
 * @property {(range: import('./time-range.js').RangeText) => void} range
 * @property {() => void} back
 * @property {() => void} zoomOut
 * @property {() => void} refresh
 * @property {(interval: string) => void} interval
 * @property {() => void} theme
 * @property {(name: string, value: string) => void} variable
 */

export class Toolbar {
  element;
  #picker;
  #back;
  #interval;
  #links = element('nav', { class: 'links', 'aria-label': 'Dashboards' });
  #variables = element('div', { class: 'variables' });
  /** @type {Map<string, {select: HTMLSelectElement, built: string}>} */
  #selects = new Map();
  #dashboard;
  #actions;

  /** @param {any} dashboard its JSON @param {ToolbarActions} actions */
  constructor(dashboard, actions) {
    this.#dashboard = dashboard;
    this.#actions = actions;
    this.#picker = new TimePicker(actions.range);
    this.#back = button('back', 'The time range before this one', actions.back);
    this.#interval = element('select', {
      'aria-label': 'Refresh every',
      onchange: () => actions.interval(this.#interval.value),
    });
    this.element = element(
      'header',
      { class: 'toolbar' },
      element(
        'div',
        { class: 'toolbar-line' },
        element(
          'h1',
          {},
          dashboard.title,
          element(
            'span',
            { class: 'subtitle', title: dashboard.description ?? '' },
            dashboard.description ?? '',
          ),
        ),
        element('span', { class: 'gap' }),
        this.#variables,
        this.#back,
        this.#picker.element,
        element(
          'button',
          { type: 'button', class: 'button', title: 'Twice as long a time', onclick: actions.zoomOut },
          'Zoom out',
        ),
        element(
          'span',
          { class: 'joined' },
          button('refresh', 'Refresh now', actions.refresh),
          this.#interval,
        ),
        button('theme', 'Light or dark', actions.theme),
      ),
      this.#links,
    );
  }

  /**
   * @param {import('./address.js').Address} here all its parts known
   * @param {{uid: string, title: string, tags: string[]}[]} dashboards
   * @param {boolean} hasBefore is there a time range to go back to?
   */
  show(here, dashboards, hasBefore) {
    this.#picker.show({ from: here.from ?? '', to: here.to ?? '' });
    this.#back.disabled = !hasBefore;
    const refresh = here.refresh ?? 'off';
    const intervals = REFRESHES.includes(refresh) ? REFRESHES : [...REFRESHES, refresh];
    this.#interval.replaceChildren(
      ...intervals.map((value) => element('option', { value, selected: value === refresh }, value)),
    );
    const links = (this.#dashboard.links ?? []).flatMap((/** @type {any} */ link) =>
      linksOf(link, here, dashboards),
    );
    this.#links.replaceChildren(
      ...links.map((/** @type {ReturnType<typeof linksOf>[number]} */ { text, href, isHere }) =>
        element('a', { href, ...(isHere && { 'aria-current': 'page' }) }, text),
      ),
    );
  }

  /** @param {{variable: any, options: import('./variables.js').Option[], value: string}[]} choices */
  showVariables(choices) {
    for (const { variable, options, value } of choices) {
      const { name, label, description, type, hide = 0 } = variable;
      if (hide === HIDE.variable || (type !== 'query' && type !== 'custom')) continue;
      let known = this.#selects.get(name);
      if (!known) {
        const select = element('select', { onchange: () => this.#actions.variable(name, select.value) });
        select.title = description ?? '';
        known = { select, built: '' };
        this.#selects.set(name, known);
        const text = hide === HIDE.label ? 'visually-hidden' : '';
        this.#variables.append(
          element(
            'label',
            { dataset: { variable: name } },
            element('span', { class: text }, label ?? name),
            select,
          ),
        );
      }
      const all = options.some((option) => option.value === value)
        ? options
        : [{ text: value || 'none', value }, ...options];
      const built = JSON.stringify(all);
      if (built !== known.built) {
        known.built = built;
        known.select.replaceChildren(
          ...all.map((option) => element('option', { value: option.value }, option.text)),
        );
      }
      known.select.value = value;
    }
  }
}

/** @param {string} picture @param {string} label @param {() => void} onclick */
function button(picture, label, onclick) {
  return element(
    'button',
    { type: 'button', class: 'button', title: label, 'aria-label': label, onclick },
    icon(picture),
  );
}
