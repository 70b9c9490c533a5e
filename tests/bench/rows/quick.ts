import { type Bench, ceiling, forEachTree, type Row, type ServiceOptions, service } from '../bench-run.ts'
import { compareCosts, costOf } from '../compare.ts'
import type { Next } from '../load.ts'
import { CHEAP_HASHES, type Service } from '../portcullis.ts'
import type { Measured } from '../report.ts'
import { applicationToken, helloGet, helloPost, mixed, profile, profiles, userTokens } from '../requests.ts'
import type { Aim } from '../statistics.ts'

/** The requests that take microseconds, each beside the minimal server. */
const SIZE = { requests: 8_000, connections: 64 }

type Quick = Readonly<{
  title: string
  aim?: Aim
  request: (service: Service) => Next | Promise<Next>
  hello: 'GET' | 'POST'
  options?: ServiceOptions
  size?: typeof SIZE
}>

const compareWithHello = async (
  bench: Bench,
  { title, aim, request, hello, options, size = SIZE }: Quick,
): Promise<ReadonlyArray<Measured>> => {
  const bare = await ceiling(bench, 'hello')
  const services: Array<Service> = []
  const sides = await forEachTree(bench, async (tree) => {
    const one = await service(bench, { ...options, tree })
    services.push(one)
    return costOf(one, await request(one), size)
  })
  const [first] = services
  if (first === undefined) return []
  const bareRequest = hello === 'GET' ? helloGet : helloPost(first)
  const measured = await compareCosts(bench, {
    title,
    ...(aim === undefined ? {} : { aim }),
    ceilingName: `Koa ${hello} hello`,
    ceiling: costOf(bare, bareRequest, size),
    ...sides,
  })
  return [measured]
}

/**
 * The service keeps the last 10,000 verified tokens and drops the oldest. With more tokens in turn, each is new
 * whenever it comes.
 */
const UNKNOWN_TOKENS = 10_400

const newTokens = async (one: Service): Promise<Next> => profiles(await userTokens(one, UNKNOWN_TOKENS))

export const QUICK_ROWS: ReadonlyArray<Row> = [
  {
    name: 'token',
    what: 'application token, beside a bare Koa that reads a body',
    measure: (bench) =>
      compareWithHello(bench, {
        title: 'Koa POST hello / application token',
        aim: { better: 'higher', target: 0.55, floor: 0.45 },
        request: applicationToken,
        hello: 'POST',
      }),
  },
  {
    name: 'profile',
    what: 'profile with a token seen before, beside a bare Koa',
    measure: (bench) =>
      compareWithHello(bench, {
        title: 'Koa GET hello / profile, token seen before',
        aim: { better: 'higher', target: 0.7, floor: 0.58 },
        request: profile,
        hello: 'GET',
      }),
  },
  {
    name: 'new-token',
    what: 'profile with a new token, beside a bare Koa',
    measure: (bench) =>
      compareWithHello(bench, {
        title: 'Koa GET hello / profile, new token',
        aim: { better: 'higher', target: 0.3, floor: 0.2 },
        request: newTokens,
        hello: 'GET',
        options: { settings: CHEAP_HASHES },
        size: { requests: 5_000, connections: 64 },
      }),
  },
  {
    name: 'mixed',
    what: 'profiles, tokens and other requests, beside a bare Koa',
    measure: (bench) =>
      compareWithHello(bench, {
        title: 'Koa GET hello / mixed load',
        request: mixed,
        hello: 'GET',
      }),
  },
]
