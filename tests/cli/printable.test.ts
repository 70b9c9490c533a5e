import { expect } from 'chai'
import { printable, printableOnLine } from '../../adapters/cli/printable.ts'
import { attributesText } from '../../domain/attributes.ts'
import { withRaw } from '../sqlite/raw.ts'
import { onSqlite } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { startHere } from '../support/run-here.ts'
import { anApplication, aUser, change, registered, registeredApplication } from '../testkit/builders.ts'

describe('a text on a terminal', () => {
  const SHOWN: ReadonlyArray<readonly [what: string, text: string, shown: string]> = [
    ['an escape sequence', '\u001b[2Jx', '\\u001b[2Jx'],
    ['a bell, a carriage return and a tab', 'a\u0007\r\tb', 'a\\u0007\\u000d\\u0009b'],
    ['a C1 control', '\u009b31m', '\\u009b31m'],
    ['a delete', '\u007f', '\\u007f'],
    ['bidirectional controls', '\u202eabc\u2066', '\\u202eabc\\u2066'],
    ['separators of lines and paragraphs', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['a byte order mark and a soft hyphen', '\ufeffa\u00adb', '\\ufeffa\\u00adb'],
    ['hidden tags', 'a\u{e0041}', 'a\\udb40\\udc41'],
    ['half a character', 'a\ud83d', 'a\\ud83d'],
    ['a character of private use', '\ue000', '\\ue000'],
    ['a joiner that no letter needs', 'sh\u200dop \u200c', 'sh\\u200dop \\u200c'],
    ['a joined emoji', '👩\u200d🚀', '👩\u200d🚀'],
    ['a Persian name', 'نی\u200cلوفر', 'نی\u200cلوفر'],
    ['a Hindi name', 'क्\u200dष', 'क्\u200dष'],
    ['letters, signs and spaces', 'Zoë — „shop“ 店\u00a0🚀 \\u001b', 'Zoë — „shop“ 店\u00a0🚀 \\u001b'],
    ['a line feed', 'a\nb', 'a\nb'],
  ]
  for (const [what, text, shown] of SHOWN) {
    it(`shows ${what}`, () => {
      expect(printable(text)).to.equal(shown)
      expect(printable(shown), 'again').to.equal(shown)
    })
  }

  it('has no line feed of a value', () => {
    expect(printableOnLine('a\nb\u001b')).to.equal('a\\nb\\u001b')
  })

  it('means the same as JSON', () => {
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      const json = JSON.stringify({ value: String.fromCharCode(unit) })
      expect(JSON.parse(printable(json))).to.deep.equal(JSON.parse(json))
    }
  })
})

onSqlite('commands on rows with terminal sequences', (stores) => {
  const { withStore, url, remove } = stores.workplace()
  const SEQUENCE = '\u001b]0;owned\u0007\u009b2J\u202e\u2028\nok     forged'
  const application = anApplication({
    name: `shop${SEQUENCE}`,
    scope: ['users:recover', 'users:reset_factors'],
  })
  const user = aUser({
    email: `ada${SEQUENCE}@example.com`,
    attributes: attributesText({ name: 'Ada', metadata: { note: SEQUENCE } }),
  })
  before(() =>
    withStore((store) => succeed(store.commit(change(registeredApplication(application), registered(user))))),
  )
  after(remove)

  const COMMANDS = [
    'application list',
    'user list',
    `user show ${user.id}`,
    `user history ${user.id}`,
    'events list',
    'doctor',
    `user disable ${user.id}`,
    `application set-passkey-origins ${application.id}`,
  ]
  const run = (words: string | ReadonlyArray<string>, isOutTerminal: boolean) =>
    startHere(words, { environment: { DATABASE_URL: url() }, isOutTerminal }).ended

  for (const words of COMMANDS) {
    for (const isOutTerminal of [true, false]) {
      it(`write none: ${words.split(' ', 2).join(' ')} ${isOutTerminal ? 'on a terminal' : 'elsewhere'}`, async () => {
        const { out, err } = await run(words, isOutTerminal)
        expect(out, err).to.not.equal('')
        expect(out + err).to.match(/^[^\p{C}\p{Zl}\p{Zp}]*(\n[^\p{C}\p{Zl}\p{Zp}]*)*$/u)
        expect(out + err).to.not.match(/^ok {5}forged/m)
      })
    }
  }

  it('keep each value in JSON', async () => {
    const { out } = await run('application list --json', false)
    expect(out).to.match(/^[^\p{C}\p{Zl}\p{Zp}]+\n$/u)
    expect(JSON.parse(out).name).to.equal(application.name)
    const shown = await run(`user show ${user.id} --json`, false)
    expect(shown.out).to.match(/^[^\p{C}\p{Zl}\p{Zp}]+\n$/u)
    expect(JSON.parse(shown.out)).to.deep.include({ name: 'Ada', metadata: { note: SEQUENCE } })
  })

  it('align the columns of a table behind them', async () => {
    const { out } = await run('application list', true)
    const [header = '', row = ''] = out.split('\n')
    expect(row.indexOf('users:recover')).to.equal(header.indexOf('scope'))
  })

  it('write none of a mistake in the command line', async () => {
    const { out, err, status } = await run(['user', 'list', '--\u001b[31m'], true)
    expect({ out, status }).to.deep.equal({ out: '', status: 2 })
    expect(err).to.include("unknown option '--\\u001b[31m'")
  })

  it('write no line of a place that the mark of a copy names', async () => {
    withRaw(url().replace('sqlite:', ''), (db) =>
      db
        .prepare("UPDATE log_epoch SET copy_state = 'moved', copy_id = 'a', copy_place = ?")
        .run(`x${SEQUENCE}`),
    )
    for (const words of [
      'user create --email eva@example.com --password-stdin',
      `user disable ${user.id}`,
      'serve',
      'events renew',
    ]) {
      const { out, err } = await run(words, false)
      expect(err, words).to.match(/^[^\n]*\\nok {5}forged[^\n]*\n$/)
      expect(out + err, words).to.not.match(/^ok {5}forged/m)
    }
  })
})
