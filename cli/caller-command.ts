/** Starts a bash command of the caller: SERVER_COMMAND or RESTART_COMMAND. */
import { callerPath, environmentOf } from './child.ts';
import { type Group, startGroup } from './group.ts';
import { ProgramLog } from './program-log.ts';

/**
 * Environment variables that are passed to a command, because programs and toolchains need them. The run's
 * secrets and a pipeline's command files (GITHUB_ENV) are not passed.
 */
const OF_TOOLCHAINS = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE'],
  ...['HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM', 'CI'],
  ...[
    'NODE_ENV',
    'NVM_DIR',
    'NVM_BIN',
    'VOLTA_HOME',
    'PNPM_HOME',
    'VIRTUAL_ENV',
    'CONDA_PREFIX',
    'PYENV_ROOT',
    'UV_CACHE_DIR',
  ],
  ...[
    'JAVA_HOME',
    'GOPATH',
    'GOROOT',
    'GOCACHE',
    'GOMODCACHE',
    'CARGO_HOME',
    'RUSTUP_HOME',
    'RUSTUP_TOOLCHAIN',
  ],
  ...[
    'DOTNET_ROOT',
    'GEM_HOME',
    'LD_LIBRARY_PATH',
    'XDG_CACHE_HOME',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_RUNTIME_DIR',
  ],
];

export interface CallerCommand {
  /** A bash command. */
  command: string;
  /** Names of additional environment variables to pass. */
  variables: readonly string[];
  /** Log file; output is written without secrets and control characters. */
  log: string;
  secrets: readonly string[];
}

export function startCallerCommand({ command, variables, log, secrets }: CallerCommand): {
  child: Group;
  output: ProgramLog;
} {
  const output = new ProgramLog(log, secrets);
  const child = startGroup(['bash', '-c', command], {
    env: { ...environmentOf([...OF_TOOLCHAINS, ...variables]), PATH: callerPath() },
    isWholeEnv: true,
    onOutput: output.add,
  });
  return { child, output };
}
