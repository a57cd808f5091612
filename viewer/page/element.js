/** Elements without a template: text stays text, whatever it holds. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [properties] `class`, `dataset`, `on...` listeners, attributes with a hyphen, or properties
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === 'class') made.className = value;
    else if (name === 'dataset') Object.assign(made.dataset, value);
    else if (name === 'style') Object.assign(made.style, value);
    else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name.includes('-') || name === 'role') made.setAttribute(name, String(value));
    else Object.assign(made, { [name]: value });
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Node} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** @param {Node} node @param {string} text sets it only where it changed: what is not touched is not laid out anew */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
