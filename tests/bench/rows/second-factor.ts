import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FACTOR_SETTINGS, totpAt } from '../../support/factor-desk.ts'
import { scryptRecord } from '../../support/foreign-records.ts'
import { httpClient } from '../../support/http-client.ts'
import { PASSKEY_SETTINGS, passkeyDesk, SECOND_STEP } from '../../support/passkey-desk.ts'
import { softwareAuthenticator } from '../../testkit/passkey-verifier/software-authenticator.ts'
import { type Bench, ceiling, OWN_TREE, type Row, service } from '../bench-run.ts'
import { type Cost, compareCosts, costOf, type Side } from '../compare.ts'
import { inTurn, repeated, requestBytes } from '../load.ts'
import {
  CHEAP_HASHES,
  MANY_ATTEMPTS,
  mainOf,
  PROFILE_PATH,
  type Prepared,
  prepare,
  type Service,
  SIGN_IN_PATH,
  serve,
} from '../portcullis.ts'
import { applicationToken, helloPost } from '../requests.ts'

const ORIGIN = 'https://bench.example.com'

/** The user of a service with a passkey, of all factors the one that costs the most. */
const passkeyUser = async (bench: Bench) => {
  const one = await service(bench, { settings: { ...MANY_ATTEMPTS, ...PASSKEY_SETTINGS } })
  const { send, close } = httpClient(`http://127.0.0.1:${one.port}`)
  await bench.keep(Promise.resolve({ stop: async () => void (await close().catch(() => {})) }))
  const { prepared, applicationToken, userToken } = one
  const { body: profile } = await send({ method: 'GET', path: PROFILE_PATH, token: userToken })
  const confirmation = '/api/v1/users/email_confirmation'
  const body = { user_id: profile.id, email: prepared.credentials.email }
  const started = await send({ method: 'POST', path: confirmation, token: applicationToken, body })
  await send({ method: 'POST', path: `${confirmation}/complete`, body: { token: started.body.token } })
  command(prepared, ['application', 'set-passkey-origins', 'bench', ORIGIN])
  const device = await softwareAuthenticator()
  const desk = passkeyDesk({ send, applicationToken: async () => applicationToken }, device, ORIGIN)
  const enrolled = await desk.enrol(userToken)
  if (enrolled.status !== 201) throw new Error(`enrolment: ${enrolled.status} ${enrolled.body.message}`)
  return { one, desk, userId: profile.id as string }
}

const command = ({ tree, folder, environment }: Prepared, words: ReadonlyArray<string>): void =>
  void execFileSync(process.execPath, [mainOf(tree), ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: 'ignore',
  })

/** An app shows a code for half a minute, and a user can use it once. So each request is of another user. */
const STEPS = { requests: 1_000, connections: 64 }
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const PASSWORD = 'correct horse battery staple'

/** The second steps of users who have an app, after their first steps. */
const secondSteps = async ({ rounds, folder, keep }: Bench): Promise<Side<Cost>> => {
  const prepared = prepare(OWN_TREE, folder, { ...CHEAP_HASHES, ...FACTOR_SETTINGS })
  const emails = Array.from({ length: STEPS.requests * (rounds + 1) }, (_, at) => `app-${at}@example.com`)
  const file = join(folder, 'users.jsonl')
  const ofUser = {
    password_hash: scryptRecord(PASSWORD).record,
    email_verified: true,
    totp: [{ secret: SECRET }],
  }
  writeFileSync(file, emails.map((email) => `${JSON.stringify({ email, ...ofUser })}\n`).join(''))
  command(prepared, ['user', 'import', file])
  const one = await keep(serve(prepared))
  const { send, close } = httpClient(`http://127.0.0.1:${one.port}`)
  await keep(Promise.resolve({ stop: async () => void (await close().catch(() => {})) }))
  const post = (path: string, body: object): string =>
    requestBytes('POST', path, JSON.stringify(body), { token: one.applicationToken })
  return async () => {
    const tokens = await Promise.all(
      emails.splice(0, STEPS.requests).map(async (email) => {
        const body = { email, password: PASSWORD }
        const begun = await send({ method: 'POST', path: SIGN_IN_PATH, token: one.applicationToken, body })
        return begun.body.second_factor.token
      }),
    )
    const totp = totpAt(SECRET, Date.now())
    return costOf(one, inTurn(tokens.map((token) => post(SECOND_STEP, { token, totp }))), STEPS)()
  }
}

/** The CPU time of the server for one of several calls, each after the other. */
const costOfCalls =
  ({ usage }: Service, times: number, call: () => Promise<{ status: number }>): Side<Cost> =>
  async () => {
    const before = await usage()
    for (let done = 0; done < times; done += 1) {
      const { status } = await call()
      if (status !== 200) throw new Error(`a call was answered with ${status}`)
    }
    const after = await usage()
    return { user: (after.user - before.user) / times, system: (after.system - before.system) / times }
  }

export const SECOND_FACTOR_ROWS: ReadonlyArray<Row> = [
  {
    name: 'second-factor',
    what: 'sign-in with a passkey as the second factor, beside one bare scrypt',
    measure: async (bench) => {
      const { one, desk } = await passkeyUser(bench)
      const signIn = async () => {
        const { body } = await desk.ask(SIGN_IN_PATH, one.prepared.credentials)
        return desk.secondStep(body.second_factor.token)
      }
      const size = { requests: 4, connections: 1 }
      const bare = await ceiling(bench, 'scrypt')
      const measured = await compareCosts(bench, {
        title: 'one raw scrypt / sign-in with a passkey as the second factor',
        aim: { better: 'higher', target: 0.97, floor: 0.93 },
        ceilingName: '1 scrypt',
        ceiling: costOf(bare, repeated(requestBytes('GET', '/1')), size),
        ours: costOfCalls(one, size.requests, signIn),
      })
      return [measured]
    },
  },
  {
    name: 'second-step',
    what: 'second step with the code of an app, beside an application token',
    measure: async (bench) => {
      const issuing = await service(bench, { settings: CHEAP_HASHES })
      const measured = await compareCosts(bench, {
        title: 'application token / second step with the code of an app',
        aim: { better: 'higher', target: 1, floor: 1 },
        ceilingName: 'application token',
        ceiling: costOf(issuing, applicationToken(issuing), STEPS),
        ours: await secondSteps(bench),
      })
      return [measured]
    },
  },
  {
    name: 'passkey',
    what: 'sign-in with a passkey alone, beside a bare Koa that reads a body',
    measure: async (bench) => {
      const { one, desk, userId } = await passkeyUser(bench)
      const bare = await ceiling(bench, 'hello')
      const measured = await compareCosts(bench, {
        title: 'Koa POST hello / sign-in with a passkey alone, two requests',
        ceilingName: 'Koa POST hello',
        ceiling: costOf(bare, helloPost(one), { requests: 4_000, connections: 1 }),
        ours: costOfCalls(one, 200, () => desk.signIn(userId)),
      })
      return [measured]
    },
  },
]
