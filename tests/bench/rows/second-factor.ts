import { execFileSync } from 'node:child_process'
import { httpClient } from '../../support/http-client.ts'
import { PASSKEY_SETTINGS, passkeyDesk } from '../../support/passkey-desk.ts'
import { softwareAuthenticator } from '../../testkit/passkey-verifier/software-authenticator.ts'
import { type Bench, ceiling, type Row, service } from '../bench-run.ts'
import { type Cost, compareCosts, costOf, type Side } from '../compare.ts'
import { repeated, requestBytes } from '../load.ts'
import { MANY_ATTEMPTS, mainOf, PROFILE_PATH, type Service, SIGN_IN_PATH } from '../portcullis.ts'
import { helloPost } from '../requests.ts'

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
  execFileSync(
    process.execPath,
    [mainOf(prepared.tree), 'application', 'set-passkey-origins', 'bench', ORIGIN],
    { cwd: prepared.folder, env: { PATH: process.env.PATH, ...prepared.environment }, stdio: 'ignore' },
  )
  const device = await softwareAuthenticator()
  const desk = passkeyDesk({ send, applicationToken: async () => applicationToken }, device, ORIGIN)
  const enrolled = await desk.enrol(userToken)
  if (enrolled.status !== 201) throw new Error(`enrolment: ${enrolled.status} ${enrolled.body.message}`)
  return { one, desk, userId: profile.id as string }
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
