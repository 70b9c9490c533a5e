import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'undici'
import { freePort } from '../../support/command.ts'
import { type Bench, OWN_TREE, type Row } from '../bench-run.ts'
import { inRounds, ratios, type Side } from '../compare.ts'
import { load, repeated } from '../load.ts'
import { at, leaveToServers } from '../machine.ts'
import { mainOf, type Prepared, prepare, serve } from '../portcullis.ts'
import { numberOf } from '../report.ts'
import { applicationToken, profile, signInText } from '../requests.ts'
import { quantile, spreadOf, summarize } from '../statistics.ts'

/** What a process of the service takes before and besides requests: time to start, and memory. */
const bareNode: Side<number> = async () => {
  const before = performance.now()
  const [program, ...words] = at('anywhere', [process.execPath, '-e', '0'])
  await once(spawn(program, words, { stdio: 'ignore' }), 'exit')
  return performance.now() - before
}

/** From the start of the process until `/readyz` answers 200. */
const startUp =
  ({ tree, folder, environment }: Prepared): Side<number> =>
  async () => {
    const port = await freePort()
    const before = performance.now()
    const [program, ...words] = at('anywhere', [process.execPath, mainOf(tree), 'serve'])
    const child = spawn(program, words, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(child.stdout, 'data')
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`, { reset: true })
    await body.dump()
    const took = performance.now() - before
    if (statusCode !== 200) throw new Error(`/readyz: ${statusCode}`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    return took
  }

const measureStartUp = async (bench: Bench) => {
  leaveToServers(0)
  const { bare, ours, base } = await inRounds<string, number>(
    {
      bare: bareNode,
      ours: startUp(prepare(OWN_TREE, bench.folder)),
      ...(bench.baseTree === undefined ? {} : { base: startUp(prepare(bench.baseTree, bench.folder)) }),
    },
    2 * bench.rounds,
  )
  return [
    {
      title: 'start-up on an existing store',
      value: summarize(ours ?? []),
      unit: 'ms',
      aim: { better: 'lower', target: 250, floor: 300 } as const,
      details: `from the start of the process to 200 on /readyz; node -e 0 takes ${numberOf(quantile(bare ?? [], 0.5))} ms`,
      ceilingSpread: spreadOf(summarize(bare ?? [])),
      againstBase: base === undefined ? undefined : summarize(ratios(ours ?? [], base)),
    },
  ]
}

const measureMemory = async (bench: Bench) => {
  const atRest: Array<number> = []
  const underLoad: Array<number> = []
  const besideHashes: Array<number> = []
  for (let round = 0; round < STARTS; round += 1) {
    const ours = await bench.keep(serve(prepare(OWN_TREE, bench.folder), 'anywhere'))
    atRest.push((await ours.usage()).rss / MEGABYTE)
    await load(ours.port, profile(ours), SIZE)
    await load(ours.port, applicationToken(ours), SIZE)
    underLoad.push((await ours.usage()).peakRss / MEGABYTE)
    await load(ours.port, repeated(signInText(ours)), { requests: SIGN_INS, connections: SIGN_INS })
    besideHashes.push((await ours.usage()).peakRss / MEGABYTE)
    await ours.stop()
  }
  const shared = { unit: 'MB', ceilingSpread: 0 } as const
  return [
    {
      ...shared,
      aim: { better: 'lower', target: 95, floor: 130 } as const,
      title: 'resident memory at rest',
      value: summarize(atRest),
      details: 'after one sign-in',
    },
    {
      ...shared,
      aim: { better: 'lower', target: 130, floor: 130 } as const,
      title: 'resident memory under load, peak',
      value: summarize(underLoad),
      details: `${SIZE.requests} profiles, then ${SIZE.requests} application tokens, on ${SIZE.connections} connections`,
    },
    {
      ...shared,
      title: 'resident memory after sign-ins, peak',
      value: summarize(besideHashes),
      details: 'then sign-ins at once; each hash that runs takes 34 MB',
    },
  ]
}

const STARTS = 3
const SIGN_INS = 4
const SIZE = { requests: 15_000, connections: 64 }
const MEGABYTE = 1_000_000

export const PROCESS_ROWS: ReadonlyArray<Row> = [
  { name: 'start-up', what: 'time from start to ready, against a limit', measure: measureStartUp },
  {
    name: 'memory',
    what: 'resident memory at rest and under load, against a limit',
    measure: measureMemory,
  },
]
