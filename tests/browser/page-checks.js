/**
 * What can be wrong with the text of a page. Functions that run in the page: each is handed to the browser as its own
 * text, and so uses nothing from outside of itself.
 */

/**
 * Before the page's own scripts: notes what is written on canvases, for there text is pixels. Of each canvas, until it is cleared:
 * text, box in CSS pixels from its corner, colour, font, and the colours of the rectangles below it.
 */
export function recordCanvasText() {
  const page = /** @type {any} */ (globalThis);
  const canvasText = new Map();
  const rectangles = new Map();
  page.canvasText = canvasText;
  const { prototype } = page.CanvasRenderingContext2D;
  const { fillText, fillRect, clearRect } = prototype;
  /** @param {Map<any, any[]>} all @param {any} canvas @param {any} one */
  const note = (all, canvas, one) => all.set(canvas, [...(all.get(canvas) ?? []), one]);
  /** @param {any} canvas */
  const forget = (canvas) => [canvasText, rectangles].forEach((all) => void all.delete(canvas));
  /** @param {any} context @param {number[][]} corners */
  const boxOf = (context, corners) => {
    const { a, b, c, d, e, f } = context.getTransform();
    const { canvas } = context;
    const scale = canvas.getBoundingClientRect().width / canvas.width || 1 / page.devicePixelRatio;
    const xs = corners.map(([x = 0, y = 0]) => (a * x + c * y + e) * scale);
    const ys = corners.map(([x = 0, y = 0]) => (b * x + d * y + f) * scale);
    return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  };
  /** @this {any} @param {string} text @param {number} x @param {number} y @param {number[]} rest */
  prototype.fillText = function (text, x, y, ...rest) {
    const size = this.measureText(text);
    const [left, right] = [x - size.actualBoundingBoxLeft, x + size.actualBoundingBoxRight];
    const [top, bottom] = [y - size.actualBoundingBoxAscent, y + size.actualBoundingBoxDescent];
    const box = boxOf(this, [
      [left, top],
      [right, top],
      [left, bottom],
      [right, bottom],
    ]);
    const [middleX, middleY] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const below = (rectangles.get(this.canvas) ?? []).filter(
      (/** @type {any} */ { box: { left, right, top, bottom } }) =>
        left <= middleX && middleX <= right && top <= middleY && middleY <= bottom,
    );
    const grounds = below.map((/** @type {any} */ { color }) => color);
    const noted = { text, box, color: this.fillStyle, font: this.font, grounds };
    if (text.trim() !== '') note(canvasText, this.canvas, noted);
    return fillText.call(this, text, x, y, ...rest);
  };
  /** @this {any} @param {number} x @param {number} y @param {number} width @param {number} height */
  prototype.fillRect = function (x, y, width, height) {
    const box = boxOf(this, [
      [x, y],
      [x + width, y + height],
    ]);
    note(rectangles, this.canvas, { box, color: this.fillStyle });
    return fillRect.call(this, x, y, width, height);
  };
  /** @this {any} @param {number[]} sides uPlot clears all of it */
  prototype.clearRect = function (...sides) {
    forget(this.canvas);
    return clearRect.apply(this, sides);
  };
  // A canvas that gets a size is empty again.
  for (const side of ['width', 'height']) {
    const property = Object.getOwnPropertyDescriptor(page.HTMLCanvasElement.prototype, side);
    Object.defineProperty(page.HTMLCanvasElement.prototype, side, {
      ...property,
      /** @this {any} @param {number} value */
      set(value) {
        forget(this);
        property?.set?.call(this, value);
      },
    });
  }
}

/**
 * Texts that lie upon one another, that are cut off with no way to read the rest, that leave their figure, that have too little
 * contrast; and a page wider than the window.
 *
 * @returns {string[]} one line a problem
 */
export function textProblems() {
  /** @type {any} */
  const page = globalThis;
  const { document } = page;
  /** Text is somewhat smaller than the box of its line. */
  const TOLERANCE = 2;
  /** @type {string[]} */
  const problems = [];

  /** @param {any} element @returns {string} for a person to find it */
  const place = (element) => {
    const where = element.closest('[id]')?.id ?? 'page';
    return `${where} ${element.tagName.toLowerCase()}${element.className?.split ? `.${element.className.split(' ').join('.')}` : ''}`;
  };
  /** @param {string} text */
  const short = (text) => JSON.stringify(text.trim().replace(/\s+/g, ' ').slice(0, 60));

  /** @param {any} a @param {any} b */
  const intersection = (a, b) => ({
    left: Math.max(a.left, b.left),
    right: Math.min(a.right, b.right),
    top: Math.max(a.top, b.top),
    bottom: Math.min(a.bottom, b.bottom),
  });

  /**
   * What ancestors let be seen of a box, and whether the rest can be scrolled to.
   *
   * @param {any} element @param {any} box
   */
  const seen = (element, box) => {
    let visible = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
    let scrolls = false;
    for (let one = element; one && one !== document.documentElement; one = one.parentElement) {
      const { overflowX, overflowY, display } = page.getComputedStyle(one);
      if (display === 'inline' || (overflowX === 'visible' && overflowY === 'visible')) continue;
      const before = visible;
      visible = intersection(visible, one.getBoundingClientRect());
      const cutX = visible.right - visible.left < before.right - before.left;
      const cutY = visible.bottom - visible.top < before.bottom - before.top;
      if ((cutX && /auto|scroll/.test(overflowX)) || (cutY && /auto|scroll/.test(overflowY))) scrolls = true;
    }
    return { visible, scrolls };
  };

  /** @type {{text: string, element: any, box: any, color: string, size: number, bold: boolean, grounds: string[]}[]} */
  const texts = [];
  const walker = document.createTreeWalker(document.body, page.NodeFilter.SHOW_TEXT);
  /** @type {Set<any>} */
  const cut = new Set();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === '' || /^(SCRIPT|STYLE|OPTION|TITLE|DESC)$/i.test(element.tagName)) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = page.getComputedStyle(element);
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      if (line.width < 1 || line.height < 1) continue;
      const { visible, scrolls } = seen(element, line);
      const width = visible.right - visible.left;
      const height = visible.bottom - visible.top;
      const whole = width > line.width - TOLERANCE && height > line.height - 2 * TOLERANCE;
      if (!whole && !scrolls && line.width > 2) cut.add(element);
      if (width < 1 || height < 1) continue;
      texts.push({
        text: node.data,
        element,
        box: visible,
        color: style.fill !== 'none' && element.ownerSVGElement ? style.fill : style.color,
        size: Number.parseFloat(style.fontSize),
        bold: Number(style.fontWeight) >= 700,
        grounds: [],
      });
    }
  }
  for (const element of cut) problems.push(`cut off: ${short(element.textContent)} in ${place(element)}`);

  for (const [canvas, list] of page.canvasText ?? []) {
    if (!canvas.isConnected || !canvas.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      continue;
    const corner = canvas.getBoundingClientRect();
    for (const { text, box, color, font, grounds } of list) {
      const onPage = {
        left: box.left + corner.left,
        right: box.right + corner.left,
        top: box.top + corner.top,
        bottom: box.bottom + corner.top,
      };
      const { visible } = seen(canvas, intersection(onPage, corner));
      const missing = Math.max(
        onPage.right - onPage.left - (visible.right - visible.left),
        onPage.bottom - onPage.top - (visible.bottom - visible.top),
      );
      if (missing > TOLERANCE) problems.push(`cut off: ${short(text)} on the canvas of ${place(canvas)}`);
      const size = Number.parseFloat(/([\d.]+)px/.exec(font)?.[1] ?? '12') / page.devicePixelRatio;
      const bold = /bold|[789]00/.test(font);
      texts.push({ text, element: canvas, box: visible, color, size, bold, grounds });
    }
  }

  texts.sort((a, b) => a.box.top - b.box.top);
  texts.forEach((a, index) => {
    for (let next = index + 1; next < texts.length; next += 1) {
      const b = /** @type {typeof a} */ (texts[next]);
      if (b.box.top >= a.box.bottom) break;
      const onCanvas = a.element === b.element && a.element.tagName === 'CANVAS';
      if (!onCanvas && (a.element.contains(b.element) || b.element.contains(a.element))) continue;
      const common = intersection(a.box, b.box);
      if (common.right - common.left <= TOLERANCE || common.bottom - common.top <= TOLERANCE) continue;
      problems.push(
        `overlap: ${short(a.text)} in ${place(a.element)} and ${short(b.text)} in ${place(b.element)}`,
      );
    }
  });

  for (const { text, element, box } of texts) {
    const figure = element.closest('figure')?.getBoundingClientRect();
    if (!figure) continue;
    const common = intersection(box, figure);
    const outside = Math.max(
      box.right - box.left - (common.right - common.left),
      box.bottom - box.top - (common.bottom - common.top),
    );
    if (outside > TOLERANCE) problems.push(`outside of its figure: ${short(text)} in ${place(element)}`);
  }

  const paper = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  /** @type {Map<string, number[]>} */
  const parsed = new Map();
  /** @param {string} color as CSS has it @returns {number[]} red, green, blue of 255, and alpha of 1 */
  const parse = (color) => {
    const known = parsed.get(color);
    if (known) return known;
    paper.clearRect(0, 0, 1, 1);
    paper.fillStyle = color;
    paper.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paper.getImageData(0, 0, 1, 1).data;
    const made = [red, green, blue, alpha / 255];
    parsed.set(color, made);
    return made;
  };
  /** @param {number[]} top @param {number[]} below @param {number} [opacity] */
  const over = (top, below, opacity = 1) => {
    const alpha = (top[3] ?? 1) * opacity;
    return [0, 1, 2].map((part) => (top[part] ?? 0) * alpha + (below[part] ?? 0) * (1 - alpha)).concat(1);
  };
  /** @param {number[]} color */
  const luminance = (color) => {
    const [red = 0, green = 0, blue = 0] = color
      .slice(0, 3)
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  /** @param {any} element @param {any} box @returns {any[]} what lies beneath, from the text's own element down */
  const beneath = (element, box) => {
    const stack = document.elementsFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    const index = stack.indexOf(element);
    if (index >= 0) return stack.slice(index);
    const ancestors = [];
    for (let one = element; one; one = one.parentElement) ancestors.push(one);
    return ancestors;
  };
  /** @type {Set<string>} */
  const said = new Set();
  for (const { text, element, box, color, size, bold, grounds } of texts) {
    const stack = beneath(element, box);
    const behind = [
      ...stack.toReversed().map((one) => page.getComputedStyle(one).backgroundColor),
      ...grounds,
    ];
    const ground = behind.reduce((under, top) => over(parse(top), under), [255, 255, 255, 1]);
    let opacity = 1;
    for (let one = element; one; one = one.parentElement)
      opacity *= Number(page.getComputedStyle(one).opacity);
    const [dark = 0, light = 0] = [ground, over(parse(color), ground, opacity)]
      .map(luminance)
      .sort((a, b) => a - b);
    const ratio = (light + 0.05) / (dark + 0.05);
    // WCAG 2.2 AA.
    const wanted = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
    if (ratio >= wanted) continue;
    const line = `contrast ${ratio.toFixed(1)}, at least ${wanted}: ${short(text)} in ${place(element)}`;
    if (!said.has(line)) problems.push(line);
    said.add(line);
  }

  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) problems.push(`the page is ${scrollWidth} wide, the window ${clientWidth}`);
  return problems;
}
