import type { EndedEpoch, NewEntry } from '../../../application/ports/store.ts'
import type { Connections } from './connections.ts'
import { expectOpen } from './copy-state.ts'
import { HeadLocked, HeadMissing } from './errors.ts'
import type { Query } from './primary.ts'
import { append, type Comparison } from './write.ts'

/** Renews the epoch of the log within a transaction, and returns the new one. It opens a store that has moved. */
export const renewEpoch = async (query: Query, entryOf: (ended: EndedEpoch) => NewEntry): Promise<string> => {
  const { ended } = await lockedHead(query)
  await query(OPEN_MOVED)
  await append(query, [{ events: [entryOf(ended)] }], 'nothing')
  const { rows } = await query<{ epoch: string }>(RENEW)
  const [renewed] = rows
  if (renewed === undefined) throw new HeadMissing()
  return renewed.epoch
}

/**
 * Renews the epoch if the log continues from a copy, unless another instance has done so. It never opens a store that has moved: only an
 * operator may.
 */
export const renewEpochOfCopy = async (
  query: Query,
  entryOf: (ended: EndedEpoch) => NewEntry,
): Promise<void> => {
  const { isCopy } = await lockedHead(query)
  await expectOpen(query)
  if (isCopy) await renewEpoch(query, entryOf)
}

const lockedHead = async (query: Query): Promise<Readonly<{ ended: EndedEpoch; isCopy: boolean }>> => {
  const { rows } = await HeadLocked.ifLate(query<EndedEpoch & { is_copy: boolean }>(LOCK_HEAD))
  const [head] = rows
  if (head === undefined) throw new HeadMissing()
  return { ended: { epoch: head.epoch, size: head.size }, isCopy: head.is_copy }
}

/** An expression in SQL: whether the log continues from a copy. */
export const IS_COPY =
  '(coalesce(table_id <> head.tableoid, true) OR coalesce(place <> portcullis.place(), false))'

const LOCK_HEAD = `
  SELECT epoch, position AS size, ${IS_COPY} AS is_copy
  FROM portcullis.head FOR UPDATE`

/** The trigger on the log refuses entries until then. */
const OPEN_MOVED = `
  UPDATE portcullis.head SET copy_state = NULL, copy_id = NULL, copy_place = NULL WHERE copy_state = 'moved'`

const RENEW = `
  UPDATE portcullis.head
  SET epoch = pg_catalog.substr(pg_catalog.gen_random_uuid()::text, 1, 8), place = portcullis.place(), table_id = tableoid
  RETURNING epoch`

/**
 * What each append compares. The timeline is cheap and compared each time, so that a promoted standby is noticed on
 * open connections. The system identifier is read from a file. Once a second is enough, because replacing a server
 * takes longer.
 */
export const headComparison = ({
  read,
  write,
}: Pick<Connections, 'read' | 'write'>): (() => Promise<Comparison>) => {
  let last: Readonly<{ comparison: Comparison; until: number }> | undefined

  return async () => {
    if (last !== undefined && performance.now() < last.until) return last.comparison
    const readIdentity = async () => (await read<ServerIdentity>(SERVER_IDENTITY)).rows[0] ?? UNKNOWN_SERVER
    const first = await readIdentity()
    const isNewServer = first.here !== null && first.known === null // the user has got the right to read it since
    if (isNewServer) await write(RECORD_SERVER)
    const identity = isNewServer ? await readIdentity() : first
    const comparison = comparisonFor(identity)
    // Another server is one only until the epoch is renewed. A standby reports no identity, and may be promoted at any time.
    if (comparison !== 'another server' && !identity.is_standby)
      last = { comparison, until: performance.now() + INTERVAL_MS }
    return comparison
  }
}

const comparisonFor = ({ here, known }: ServerIdentity): Comparison =>
  here === null ? 'table' : here === known ? 'table and timeline' : 'another server'

type ServerIdentity = Readonly<{ here: string | null; known: string | null; is_standby: boolean }>
const UNKNOWN_SERVER: ServerIdentity = { here: null, known: null, is_standby: true }

const SERVER_IDENTITY = `
  SELECT portcullis.place() AS here, place AS known, pg_catalog.pg_is_in_recovery() AS is_standby
  FROM portcullis.head`
const RECORD_SERVER = 'UPDATE portcullis.head SET place = portcullis.place() WHERE place IS NULL'

const INTERVAL_MS = 1_000
