import { FAULT_NAMES, FaultError, readFaults } from './table.js';

/** @returns {import('../environment.js').Variable} TARGET_FAULTS: the faults that are active from the start */
export function faultsVariable() {
  return {
    fallback: '{}',
    valid: `a JSON object of numbers by name: ${FAULT_NAMES.join(', ')}`,
    parse(text) {
      try {
        return readFaults(JSON.parse(text));
      } catch (error) {
        if (error instanceof FaultError || error instanceof SyntaxError) return undefined;
        throw error;
      }
    },
  };
}
