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
    help: 'sweep: values of SETTING to measure; unset: a default list',
    valid: 'two or more different values of SETTING, separated by spaces',
  },
};
