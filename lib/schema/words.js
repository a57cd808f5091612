/** Short, ordinary words, for strings of which nothing is known. */
export const WORDS = [
  'alpha',
  'amber',
  'apple',
  'autumn',
  'basil',
  'beacon',
  'birch',
  'bright',
  'cedar',
  'cloud',
  'copper',
  'coral',
  'daisy',
  'delta',
  'ember',
  'falcon',
  'fern',
  'forest',
  'garden',
  'harbor',
  'hazel',
  'indigo',
  'island',
  'jade',
  'juniper',
  'lake',
  'lemon',
  'lily',
  'maple',
  'meadow',
  'mint',
  'ocean',
  'olive',
  'orchid',
  'pearl',
  'pine',
  'quartz',
  'rain',
  'river',
  'sage',
  'silver',
  'spring',
  'stone',
  'summit',
  'tulip',
  'valley',
  'violet',
  'willow',
  'winter',
  'zephyr',
];

/**
 * @param {import('./random.js').Random} random
 * @param {string} separator
 * @param {number} min
 * @param {number} max characters
 * @returns {string} a word, or as many as it takes
 */
export function words(random, separator, min, max) {
  let text = random.pick(WORDS);
  while (text.length < min) text += separator + random.pick(WORDS);
  if (text.length <= max) return text;
  // Cut, but not so that it ends with a separator.
  const cut = text.slice(0, max);
  return separator !== '' && cut.endsWith(separator) ? `${cut.slice(0, -separator.length)}s` : cut;
}
