import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { foreignRecords } from '../support/foreign-records.ts'

const isSource = import.meta.url.endsWith('.ts')
const hasher = new URL(`../../adapters/composition/security.${isSource ? 'ts' : 'js'}`, import.meta.url)

/** Verifies records in a new process, and prints the loaded libraries of foreign algorithms. */
const PROGRAM = `
  const [module, ...records] = process.argv.slice(1)
  const { standardPasswordHasher } = await import(module)
  const hasher = standardPasswordHasher({
    scrypt: { logN: 1, r: 8, p: 1 }, peppers: [], hashing: { concurrency: 1, maxWaitMs: 600_000 },
  })
  await hasher.hash('x', { share: ['tests'] })()
  for (const value of records) {
    hasher.assess(value)
    await hasher.verify('x', { _tag: 'Some', value }, { share: ['tests'] })()
  }
  hasher.verifyMs({ _tag: 'Some', value: 'bcrypt:12' })
  process.report.excludeNetwork = true
  const loaded = process.report.getReport().sharedObjects.join(' ')
  console.log(['argon2', 'bcrypt'].filter((name) => loaded.includes('/@node-rs/' + name)).join(' '))
`

describe('the libraries of foreign algorithms', () => {
  for (const [loaded, formats] of [
    ['', []],
    ['', ['$scrypt$', '$pbkdf2-sha256$']],
    ['bcrypt', ['$2b$']],
    ['argon2', ['$argon2id$', '$argon2d$']],
  ] as const) {
    it(`are loaded by their first record: ${loaded || 'none'} for ${formats.join(', ') || 'no records'}`, async () => {
      const records = (await foreignRecords('x'))
        .map(({ record }) => record)
        .filter((record) => formats.some((format) => record.startsWith(format)))
      expect(records).to.have.lengthOf(formats.length)
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [
          ...(isSource ? ['--import', 'tsx'] : []),
          '--input-type=module',
          '-e',
          PROGRAM,
          '--',
          hasher.href,
          ...records,
        ],
        { encoding: 'utf8' },
      )
      expect(stderr).to.equal('')
      expect(stdout.trim()).to.equal(loaded)
    })
  }
})
