import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { compose, Dependency, provide, type Service } from '../../adapters/index.ts'
import { noteRefusals } from '../../application/recording/note-refusals.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { enrolUser } from '../support/second-factors.ts'
import { settings } from '../support/settings.ts'
import {
  type Makers,
  recoveryMails,
  recoveryStarts,
  recoveryTokens,
  signInForms,
} from './oracle-account-life.ts'

/**
 * The service in a separate process, with SQLite on disk and the cheapest hashes, which hide nothing. It
 * sends its parent its port and the requests: for each kind of refusal, the bodies that cause it.
 *
 * In `costs`, half of the accounts have records of an older cost, and the current one is high enough to be distinguishable.
 *
 * `mode` is `shipped`, `noting`, `costs`, `life` or `mails`. `howMany` is the number of accounts and applications of each kind.
 */
const [, , mode = '', folder = '.', howMany = '1'] = process.argv

/** Every refusal is written, not only the first ones of a minute: the minutes end at once. */
const everyRefusalNoted = provide(
  Dependency.refusals,
  { record: Dependency.recorder, background: Dependency.background, clock: Dependency.clock },
  ({ record, background, clock }) =>
    noteRefusals({
      record,
      background: { ...background, after: (_, task) => background.after(1, task) },
      clock,
    }),
)

/** Bodies of each kind in turns, so that the place of a row in the store does not depend on its kind. */
const kindsOf = async (status: string, makers: Makers, { times = 1, isForm = false } = {}) => {
  const turn = () => Promise.all(Object.values(makers).map((make) => make()))
  const turns: Array<ReadonlyArray<object>> = []
  // One after the other: the queue of hashes is bounded.
  for (let each = 0; each < Number(howMany) * times; each += 1) turns.push(await turn())
  const made = Object.keys(makers).map((name, index) => ({
    name,
    status,
    bodies: turns.map((bodies) =>
      isForm ? new URLSearchParams({ ...bodies[index] }).toString() : JSON.stringify(bodies[index]),
    ),
  }))
  return isForm ? made : [...made, { name: 'no JSON, so not noted', status: '400', bodies: ['{'] }]
}

const PASSWORD = 'correct horse battery staple'
const WRONG = 'correct horse battery stable'
/** So long that reading it takes some microseconds more, with no other difference. */
const LONG = WRONG.repeat(150)

/** Equally long for all, with a random place in their order. */
const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.com`

const signIns = async (service: Service, token: string, older?: Service) => {
  const registeredAt = async (at: Service): Promise<string> => {
    const email = newEmail()
    await succeed(at.registerUser(CONTEXT, { email, password: PASSWORD }, OPERATOR))
    return email
  }
  const registered = () => registeredAt(service)
  const disabled = async (): Promise<string> => {
    const email = await registered()
    await succeed(service.disableUser(CONTEXT, email))
    return email
  }
  const removed = async (): Promise<string> => {
    const email = await registered()
    await succeed(service.removeUser(CONTEXT, email))
    return email
  }
  const without = async (): Promise<string> => {
    const email = newEmail()
    await succeed(
      service.registerUser(CONTEXT, { email, password: undefined, withoutPassword: true }, OPERATOR),
    )
    return email
  }
  const withFactor = async (): Promise<string> => {
    const email = newEmail()
    const { id } = await succeed(service.registerUser(CONTEXT, { email, password: PASSWORD }, OPERATOR))
    await enrolUser(service.store, id)
    return email
  }
  const withPassword = (password: string, make: () => string | Promise<string>) => async () => ({
    email: await make(),
    password,
  })
  return {
    path: '/api/v1/auth/user/token',
    token,
    kinds: await kindsOf('422', {
      unknown: withPassword(WRONG, newEmail),
      'known, wrong password': withPassword(WRONG, registered),
      'disabled, wrong password': withPassword(WRONG, disabled),
      'disabled, right password': withPassword(PASSWORD, disabled),
      removed: withPassword(PASSWORD, removed),
      'account without a password': withPassword(WRONG, without),
      'with a second factor, wrong password': withPassword(WRONG, withFactor),
      ...(older === undefined
        ? {}
        : { 'older cost, wrong password': withPassword(WRONG, () => registeredAt(older)) }),
      'others of the same': withPassword(WRONG, registered),
      'with a long password': withPassword(LONG, newEmail),
    }),
    same: ['known, wrong password', 'others of the same'],
    differ: {
      // Responses that wait for a timer hide some microseconds.
      'the refusal': ['unknown', older === undefined ? 'with a long password' : 'no JSON, so not noted'],
      'what follows': ['unknown', 'no JSON, so not noted'],
    },
  }
}

const keyPairs = async (service: Service) => {
  const registered = async () => {
    const { application, publicApiKey, privateApiKey } = await succeed(
      service.registerApplication(CONTEXT, { name: 'bench', scope: 'users:sign_in users:register' }),
    )
    return { id: application.id, pair: { public_api_key: publicApiKey, private_api_key: privateApiKey } }
  }
  const revoked = async () => {
    const { id, pair } = await registered()
    await succeed(service.revokeApplication(CONTEXT, id))
    return pair
  }
  const expired = async () => {
    const { id, pair } = await registered()
    const { previousUntilSeconds } = await succeed(
      service.rotateApplicationKey(CONTEXT, { id, overlapSeconds: 1 }),
    )
    while (Date.now() / 1000 < previousUntilSeconds) await pause(50)
    return pair
  }
  /** The public key of one application and the private key of another. */
  const mixed = async () => ({
    ...(await registered()).pair,
    private_api_key: (await registered()).pair.private_api_key,
  })
  /** Next to a known one. */
  const unknown = async () => {
    const { pair } = await registered()
    const [, head, last] = /^(.*)(.)$/.exec(pair.public_api_key) ?? []
    return { ...pair, public_api_key: `${head}${last === '0' ? '1' : '0'}` }
  }
  const malformed = async () => {
    const pair = await unknown()
    return { ...pair, private_api_key: `${pair.private_api_key.slice(0, -1)}-` }
  }
  return {
    path: '/api/v1/auth/application/token',
    token: '',
    kinds: await kindsOf('401', {
      unknown,
      'wrong private key': mixed,
      'revoked, right key': revoked,
      'expired, previous key': expired,
      'others of the same': mixed,
      malformed,
    }),
    same: ['wrong private key', 'others of the same'],
    differ: { 'the refusal': ['unknown', 'malformed'], 'what follows': ['unknown', 'no JSON, so not noted'] },
  }
}

/** An e-mail has five starts an hour, so there are twice as many. */
const recoveries = async (token: string) => ({
  path: '/api/v1/users/recovery',
  token,
  kinds: await kindsOf('200', recoveryStarts(service), { times: 2 }),
  same: ['unknown', 'others of the same'],
  differ: { 'the refusal': ['unknown', 'known'] },
})

const mails = async (token: string) => ({
  path: '/api/v1/users/recovery/mail',
  token,
  kinds: await kindsOf('200', recoveryMails(service), { times: 2 }),
  same: ['unknown', 'others of the same'],
  differ: { 'the refusal': ['unknown', 'no JSON, so not noted'] },
})

const completions = async () => ({
  path: '/api/v1/users/recovery/complete',
  token: '',
  kinds: await kindsOf('422', await recoveryTokens(service)),
  same: ['used', 'others of the same'],
  differ: { 'the refusal': ['used', 'unknown'] },
})

const signInPages = async () => ({
  path: '/account/sign-in',
  type: 'application/x-www-form-urlencoded',
  token: '',
  kinds: await kindsOf('422', signInForms(service), { isForm: true }),
  same: ['known, wrong password', 'others of the same'],
  differ: { 'the refusal': ['unknown', 'without a password'] },
})

/** A malformed address is a mistake of the form. It depends on no account. */
const forgottenPages = async () => {
  const asForm = { times: 2, isForm: true }
  const malformed = async () => ({ email: newEmail().replace('@', ' ') })
  return {
    path: '/account/forgotten',
    type: 'application/x-www-form-urlencoded',
    token: '',
    kinds: [
      ...(await kindsOf('200', recoveryStarts(service), asForm)),
      ...(await kindsOf('422', { malformed }, asForm)),
    ],
    same: ['unknown', 'others of the same'],
    differ: { 'the refusal': ['unknown', 'malformed'] },
  }
}

/** The port of a relay that takes every mail. */
const relay = async (): Promise<number> => {
  const [port] = await once(fork(new URL('./oracle-relay.js', import.meta.url)), 'message')
  return port
}

const environment = {
  DATABASE_URL: `sqlite:${join(folder, `${mode}.db`)}`,
  LOG_LEVEL: 'info',
  ...(mode === 'life'
    ? {
        ACCOUNT_PAGES: 'on',
        KEY_ENCRYPTION_KEY: `2026:${'k'.repeat(32)}`,
        THROTTLE_RECOVERIES: '1000000',
        THROTTLE_ADDRESS_FAILURES: '1000000',
      }
    : {}),
  ...(mode === 'mails'
    ? {
        ...mailLinkSettings(await relay()),
        THROTTLE_MAILS: '0',
        THROTTLE_RECOVERIES: '1000000',
        THROTTLE_ADDRESS_FAILURES: '1000000',
      }
    : {}),
}
const older = mode === 'costs' ? await compose(settings({ ...environment, SCRYPT_LOG_N: '10' })) : undefined
const service = await compose(
  settings({ ...environment, ...(older === undefined ? {} : { SCRYPT_LOG_N: '12' }) }),
  ...(mode === 'noting' ? [everyRefusalNoted] : []),
)
const { publicApiKey, privateApiKey } = await succeed(
  service.registerApplication(CONTEXT, { name: 'caller', scope: 'users:sign_in users:recover' }),
)
const { token } = await succeed(service.issueApplicationToken(CONTEXT, { publicApiKey, privateApiKey }))
const subjects =
  mode === 'life'
    ? {
        recoveries: await recoveries(token),
        completions: await completions(),
        signInPages: await signInPages(),
      }
    : mode === 'mails'
      ? { mails: await mails(token), forgottenPages: await forgottenPages() }
      : { signIns: await signIns(service, token, older), keyPairs: await keyPairs(service) }
await older?.stop()
process.on('disconnect', () => process.exit()) // the parent has ended
process.send?.({ port: await service.listen('127.0.0.1', 0), subjects })
