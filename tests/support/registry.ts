import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Ended } from './command.ts'

/** npm with its usual registry, but with fewer retries and without install scripts. */
const QUIET_NPM = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_loglevel: 'error',
  npm_config_global: 'false',
  npm_config_include: 'dev',
  npm_config_ignore_scripts: 'true',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '1000',
}

/** Installs packages of the registry into a folder, without install scripts. */
export const installInto = (folder: string, ...packages: ReadonlyArray<string>): Promise<Ended> =>
  endOf(['npm', 'install', '--no-save', '--no-package-lock', '--prefix', folder, ...packages], {
    cwd: folder,
    env: { ...process.env, ...QUIET_NPM },
  })

/** Runs a program to its end, and collects what it prints. */
export const endOf = async (
  [program = '', ...words]: ReadonlyArray<string>,
  options: Readonly<{ cwd: string; env: NodeJS.ProcessEnv }>,
): Promise<Ended> => {
  const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text
  })
  const [status] = await once(child, 'close')
  return { status, ...output }
}

/** Whether npm failed because no registry is reachable. */
export const isOutOfReach = ({ err }: Ended): boolean =>
  /code (?:ENOTFOUND|EAI_AGAIN|ECONN[A-Z]+|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/.test(
    err,
  )
