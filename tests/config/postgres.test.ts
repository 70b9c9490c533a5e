import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { type Settings, settingsFrom } from '../../adapters/config.ts'

const DATABASE_URL = 'postgres://ada:secret@pooler:6432/auth'

const read = (environment: Record<string, string>): Settings => {
  const made = settingsFrom(environment)
  if (made._tag === 'Left') throw new Error(made.left.join('; '))
  return made.right
}

describe('the settings of PostgreSQL', () => {
  it('are taken beside its URL', () => {
    const direct = 'postgres://ada:secret@server:5432/auth'
    const { databasePoolSize, databaseDirectUrl } = read({
      DATABASE_URL,
      DATABASE_POOL_SIZE: '25',
      DATABASE_DIRECT_URL: direct,
    })
    expect([databasePoolSize, databaseDirectUrl]).to.deep.equal([25, direct])
  })

  // [name, value, what is said of a wrong one]
  const WRONG: ReadonlyArray<readonly [string, string, string]> = [
    ['DATABASE_POOL_SIZE', '1', 'a whole number from 2 to 1000'],
    ['DATABASE_POOL_SIZE', '1001', 'a whole number from 2 to 1000'],
    ['DATABASE_DIRECT_URL', 'sqlite:a.db', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
    ['DATABASE_DIRECT_URL', 'postgres://ada:secret@server', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
  ]
  for (const [name, value, rule] of WRONG) {
    it(`are not taken: ${name}=${value}`, () => {
      expect(settingsFrom({ DATABASE_URL, [name]: value })).to.deep.equal(left([`${name}: ${rule}`]))
    })
  }

  for (const [name, value] of [
    ['DATABASE_POOL_SIZE', '25'],
    ['DATABASE_DIRECT_URL', DATABASE_URL],
  ] as const) {
    it(`are refused where they would do nothing: ${name} beside another store`, () => {
      const sentence = `${name}: it does something only with DATABASE_URL=postgres://…`
      expect(settingsFrom({ [name]: value })).to.deep.equal(left([sentence]))
      expect(settingsFrom({ [name]: value, DATABASE_URL: 'memory:' })).to.deep.equal(left([sentence]))
    })
  }
})
