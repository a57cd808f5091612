import { text, words } from '../../contract/types.js';
import { SETTINGS } from './settings.ts';

export const variables = {
  SETTING: {
    type: text,
    default: 'WORKERS',
    help: 'sweep: the setting of the reference target to vary',
    valid: Object.keys(SETTINGS).join(', '),
  },
  VALUES: {
    type: words,
    help: "sweep: the SETTING's values, separated by spaces; unset: some that differ",
    valid: "two or more of the SETTING's values, separated by spaces",
  },
};
