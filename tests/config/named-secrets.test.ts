import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { envFileOf, environmentOf } from '../../adapters/config/environment.ts'
import { type Settings, settingsFrom } from '../../adapters/config/settings.ts'

/** The settings with named secrets. */
const NAMED = [
  { name: 'PASSWORD_PEPPER', newThings: 'passwords', setting: 'peppers' },
  { name: 'KEY_ENCRYPTION_KEY', newThings: 'signing keys', setting: 'keyEncryptionKeys' },
  { name: 'EVENT_LOG_KEY', newThings: 'checkpoints', setting: 'eventLogKeys' },
] as const

type Secrets = Settings['peppers' | 'keyEncryptionKeys' | 'eventLogKeys']

const A = 'a'.repeat(32)
const B = 'b'.repeat(64)

for (const { name, newThings, setting } of NAMED) {
  const RULE = `${name} must be ID:SECRET, or several separated by spaces, the one for new ${newThings} first. An ID has 1 to 16 of A-Z a-z 0-9 _ - and occurs once. A SECRET has 32 to 256 printable ASCII characters without commas (make one: openssl rand -hex 32). The value is not shown, because it is secret`
  const FILE = `${name}_FILE`

  const secretsOf = (environment: Record<string, string>): Secrets | ReadonlyArray<string> => {
    const made = settingsFrom(environment)
    return made._tag === 'Right' ? made.right[setting] : made.left
  }

  describe(name, () => {
    it('is empty if it is not set', () => {
      for (const environment of [{}, { [name]: '' }, { [name]: '', [FILE]: '' }]) {
        expect(secretsOf(environment as Record<string, string>)).to.deep.equal([])
      }
    })

    const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index))
      .join('')
      .replace(',', '')
    const GOOD: ReadonlyArray<readonly [what: string, text: string, secrets: Secrets]> = [
      ['one', `1:${A}`, [{ id: '1', secret: A }]],
      [
        'two, the one for new data first',
        `new:${B} old:${A}`,
        [
          { id: 'new', secret: B },
          { id: 'old', secret: A },
        ],
      ],
      [
        'many, with any whitespace between',
        `a:${A}  b:${A}\tc:${A}\nd:${A}\r\ne:${A}`,
        ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, secret: A })),
      ],
      ['an id of every kind of character', `Az09_-:${A}`, [{ id: 'Az09_-', secret: A }]],
      ['an id of 16 characters', `${'x'.repeat(16)}:${A}`, [{ id: 'x'.repeat(16), secret: A }]],
      [
        'two ids that differ in case',
        `a:${A} A:${B}`,
        [
          { id: 'a', secret: A },
          { id: 'A', secret: B },
        ],
      ],
      ['a secret of 256 characters', `1:${'s'.repeat(256)}`, [{ id: '1', secret: 's'.repeat(256) }]],
      [
        'a secret of every printable character but the comma',
        `1:${PRINTABLE}`,
        [{ id: '1', secret: PRINTABLE }],
      ],
      ['a secret that looks like one with an id', `1:2:${A}`, [{ id: '1', secret: `2:${A}` }]],
    ]
    for (const [what, text, secrets] of GOOD) {
      it(`may be ${what}`, () => {
        expect(secretsOf({ [name]: text })).to.deep.equal(secrets)
      })
    }

    const BAD: ReadonlyArray<readonly [what: string, text: string]> = [
      ['a secret alone', A],
      ['a word', 'hunter2'],
      ['an id alone', '1'],
      ['an id without a secret', '1:'],
      ['a secret without an id', `:${A}`],
      ['a secret of 31 characters', `1:${'a'.repeat(31)}`],
      ['two with a comma between', `a:${A},b:${B}`],
      ['a secret of 257 characters', `1:${'a'.repeat(257)}`],
      ['a secret outside ASCII', `1:${'é'.repeat(32)}`],
      ['a secret with a control character', `1:${A}\u0007`],
      ['a secret with a space in it', `1:${'a'.repeat(20)} ${'a'.repeat(20)}`],
      ['an id of 17 characters', `${'x'.repeat(17)}:${A}`],
      ['an id with a dollar, the separator in records', `a$b:${A}`],
      ['an id with a dot', `a.b:${A}`],
      ['an id outside ASCII', `é:${A}`],
      ['one id twice beside a malformed secret', `1:${A} 1:${B} short`],
      ['a valid and an invalid one', `1:${A} 2:short`],
      ['an invalid and a valid one', `short 2:${A}`],
      ['a space before it', ` 1:${A}`],
      ['a space after it', `1:${A} `],
      ['a space', ' '],
      ['a quote around it', `"1:${A} 2:${B}"`],
    ]
    for (const [what, text] of BAD) {
      it(`may not be ${what}, and the message hides the value`, () => {
        expect(settingsFrom({ [name]: text })).to.deep.equal(left([RULE]))
      })
    }

    const TWICE: ReadonlyArray<readonly [what: string, text: string]> = [
      ['one id twice', `2027:${A} 2027:${B}`],
      ['one of them twice', `2027:${A} 2027:${A}`],
      ['one id in the first and the last place', `2027:${A} 2:${A} 2027:${B}`],
    ]
    for (const [what, text] of TWICE) {
      it(`may not be ${what}, and the message names the id`, () => {
        expect(settingsFrom({ [name]: text })).to.deep.equal(
          left([`${name} has the id 2027 twice. Give each secret an id of its own`]),
        )
      })
    }

    it('is reported with other wrong settings', () => {
      const made = settingsFrom({ [name]: 'hunter2', PORT: 'x' })
      expect(made).to.deep.equal(left(['PORT must be a whole number from 1 to 65535, got "x"', RULE]))
    })
  })

  describe(FILE, () => {
    let folder = ''
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'portcullis-secrets-'))
    })
    afterEach(() => rmSync(folder, { recursive: true }))

    const file = (content: string): string => {
      const path = join(folder, 'secrets')
      writeFileSync(path, content)
      return path
    }

    const BOTH = [
      { id: 'new', secret: B },
      { id: 'old', secret: A },
    ]
    const GOOD: ReadonlyArray<readonly [what: string, content: string]> = [
      ['in one line', `new:${B} old:${A}`],
      ['in one line that ends', `new:${B} old:${A}\n`],
      ['one per line', `new:${B}\nold:${A}\n`],
      ['one per line with CR LF', `new:${B}\r\nold:${A}\r\n`],
    ]
    for (const [what, content] of GOOD) {
      it(`names a file that holds the secrets: ${what}`, () => {
        expect(secretsOf({ [FILE]: file(content) })).to.deep.equal(BOTH)
      })
    }

    it('is valid beside an empty setting', () => {
      const environment = { [name]: '', [FILE]: file(`1:${A}`) }
      expect(secretsOf(environment)).to.deep.equal([{ id: '1', secret: A }])
    })

    it('can be set in .env', () => {
      writeFileSync(join(folder, '.env'), `${FILE}=${file(`1:${A}\n`)}\n`)
      const environment = environmentOf({}, envFileOf({}, folder)) as Record<string, string>
      expect(secretsOf(environment)).to.deep.equal([{ id: '1', secret: A }])
    })

    it('is refused beside the setting itself, and neither is shown', () => {
      const environment = { [name]: `1:${A}`, [FILE]: file(`2:${B}`) }
      expect(settingsFrom(environment)).to.deep.equal(
        left([`${FILE} and ${name} are both set. Remove one of them`]),
      )
    })

    const EMPTY = `${FILE} names an empty file, `
    const BAD: ReadonlyArray<readonly [what: string, content: string, message: string]> = [
      ['empty', '', EMPTY],
      ['an empty line', '\n', EMPTY],
      ['a secret alone', `${B}\n`, RULE],
      ['secrets and an empty line', `1:${A}\n\n`, RULE],
    ]
    for (const [what, content, message] of BAD) {
      it(`is wrong if the file is ${what}`, () => {
        const path = file(content)
        const expected = message === EMPTY ? `${EMPTY}"${path}"` : message
        expect(settingsFrom({ [FILE]: path })).to.deep.equal(left([expected]))
      })
    }

    it('is wrong if it names no file', () => {
      for (const [nowhere, code] of [
        ['nowhere', 'ENOENT'],
        ['.', 'EISDIR'],
      ] as const) {
        const path = join(folder, nowhere)
        expect(settingsFrom({ [FILE]: path })).to.deep.equal(
          left([`${FILE} names a file that cannot be read (${code}), "${path}"`]),
        )
      }
    })
  })
}
