export { toolPath } from '../experiments/tool-path.js';
