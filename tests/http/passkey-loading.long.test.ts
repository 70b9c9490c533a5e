import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { PASSKEY_SETTINGS } from '../support/passkey-desk.ts'

const isSource = import.meta.url.endsWith('.ts')
const moduleAt = (path: string): string =>
  new URL(`../../${path}.${isSource ? 'ts' : 'js'}`, import.meta.url).href

/** Prints each resolved module of the library, in the thread of the hooks. */
const HOOKS = `
  import { writeSync } from 'node:fs'
  export const resolve = (name, context, next) => {
    if (name.startsWith('@simplewebauthn/')) writeSync(1, name + '\\n')
    return next(name, context)
  }
`

/** Starts and stops a service in a new process. */
const PROGRAM = `
  import { register } from 'node:module'
  const [hooks, index, support, environment] = process.argv.slice(1)
  register('data:text/javascript,' + encodeURIComponent(hooks))
  const { compose } = await import(index)
  const { settings } = await import(support)
  const service = await compose(settings(JSON.parse(environment)))
  await service.listen('127.0.0.1', 0)
  await service.stop()
`

describe('the library of passkeys', () => {
  for (const [title, environment, isLoaded] of [
    ['is loaded at the start with PASSKEY_RP_ID', PASSKEY_SETTINGS, true],
    ['is not loaded without it', FACTOR_SETTINGS, false],
  ] as const) {
    it(title, () => {
      const { stdout, status } = spawnSync(
        process.execPath,
        [
          ...(isSource ? ['--import', 'tsx'] : []),
          '--input-type=module',
          '-e',
          PROGRAM,
          '--',
          HOOKS,
          moduleAt('adapters/index'),
          moduleAt('tests/support/settings'),
          JSON.stringify(environment),
        ],
        { encoding: 'utf8' },
      )
      expect(status).to.equal(0)
      expect(stdout.includes('@simplewebauthn/server')).to.equal(isLoaded)
    }).timeout(60_000)
  }
})
