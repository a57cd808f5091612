/** The choice of a time range: one of the usual ones, or two moments. */
import { dateText, fullText } from './clock.js';
import { element } from './element.js';
import { icon } from './icons.js';
import { moment, RELATIVE_RANGES, resolve } from './time-range.js';

/** What a date field takes and gives: local time to the second. */
const FIELD = 'YYYY-MM-DDTHH:mm:ss';

export class TimePicker {
  element;
  #button;
  #label = element('span');
  #menu;
  #from = element('input', { type: 'datetime-local', step: '1', 'aria-label': 'From' });
  #to = element('input', { type: 'datetime-local', step: '1', 'aria-label': 'To' });
  #problem = element('p', { class: 'problem', role: 'alert' });
  #choose;

  /** @param {(range: import('./time-range.js').RangeText) => void} choose */
  constructor(choose) {
    this.#choose = (/** @type {import('./time-range.js').RangeText} */ range) => {
      this.#toggle(false);
      choose(range);
    };
    this.#button = element(
      'button',
      {
        type: 'button',
        class: 'button',
        'aria-haspopup': 'dialog',
        'aria-expanded': 'false',
        onclick: () => this.#toggle(),
      },
      icon('clock'),
      this.#label,
      icon('down'),
    );
    this.#menu = element(
      'div',
      { class: 'menu time-menu', role: 'dialog', 'aria-label': 'Time range', hidden: true },
      element(
        'form',
        {
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            this.#apply();
          },
        },
        element('label', {}, 'From', this.#from),
        element('label', {}, 'To', this.#to),
        this.#problem,
        element('button', { type: 'submit', class: 'button primary' }, 'Apply'),
      ),
      element(
        'ul',
        {},
        ...RELATIVE_RANGES.map(({ from, text }) =>
          element(
            'li',
            {},
            element('button', { type: 'button', onclick: () => this.#choose({ from, to: 'now' }) }, text),
          ),
        ),
      ),
    );
    this.element = element('div', { class: 'time-picker' }, this.#button, this.#menu);
    document.addEventListener('pointerdown', ({ target }) => {
      if (target instanceof Node && !this.element.contains(target)) this.#toggle(false);
    });
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.#menu.hidden) return;
      event.stopPropagation();
      this.#toggle(false);
      this.#button.focus();
    });
  }

  /** @param {import('./time-range.js').RangeText} range */
  show({ from, to }) {
    const usual = to === 'now' ? RELATIVE_RANGES.find((one) => one.from === from) : undefined;
    const range = resolve({ from, to }, Date.now());
    const [fromMs, toMs] = [(range?.fromS ?? 0) * 1000, (range?.toS ?? 0) * 1000];
    const isRelative = from.startsWith('now') && to.startsWith('now');
    const sameDay = dateText(fromMs, 'YYYY-MM-DD') === dateText(toMs, 'YYYY-MM-DD');
    this.#label.textContent =
      usual?.text ??
      (isRelative
        ? `${from} to ${to}`
        : `${fullText(fromMs)} to ${sameDay ? dateText(toMs, 'HH:mm:ss') : fullText(toMs)}`);
    this.#from.value = dateText(fromMs, FIELD);
    this.#to.value = dateText(toMs, FIELD);
  }

  #apply() {
    const [fromMs, toMs] = [this.#from, this.#to].map(({ value }) => moment(value, 0));
    if (typeof fromMs !== 'number' || typeof toMs !== 'number' || toMs <= fromMs) {
      this.#problem.textContent = 'The range has to end after its start.';
      return;
    }
    this.#choose({ from: String(fromMs), to: String(toMs) });
  }

  #toggle(isOpen = this.#menu.hidden) {
    if (this.#menu.hidden !== isOpen) return;
    this.#menu.hidden = !isOpen;
    this.#problem.textContent = '';
    this.#button.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) this.#menu.querySelector('ul button')?.dispatchEvent(new Event('focus'));
  }
}
