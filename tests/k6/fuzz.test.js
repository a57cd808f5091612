/** The short form of `make fuzz`, with one seed: the areas that need k6. */
import { AREAS } from '../fuzz/areas.js';
import { testArea } from '../fuzz/test-area.js';

for (const [name, { about, k6 }] of Object.entries(AREAS)) {
  if (k6) testArea(name, about);
}
