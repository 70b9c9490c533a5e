import { expect } from 'chai'
import type { ProcessWorkplace } from '../support/command.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'
import type { Entry, Ledger } from './ledger.ts'
import {
  type Cast,
  canSignIn,
  isAlive,
  isUsable,
  NEW_USER,
  type Other,
  type Person,
  SESSION_TTL,
  settle,
} from './oracle.ts'
import { asking } from './requests.ts'

/** Tokens remain valid after a restart on another port. */
export const ENVIRONMENT = {
  PUBLIC_URL: 'http://service.test',
  LOG_LEVEL: 'error',
  SESSION_TTL: `${SESSION_TTL}`, // above that of a token, so that sessions are renewed
  SESSION_REMEMBER_TTL: `${7 * SESSION_TTL}`,
  // The load makes many.
  THROTTLE_RECOVERIES: '1000000',
  THROTTLE_SIGN_INS: '1000000',
  THROTTLE_VOUCHED: '1000000',
}

/** The context of a fault test. */
export type Place = Pick<ProcessWorkplace, 'portcullis'>

/** Creates an application and some users in an empty store, and reads their log entries. */
export const cast = async (place: Place, book: Ledger, people = 6): Promise<Cast> => {
  const made = await json(place, 'application create --name oracle --json')
  const { id, public_api_key, private_api_key } = made
  const others = {
    manager: await other(place, 'users:manage'),
    recoverer: await other(place, 'users:recover'),
    confirmer: await other(place, 'users:confirm_email'),
    voucher: await other(place, 'users:vouch users:sign_in users:confirm_email'),
    promoter: await other(place, 'users:roles'),
    editor: await other(place, 'users:attributes'),
    reader: await other(place, 'users:read'),
  }
  const users: Array<Person> = []
  for (let each = 1; each <= people; each += 1) {
    const [email, password] = [`user${each}@example.com`, `first password of ${each}`]
    const user = await json(place, `user create --email ${email} --password-stdin --json`, password)
    users.push({ id: user.id, email, password, ...NEW_PERSON() })
  }
  await readOn(place, book)
  return {
    application: { id, keys: { public_api_key, private_api_key } },
    others,
    people: users,
    applicationTokens: [],
  }
}

const NEW_PERSON = (): Omit<Person, 'id' | 'email' | 'password'> => ({
  ...NEW_USER(),
  sessions: [],
  tokens: [],
  generations: { recovery: 0, email_confirmation: 0 },
  undecided: [],
  wrongPasswords: [],
})

const other = async (place: Place, scope: string): Promise<Other> => {
  const made = await json(place, ['application', 'create', '--name', 'other', '--scope', scope, '--json'])
  const { id, public_api_key, private_api_key } = made
  return { id, keys: { public_api_key, private_api_key }, token: undefined }
}

const json = async (place: Place, words: string | ReadonlyArray<string>, input = '') => {
  const { status, out, err } = await place.portcullis(words, { input })
  if (status !== 0) throw new Error(`portcullis ${words}: ${err}`)
  return JSON.parse(out)
}

/** Reads new log entries with the real command. Nothing may be in flight. */
export const readOn = async (place: Place, book: Ledger): Promise<void> => {
  book.read(await entriesAfter(place, book.position()))
}

export const entriesAfter = async (place: Place, position: number): Promise<ReadonlyArray<Entry>> => {
  const { status, out, err } = await place.portcullis(`events list --json --after ${position}`)
  expect(status, err).to.equal(0)
  expect(err).to.match(CURSOR)
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** The additional output of `events list`. */
export const CURSOR = /^Continue with --after [0-9a-f]{8}:\d+\n$/

/** Reads new log entries, resolves unknown outcomes with them, and checks all expectations on a running server. */
export const verify = async (place: Place, port: number, cast: Cast, book: Ledger): Promise<void> => {
  await readOn(place, book)
  settle(book, cast.people)
  await prove(port, cast, book)
}

/** Tries every recorded password and token, and looks at all that was recorded of the users. */
export const prove = async (port: number, cast: Cast, book: Ledger): Promise<void> => {
  const proveOne = async (person: Cast['people'][number]): Promise<void> => {
    const ask = asking(port, cast, book)
    const expected = (what: string, { status }: { status: number | undefined }, wanted: number): void => {
      if (status !== wanted) book.problems.push(`${person.email}: ${what} was answered ${status}`)
    }
    for (const session of [...person.sessions]) {
      const status = isAlive(person, session) ? 200 : 401
      expected('a token', await ask.profile(person, session), status)
      if (session.remembered && isAlive(person, session))
        expected('a remembered session', await ask.renew(person, session, { token: token() }), 200)
    }
    if (cast.others.reader.token !== undefined)
      expected('a look at the user', await ask.show(person), person.status === 'removed' ? 422 : 200)
    for (const wrong of person.wrongPasswords.slice(0, 2))
      expected(`"${wrong}" instead of "${person.password}"`, await ask.signIn(person, wrong, token()), 422)
    expected(
      `"${person.password}"`,
      await ask.signIn(person, person.password, token()),
      canSignIn(person) ? 200 : 422,
    )
    const ended = person.tokens.filter((one) => !isUsable(person, one)).slice(-2)
    for (const one of ended)
      expected(
        `an ended token (${one.purpose})`,
        one.purpose === 'recovery'
          ? await ask.recover(person, one, 'stolen')
          : await ask.confirm(person, one),
        422,
      )
    ask.close()
  }
  const token = () => cast.applicationTokens[0]
  if (token() === undefined) {
    const ask = asking(port, cast, book)
    await ask.applicationToken()
    ask.close()
  }
  await Promise.all(cast.people.map(proveOne))
}

/**
 * Checks with `doctor` that the rows agree with the log and that nothing else is wrong, except for a disk that the
 * test made small, and for running servers, whose hashes are cheap.
 */
export const agree = async ({ portcullis }: Place): Promise<void> => {
  const { out } = await portcullis('doctor --json', { environment: DEFAULT_COST })
  const { checks }: { checks: ReadonlyArray<{ name: string; ok: boolean; detail: string }> } = JSON.parse(out)
  const log = checks.find(({ name }) => name === 'log')
  expect(log, out).to.include({ name: 'log', ok: true })
  const wrong = checks.filter(({ name, ok, detail }) => !ok && name !== 'servers' && !SMALL_DISK.test(detail))
  expect(wrong).to.deep.equal([])
}

const SMALL_DISK = /^\d{1,2} MiB are free, /
