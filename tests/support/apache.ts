import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

/** A real Apache with mod_auth_openidc, on a port of 127.0.0.1. */
export type Apache = Readonly<{
  /** What it has written into its error log. */
  log: () => string
  stop: () => Promise<void>
}>

const PROGRAM = '/usr/sbin/apache2'
const MODULES = '/usr/lib/apache2/modules'

const LOADED = [
  'mpm_event',
  'authn_core',
  'authz_core',
  'authz_user',
  'auth_openidc',
  'dir',
  'include',
  'mime',
] as const

/**
 * @param pages texts by name, below the root
 * @param directives what the pages need
 */
export const startApache = async (
  port: number,
  pages: Readonly<Record<string, string>>,
  directives: ReadonlyArray<string>,
): Promise<Apache> => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-apache-'))
  chmodSync(folder, 0o755) // it serves as another user
  const root = join(folder, 'pages')
  for (const [name, text] of Object.entries(pages)) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  const errors = join(folder, 'error.log')
  writeFileSync(
    join(folder, 'apache.conf'),
    [
      ...LOADED.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
      // Root gives its rights away.
      ...(userInfo().uid === 0 ? ['User www-data', 'Group www-data'] : []),
      'ServerName 127.0.0.1',
      `Listen 127.0.0.1:${port}`,
      `ServerRoot ${folder}`,
      `DefaultRuntimeDir ${folder}`,
      `PidFile ${join(folder, 'apache.pid')}`,
      `Mutex file:${folder} default`,
      `ErrorLog ${errors}`,
      `DocumentRoot ${root}`,
      'TypesConfig /dev/null',
      ...directives,
      '',
    ].join('\n'),
  )
  const child = spawn(PROGRAM, ['-f', join(folder, 'apache.conf'), '-D', 'FOREGROUND'], { stdio: 'inherit' })
  const gone = once(child, 'exit')
  const log = () => (existsSync(errors) ? readFileSync(errors, 'utf8') : '')
  await eventually('Apache listens', async () => {
    if (child.exitCode !== null) throw new Error(`Apache does not start: ${log()}`)
    return log().includes('resuming normal operations') ? true : undefined
  })
  return {
    log,
    stop: async () => {
      child.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether Apache and mod_auth_openidc are installed. Without them their tests are skipped, and fail in CI. */
export const hasApache = [PROGRAM, join(MODULES, 'mod_auth_openidc.so')].every(existsSync)

if (!hasApache)
  it('needs Apache with mod_auth_openidc, and there is none (make relying-parties)', function () {
    if (process.env.CI) throw new Error('There is no Apache with mod_auth_openidc.')
    this.skip()
  })
