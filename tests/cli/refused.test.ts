import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { ONE_SHOT_COMMANDS } from '../support/commands.ts'
import { onSqlite } from '../support/one-store.ts'
import { runHere } from '../support/run-here.ts'

const NO_APPLICATION = 'No application has this id or name. See: portcullis application list\n'
const NO_USER = 'No user has this e-mail or id. See: portcullis user list\n'
const EMPTY = 'The password on standard input is empty.\n'
const NO_UTF8 = 'The password on standard input is not valid UTF-8.\n'
const TOO_LONG = 'The password on standard input is longer than 16384 bytes.\n'

const create = (email: string) => `user create --email ${email} --password-stdin`
const setPassword = (email: string) => `user set-password ${email} --password-stdin`

const REFUSED: ReadonlyArray<
  readonly [what: string, words: string, input: string | Uint8Array, sentence: string]
> = [
  [
    'a name and a scope that break a rule, both at once',
    'application create --name \u0007 --scope everything',
    '',
    '--name must have 1 to 100 printable characters, got "\\u0007".\n--scope must be one or more of users:sign_in, users:register, users:recover, users:confirm_email, users:read, users:manage, users:reset_factors, users:vouch, users:roles, users:attributes, tokens:introspect, events:read, separated by spaces, got "everything".\n',
  ],
  ['to rotate an unknown id', `application rotate ${randomUUID()}`, '', NO_APPLICATION],
  ['a taken e-mail in another case', create('ADA@example.com'), 'x', 'This e-mail is already registered.\n'],
  [
    'a malformed e-mail and an empty password, both at once',
    create('ada'),
    '\n',
    `--email must be an e-mail address with at most 254 characters.\n${EMPTY}`,
  ],
  ['a password that is no UTF-8', create('eve@example.com'), Uint8Array.of(0xff, 0xfe), NO_UTF8],
  ['a password in UTF-16', create('eve@example.com'), Buffer.from('\ufeffsecret', 'utf16le'), NO_UTF8],
  ['a password of a byte order mark', create('eve@example.com'), '\ufeff\r\n', EMPTY],
  ['a password without end', create('eve@example.com'), 'x'.repeat(16 * 1024 + 1), TOO_LONG],
  ['to set the password of an unknown e-mail', setPassword('eve@example.com'), 'x', NO_USER],
  ['to set a password of a line feed', setPassword('ada@example.com'), '\n', EMPTY],
  ['to disable an unknown e-mail', 'user disable eve@example.com', '', NO_USER],
  ['to remove an unknown id', `user remove ${randomUUID()}`, '', NO_USER],
  ['to reset the factors of an unknown id', `user reset-factors ${randomUUID()}`, '', NO_USER],
  ['to show an unknown e-mail', 'user show eve@example.com --json', '', NO_USER],
]

onSqlite('the command line refuses', (stores) => {
  const { portcullis, url, contents, remove } = stores.workplace()
  let untouched: object
  before(async () => {
    await portcullis('application create --name shop')
    await portcullis(create('ada@example.com'), { input: 'secret' })
    untouched = await contents()
  })
  after(remove)

  for (const [what, words, input, sentence] of REFUSED) {
    it(`${what}, with status 1 and one sentence, and changes nothing`, async () => {
      const ended = await runHere(words, { DATABASE_URL: url() }, input)
      expect(ended).to.deep.equal({ status: 1, out: '', err: sentence })
      expect(await contents()).to.deep.equal(untouched)
    })
  }
})

describe('the command line refuses', () => {
  for (const [command, rest] of ONE_SHOT_COMMANDS) {
    it(`a store in memory: ${command}`, async () => {
      expect(await runHere(`${command}${rest}`, { DATABASE_URL: 'memory:' })).to.deep.equal({
        status: 1,
        out: '',
        err: 'DATABASE_URL=memory: is visible only to the server itself. Set it to sqlite:PATH or to a PostgreSQL URL.\n',
      })
    })
  }
})
