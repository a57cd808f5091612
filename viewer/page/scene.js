/**
 * What passes between the dashboard and the renderers. A renderer gets all that it draws, and fetches nothing.
 *
 * @typedef {object} Scene
 * @property {any} panel its JSON
 * @property {import('./panel-queries.js').PanelData} data
 * @property {import('./time-range.js').Range} range
 * @property {import('./annotations.js').Mark[]} marks
 * @property {import('./colors.js').ThemeName} theme
 * @property {number} width of the panel's body in pixels
 * @property {number} height
 *
 * @typedef {object} Hooks what a renderer asks for
 * @property {(range: import('./time-range.js').Range) => void} zoom
 * @property {() => void} redraw with the same scene
 *
 * @typedef {{draw: (scene: Scene) => void, destroy: () => void}} Renderer
 *
 * @typedef {(body: HTMLElement, hooks: Hooks) => Renderer} Mount
 */

export {};
