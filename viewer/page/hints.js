/** The text behind an (i): shown under the pointer and on focus, gone with either, or with Escape. */
import { element } from './element.js';

const box = element('div', { class: 'hint', role: 'tooltip', id: 'hint', hidden: true });

/** @param {EventTarget | null} target */
const hinted = (target) => (target instanceof Element ? target.closest('[data-hint]') : null);

/** @param {Element} owner */
function show(owner) {
  if (!box.isConnected) document.body.append(box);
  box.textContent = owner.getAttribute('data-hint');
  box.hidden = false;
  owner.setAttribute('aria-describedby', box.id);
  const { left, bottom, top } = owner.getBoundingClientRect();
  const x = Math.max(8, Math.min(left - 8, window.innerWidth - box.offsetWidth - 8));
  const y = bottom + 8 + box.offsetHeight > window.innerHeight ? top - 8 - box.offsetHeight : bottom + 8;
  box.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}

function hide() {
  box.hidden = true;
}

/** Watches the whole page. */
export function watchHints() {
  document.addEventListener('pointerover', ({ target }) => {
    const owner = hinted(target);
    if (owner) show(owner);
    else if (!hinted(document.activeElement)) hide();
  });
  document.addEventListener('focusin', ({ target }) => {
    const owner = hinted(target);
    if (owner) show(owner);
    else hide();
  });
  document.addEventListener('focusout', hide);
  document.addEventListener('scroll', hide, { passive: true, capture: true });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide();
  });
}
