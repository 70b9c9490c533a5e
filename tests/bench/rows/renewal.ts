import { setTimeout as passes } from 'node:timers/promises'
import { type Bench, forEachTree, type Row, service } from '../bench-run.ts'
import { type Cost, compareCosts, costOf, type Side } from '../compare.ts'
import { load } from '../load.ts'
import { CHEAP_HASHES, type Service } from '../portcullis.ts'
import type { Measured } from '../report.ts'
import { applicationToken, profiles, renewals, userTokens } from '../requests.ts'

/** Fewer than the tokens that the service remembers as verified. */
const SIZE = { requests: 6_000, connections: 64 }

const SETTINGS = { ...CHEAP_HASHES, SESSION_TTL: '86400' }

/** The tree of the log takes up the entries of the sign-ins meanwhile. */
const QUIET_MS = 1_500

/**
 * The first renewals of new sessions: each of them writes. Their tokens were seen before, as with clients that renew while the user is
 * active.
 */
const firstRenewals =
  (one: Service): Side<Cost> =>
  async () => {
    const tokens = await userTokens(one, SIZE.requests)
    await load(one.port, profiles(tokens), SIZE)
    await passes(QUIET_MS)
    return costOf(one, renewals(one, tokens), SIZE)()
  }

const measureRenewal = async (bench: Bench): Promise<ReadonlyArray<Measured>> => {
  const issuing = await service(bench, { settings: SETTINGS })
  const measured = await compareCosts(bench, {
    title: 'application token / renewal that writes',
    aim: { better: 'higher', target: 1, floor: 1 },
    ceilingName: 'application token',
    ceiling: costOf(issuing, applicationToken(issuing), SIZE),
    ...(await forEachTree(bench, async (tree) =>
      firstRenewals(await service(bench, { settings: SETTINGS, tree })),
    )),
  })
  return [measured]
}

export const RENEWAL_ROWS: ReadonlyArray<Row> = [
  { name: 'renewal', what: 'renewal that writes, beside an application token', measure: measureRenewal },
]
