import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requestBytes } from './load.ts'
import { exchange } from './oracle-exchange.ts'
import {
  areaUnderCurve,
  areaWithinBlocks,
  awayFromHalf,
  median,
  type Sample,
  shuffler,
} from './oracle-statistics.ts'

/**
 * Whether the time of a refusal reveals its reason. A caller without access to an account or an application must learn nothing
 * about it. Requests are sequential, in blocks with one of each kind in random order. Nothing is left out.
 *
 * An area is that under the ROC curve of an attacker who sees one time of each kind: at 0.5 the two are indistinguishable, at 0 or
 * 1 always distinguishable. The figure within blocks compares only times measured close together, so it is more precise on a machine
 * with drift. The verdict uses the area, and the control with a difference must show in it too.
 */
const REQUESTS = Number(process.env.ORACLE_REQUESTS ?? 2_000)
const SEED = process.env.ORACLE_SEED ?? randomBytes(4).toString('hex')
/** For example `life`: only the services of these modes. */
const MODES = process.env.ORACLE_MODES?.split(',')
const LIMIT = 0.55

/** Blocks before the first one that counts, during which the service is compiled. */
const WARM_UP = 500
/** The number of requests per account in a whole run. */
const TRIES = 10

type Kind = Readonly<{ name: string; status: string; bodies: ReadonlyArray<string> }>
type Pair = readonly [one: string, other: string]
type What = 'the refusal' | 'what follows'

/** One route, its refusals that must be indistinguishable, and controls. */
type Subject = Readonly<{
  path: string
  /** Of the body; JSON by default. */
  type?: string
  token: string
  kinds: ReadonlyArray<Kind>
  /** The same kind twice. */
  same: Pair
  /** Two kinds that differ by some microseconds of work, also in the following request. */
  differ: Readonly<Partial<Record<What, Pair>>>
}>

type Server = Readonly<{
  port: number
  subjects: Readonly<Record<string, Subject>>
  stop: () => Promise<void>
}>

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const shuffled = shuffler(SEED)
const say = (line: string) => process.stdout.write(`${line}\n`)

const start = async (mode: string): Promise<Server> => {
  const log = openSync(join(folder, `${mode}.log`), 'w')
  const accounts = String(Math.ceil((REQUESTS + WARM_UP) / TRIES))
  const child = fork(new URL('./oracle-server.js', import.meta.url), [mode, folder, accounts], {
    stdio: ['ignore', log, log, 'ipc'],
  })
  const died = once(child, 'exit').then(() => Promise.reject(new Error(`${mode} ended: see ${folder}`)))
  const [{ port, subjects }] = await Promise.race([once(child, 'message'), died])
  return {
    port,
    subjects,
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** The time of each refusal, or of the request right after it, in microseconds, by kind. */
const measure = async (
  port: number,
  { path, type, token, kinds }: Subject,
  what: What,
): Promise<ReadonlyMap<string, Sample>> => {
  const { microseconds, close } = await exchange(port)
  const prepared = kinds.map(({ name, status, bodies }) => ({
    name,
    status,
    requests: bodies.map((body) => Buffer.from(requestBytes('POST', path, body, { token, type }))),
    took: [] as Array<number>,
  }))
  const next = Buffer.from(requestBytes('GET', '/healthz'))
  for (let block = 0; block < WARM_UP + REQUESTS; block += 1) {
    for (const { status, requests, took } of shuffled(prepared)) {
      const request = requests[block % requests.length]
      if (request === undefined) throw new Error('there is nothing to ask')
      const refusal = await microseconds(request, status)
      const time = what === 'the refusal' ? refusal : await microseconds(next, '200')
      if (block >= WARM_UP) took.push(time)
    }
  }
  close()
  return new Map(prepared.map(({ name, took }) => [name, took]))
}

/** Prints how distinguishable each two kinds are. Returns the worst value, and whether the controls are as expected. */
const compare = async (
  title: string,
  { port, subjects }: Server,
  name: string,
  what: What = 'the refusal',
) => {
  const subject = subjects[name]
  if (subject === undefined) throw new Error(`there are no ${name}`)
  const samples = await measure(port, subject, what)
  const areasOf = ([one, other]: Pair, note = '') => {
    const [left, right] = [samples.get(one) ?? [], samples.get(other) ?? []]
    const [area, within] = [areaUnderCurve(left, right), areaWithinBlocks(left, right)]
    const medians = `${median(left).toFixed(1)} and ${median(right).toFixed(1)} µs`
    say(`  ${`${one} / ${other}`.padEnd(56)} ${area.toFixed(3)}  ${within.toFixed(3)}  ${medians}${note}`)
    return { area: awayFromHalf(area), within: awayFromHalf(within) }
  }
  const { kinds, same, differ } = subject
  const different = differ[what]
  if (different === undefined) throw new Error(`${name} have no control of ${what}`)
  const controls = [
    ...[same[1], 'with a long password', 'no JSON, so not noted'],
    ...Object.values(differ).map(([, other]) => other),
  ]
  const names = kinds.map(({ name }) => name).filter((name) => !controls.includes(name))
  say(`\n${title.padEnd(58)} area   within blocks, medians`)
  const judged = names.flatMap((one, index) => names.slice(index + 1).map((other) => areasOf([one, other])))
  const isSame = areasOf(same, '  (control: no difference)').area <= LIMIT
  const isSeen = areasOf(different, '  (control: a difference)').area > LIMIT
  return {
    area: Math.max(...judged.map(({ area }) => area)),
    within: Math.max(...judged.map(({ within }) => within)),
    isSound: isSame && isSeen,
  }
}

say(`seed ${SEED}: ${REQUESTS} requests of each kind after ${WARM_UP}, ${TRIES} for each account`)
type Measurement = readonly [mode: string, title: string, name: string, what?: What]
const MEASUREMENTS: ReadonlyArray<Measurement> = [
  ['costs', 'sign-in while two costs are in use', 'signIns'],
  ['shipped', 'sign-in', 'signIns'],
  ['shipped', 'API keys', 'keyPairs'],
  ['noting', 'what follows a sign-in that is noted', 'signIns', 'what follows'],
  ['noting', 'what follows API keys that are noted', 'keyPairs', 'what follows'],
  ['life', 'start of a recovery without a token', 'recoveries'],
  ['life', 'recovery token that cannot be used', 'completions'],
  ['life', '/account/sign-in', 'signInPages'],
  ['mails', 'recovery mail, known and unknown', 'mails'],
  ['mails', '/account/forgotten', 'forgottenPages'],
]
const measurements = MEASUREMENTS.filter(([mode]) => MODES === undefined || MODES.includes(mode))
const servers = new Map<string, Server>()
for (const mode of new Set(measurements.map(([mode]) => mode))) servers.set(mode, await start(mode))
const results = []
for (const [mode, title, name, what] of measurements) {
  const server = servers.get(mode)
  if (server !== undefined) results.push(await compare(title, server, name, what))
}
for (const server of servers.values()) await server.stop()
rmSync(folder, { recursive: true })

const area = Math.max(...results.map((result) => result.area))
const within = Math.max(...results.map((result) => result.within))
const figures = `the largest area, from either side, is ${area.toFixed(3)} (${within.toFixed(3)} within blocks), the limit ${LIMIT}.`
say('')
if (results.some(({ isSound }) => !isSound))
  say(
    'Nothing is proved: a control (see these lines) is not as it has to be. More ORACLE_REQUESTS, or a quieter machine.',
  )
else if (REQUESTS < 1_000) say(`Too few requests for a verdict: ${figures}`)
else say(area > LIMIT ? `An oracle: ${figures}` : `No oracle: ${figures}`)
