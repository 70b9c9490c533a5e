import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { httpClient } from '../support/http-client.ts'
import { load, requestBytes } from './load.ts'
import { logRates } from './postgres-log.ts'

/**
 * The cost of the service relative to a minimal server, in one run: A B A B …, the median of the ratios. A
 * ratio of 0.4 means that the service takes 2.5 times the CPU time. Absolute times depend on the machine.
 */
type Subject = Readonly<{
  port: number
  keys: object
  credentials: object
  cpuMicroseconds: () => Promise<number>
  stop: () => Promise<void>
}>

const folder = mkdtempSync(join(tmpdir(), 'bench-'))

const start = async (what: string): Promise<Subject> => {
  const log = openSync(join(folder, `${what}.log`), 'w')
  const child = fork(new URL('./server.js', import.meta.url), [what, folder], {
    stdio: ['ignore', log, log, 'ipc'],
  })
  const [{ port, keys, credentials }] = await once(child, 'message')
  return {
    port,
    keys,
    credentials,
    cpuMicroseconds: async () => {
      child.send('cpu')
      const [usage] = await once(child, 'message')
      return usage.user + usage.system
    },
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

const userTokenOf = async ({ port, keys, credentials: body }: Subject) => {
  const { send, close } = httpClient(`http://127.0.0.1:${port}`)
  const issued = await send({ method: 'POST', path: '/api/v1/auth/application/token', body: keys })
  const { token } = issued.body
  const signedIn = await send({ method: 'POST', path: '/api/v1/auth/user/token', token, body })
  await close()
  return { applicationToken: token as string, userToken: signedIn.body.token as string }
}

const quantile = (numbers: ReadonlyArray<number>, of: number): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length * of)] ?? Number.NaN

type Side = readonly [subject: Subject, request: string]
type Size = Readonly<{ requests: number; connections: number; rounds: number }>

const compare = async (
  name: string,
  aim: number,
  ours: Side,
  theirs: Side,
  { requests, connections, rounds }: Size,
) => {
  const cpuPerRequest = async ([subject, request]: Side): Promise<number> => {
    const before = await subject.cpuMicroseconds()
    await load(subject.port, request, requests, connections)
    return ((await subject.cpuMicroseconds()) - before) / requests
  }
  const ratios: Array<number> = []
  const costs: Array<readonly [number, number]> = []
  for (let round = 0; round <= rounds; round += 1) {
    const [their, our] = [await cpuPerRequest(theirs), await cpuPerRequest(ours)]
    if (round === 0) continue // the first round compiles both
    ratios.push(their / our)
    costs.push([our, their])
  }
  const [our, their] = [
    quantile(
      costs.map(([one]) => one),
      0.5,
    ),
    quantile(
      costs.map(([, one]) => one),
      0.5,
    ),
  ]
  report(
    name,
    quantile(ratios, 0.5),
    aim,
    `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}, ${our.toFixed(0)} µs and ${their.toFixed(0)} µs`,
  )
}

const report = (name: string, value: number, aim: number, beside: string) =>
  process.stdout.write(`${name.padEnd(62)} ${value.toFixed(2)}  aim ${aim.toFixed(2)}  (${beside})\n`)

const hello = await start('hello')
const ours = await start('portcullis')
const forgetful = await start('forgetful')
const scrypt = await start('scrypt')

const keys = JSON.stringify(ours.keys)
const { applicationToken, userToken } = await userTokenOf(ours)
const forgotten = await userTokenOf(forgetful)
const getHello: Side = [hello, requestBytes('GET', '/hello')]
const signIn = requestBytes('POST', '/api/v1/auth/user/token', JSON.stringify(ours.credentials), {
  token: applicationToken,
})
const profile = requestBytes('GET', '/api/v1/profile', '', { token: userToken })

const QUICK = { requests: 10_000, connections: 64, rounds: 7 }
await compare(
  'application token, 64 connections / Koa POST hello',
  0.4,
  [ours, requestBytes('POST', '/api/v1/auth/application/token', keys)],
  [hello, requestBytes('POST', '/hello', keys)],
  QUICK,
)
await compare('profile, token seen before / Koa GET hello', 0.44, [ours, profile], getHello, QUICK)
await compare(
  'profile, token not seen before / Koa GET hello',
  0.2,
  [forgetful, requestBytes('GET', '/api/v1/profile', '', { token: forgotten.userToken })],
  getHello,
  QUICK,
)
await compare('sign-in / one scrypt', 0.97, [ours, signIn], [scrypt, requestBytes('GET', '/')], {
  requests: 4,
  connections: 1,
  rounds: 5,
})

/** The latency of sequential profile requests, at the 99th percentile: idle, then beside sign-ins. */
const idle = quantile(await load(ours.port, profile, 2_000, 1), 0.99)
const busy = load(ours.port, signIn, 8, 8)
await pause(100)
const beside = quantile(await load(ours.port, profile, 1_000, 1), 0.99)
await busy
report(
  'profile p99 beside sign-ins / at rest',
  beside / idle,
  2,
  `${beside.toFixed(1)} ms and ${idle.toFixed(1)} ms`,
)

for (const subject of [hello, ours, forgetful, scrypt]) await subject.stop()

/** How much faster the log accepts events when concurrent changes share transactions. */
const rates = await logRates()
if (rates !== undefined) {
  const { oneByOne, oneWriter, fourWriters } = rates
  for (const [writers, rate] of [
    ['one writer', oneWriter],
    ['four writers', fourWriters],
  ] as const)
    process.stdout.write(
      `${`PostgreSQL log, ${writers}, 64 at once each / one at a time`.padEnd(62)} ${(rate / oneByOne).toFixed(2)}  (${rate.toFixed(0)} and ${oneByOne.toFixed(0)} events/s)\n`,
    )
}
rmSync(folder, { recursive: true })
