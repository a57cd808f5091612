/**
 * One panel on the page: its frame, its states, and the renderer in it.
 *
 * @typedef {'loading' | 'drawn' | 'empty' | 'error'} PanelState
 */
import { element, setText } from './element.js';
import { icon } from './icons.js';
import { isEmpty } from './panel-queries.js';
import { RENDERERS } from './render/renderers.js';
import { substituteText } from './substitute.js';

export class PanelView {
  panel;
  element;
  /** @type {import('./scene.js').Scene | null} */
  #scene = null;
  /** @type {import('./scene.js').Renderer | null} */
  #renderer = null;
  #title = element('h3', { class: 'panel-title' });
  #body = element('div', { class: 'panel-body' });
  #message = element('div', { class: 'panel-message', hidden: true });
  #enlarge;
  #hooks;
  #size = { width: 0, height: 0 };
  /** @type {{state: PanelState, message: string}} */
  #shown = { state: 'loading', message: '' };

  /**
   * @param {any} panel its JSON
   * @param {{zoom: (range: import('./time-range.js').Range) => void, enlarge: (view: PanelView) => void}} actions
   */
  constructor(panel, { zoom, enlarge }) {
    this.panel = panel;
    this.#hooks = { zoom, redraw: () => this.#redraw() };
    this.#enlarge = element(
      'button',
      {
        type: 'button',
        class: 'panel-enlarge',
        'aria-label': `Enlarge ${panel.title}`,
        onclick: () => enlarge(this),
      },
      icon('enlarge'),
    );
    const info = panel.description
      ? element(
          'button',
          {
            type: 'button',
            class: 'panel-info',
            'aria-label': `About ${panel.title}`,
            dataset: { hint: panel.description },
          },
          icon('info'),
        )
      : '';
    this.element = element(
      'section',
      {
        class: 'panel',
        dataset: { panel: String(panel.id), type: panel.type, state: 'loading' },
        'aria-label': panel.title,
      },
      element(
        'header',
        { class: 'panel-heading' },
        this.#title,
        info,
        element('span', { class: 'panel-gap' }),
        this.#enlarge,
      ),
      element('div', { class: 'panel-content' }, this.#body, this.#message),
    );
  }

  /** @param {import('./substitute.js').Values} variables */
  setTitle(variables) {
    setText(this.#title, substituteText(this.panel.title ?? '', variables));
  }

  /** @param {boolean} isEnlarged */
  setEnlarged(isEnlarged) {
    this.element.classList.toggle('enlarged', isEnlarged);
    this.#enlarge.replaceChildren(icon(isEnlarged ? 'shrink' : 'enlarge'));
    this.#enlarge.setAttribute('aria-label', `${isEnlarged ? 'Shrink' : 'Enlarge'} ${this.panel.title}`);
  }

  /** @returns {number} pixels that queries are made for */
  get width() {
    if (this.#size.width === 0) this.#measure();
    return this.#size.width;
  }

  /** @returns {PanelState} */
  get state() {
    return this.#shown.state;
  }

  #measure() {
    const { clientWidth: width, clientHeight: height } = this.#body;
    const isSame = width === this.#size.width && height === this.#size.height;
    this.#size = { width, height };
    return !isSame;
  }

  /** The window or the panel has another size. */
  resize() {
    if (this.#measure() && this.#size.width > 0) this.#redraw();
  }

  setLoading() {
    if (this.#scene === null) this.#show('loading', '');
  }

  /** @param {Pick<import('./scene.js').Scene, 'data' | 'range' | 'marks' | 'theme'>} content */
  draw(content) {
    this.#scene = { panel: this.panel, ...content, ...this.#size };
    if (isEmpty(content.data)) {
      this.#show('empty', this.panel.fieldConfig?.defaults?.noValue ?? 'No data');
      return;
    }
    this.#show('drawn', '');
    this.#redraw();
  }

  /** @param {import('./colors.js').ThemeName} theme @param {import('./annotations.js').Mark[]} [marks] */
  restyle(theme, marks) {
    if (!this.#scene) return;
    this.#scene = { ...this.#scene, theme, ...(marks && { marks }) };
    this.#redraw();
  }

  /** @param {string} message */
  fail(message) {
    this.#show('error', message);
  }

  #redraw() {
    if (!this.#scene || this.state !== 'drawn') return;
    if (this.#size.width === 0) this.#measure();
    this.#scene = { ...this.#scene, ...this.#size };
    try {
      this.#renderer ??= RENDERERS[this.panel.type]?.(this.#body, this.#hooks) ?? null;
      if (!this.#renderer)
        return this.#show('error', `the viewer knows no panel of the type ${this.panel.type}`);
      this.#renderer.draw(this.#scene);
    } catch (error) {
      this.#show('error', `can't be drawn: ${error instanceof Error ? error.message : error}`);
      console.error(error);
    }
  }

  /** @param {PanelState} state @param {string} message */
  #show(state, message) {
    // What is written is laid out anew, also where nothing is different.
    if (state === this.#shown.state && message === this.#shown.message) return;
    this.#shown = { state, message };
    this.element.dataset.state = state;
    this.#message.hidden = message === '';
    this.#message.className = `panel-message panel-${state}`;
    this.#message.setAttribute('role', state === 'error' ? 'alert' : 'note');
    setText(this.#message, message);
    this.#body.classList.toggle('away', state !== 'drawn');
  }

  destroy() {
    this.#renderer?.destroy();
  }
}
