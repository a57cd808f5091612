import { text } from '../../contract/types.js';

export const variables = {
  RESTART_COMMAND: {
    type: text,
    help: 'rolling-restart: command that replaces the server at TARGET_URL, for example a rollout; it must exit when the new server is ready',
    valid: 'a command for bash',
  },
};
