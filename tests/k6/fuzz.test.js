/** The short form of `make fuzz`, with one seed. */
import { AREAS } from '../fuzz/areas.js';
import { testArea } from '../fuzz/test-area.js';

for (const [name, about] of Object.entries(AREAS)) testArea(name, about);
