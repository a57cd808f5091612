import { text } from '../../contract/types.js';

export const variables = {
  RESTART_COMMAND: {
    type: text,
    help: 'rolling-restart: command that replaces the server at TARGET_URL, for example a rollout, and exits when the new one is ready',
    valid: 'a command for bash',
  },
};
