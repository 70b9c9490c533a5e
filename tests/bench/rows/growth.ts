import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, OWN_TREE, type Row, scriptAt } from '../bench-run.ts'
import { type Cost, costOf, costText, inRounds, ratios, type Side, totalOf } from '../compare.ts'
import { CHEAP_HASHES, fileOf, type Prepared, prepare, type Service, serve } from '../portcullis.ts'
import type { Measured } from '../report.ts'
import { applicationToken, profiles } from '../requests.ts'
import { spreadOf, summarize } from '../statistics.ts'

/** The cost of requests in stores of different sizes: each with so many users and as many entries of the log. */
const SIZE = { requests: 5_000, connections: 64 }
const SIZES = ['1000', '100000', '1000000'] as const
type StoreSize = (typeof SIZES)[number]

/** Each store is a larger copy of the one before. */
const stores = ({ folder }: Bench): Readonly<Record<StoreSize, Prepared>> => {
  const small = prepare(OWN_TREE, folder, CHEAP_HASHES)
  let before = small
  const filled = SIZES.map((size) => {
    const own = mkdtempSync(join(folder, `users-${size}-`))
    const file = join(own, 'portcullis.db')
    copyFileSync(fileOf(before), file)
    execFileSync(process.execPath, [scriptAt('fill-store.js'), file, size])
    before = {
      ...small,
      folder: own,
      environment: { ...small.environment, DATABASE_URL: `sqlite:${file}` },
    }
    return [size, before]
  })
  return Object.fromEntries(filled)
}

/** Tokens of users from the whole store. */
const tokensOf = (one: Service, size: StoreSize): Promise<ReadonlyArray<string>> => {
  const step = Number(size) / USERS
  const numbers = Array.from({ length: USERS }, (_, index) => Math.max(2, Math.floor((index + 1) * step)))
  const { password } = one.prepared.credentials
  return Promise.all(numbers.map((number) => one.signIn({ email: `user-${number}@example.com`, password })))
}

const USERS = 400

const compareSizes = async (
  { rounds }: Bench,
  title: string,
  sides: Readonly<Record<StoreSize, Side<Cost>>>,
): Promise<Measured> => {
  const costs = await inRounds(sides, rounds)
  const [small, medium, large] = SIZES.map((size) => costs[size].map(totalOf))
  const grown = [medium, large].map((cost = []) => summarize(ratios(cost, small ?? [])))
  const [first, second] = grown
  const [worst, worstSize] =
    (first?.median ?? 0) > (second?.median ?? 0) ? [first, SIZES[1]] : [second, SIZES[2]]
  return {
    title,
    value: worst ?? summarize([]),
    aim: { better: 'lower', target: 1.3, floor: 1.3 },
    details: SIZES.map((size) => `${size} users ${costText(costs[size])}`).join(', '),
    cpu: { ours: costText(costs[worstSize]), ceiling: costText(costs[SIZES[0]]) },
    ceilingSpread: spreadOf(summarize(small ?? [])),
  }
}

export const GROWTH_ROWS: ReadonlyArray<Row> = [
  {
    name: 'growth',
    what: 'profiles and application tokens with up to 10⁶ users, beside 10³ users',
    measure: async (bench) => {
      const prepared = stores(bench)
      const services = {} as Record<StoreSize, Service>
      for (const size of SIZES) services[size] = await bench.keep(serve(prepared[size]))
      const sides = async (side: (size: StoreSize) => Promise<Side<Cost>>) => ({
        1000: await side('1000'),
        100000: await side('100000'),
        1000000: await side('1000000'),
      })
      return [
        await compareSizes(
          bench,
          'profile with up to 10⁶ users / with 10³',
          await sides(async (size) =>
            costOf(services[size], profiles(await tokensOf(services[size], size)), SIZE),
          ),
        ),
        await compareSizes(
          bench,
          'application token with up to 10⁶ users / with 10³',
          await sides(async (size) => costOf(services[size], applicationToken(services[size]), SIZE)),
        ),
      ]
    },
  },
]
