import { keepsConnection, OlderTimeline, Standby, stateOf } from './errors.ts'
import {
  IN_RECOVERY,
  type PrimaryCheck,
  type Query,
  SERVER,
  SERVER_WITHOUT_TIMELINE,
  type Server,
  TIMELINE,
  TIMELINE_OF_PRIMARY,
} from './primary.ts'

/**
 * Refuses a primary that another one has replaced. It may run on, for example after its machine was frozen: its clients
 * would read what is outdated, and write what is lost.
 *
 * Each promotion of a standby begins a timeline with a higher number. So of two servers with the same system identifier, the one
 * with the lower timeline is the former primary. Another system is accepted: an operator has replaced the database.
 *
 * It remembers only what this process has met. Nothing is refused if the user may not ask for timeline and system identifier.
 */
export type TimelineFence = PrimaryCheck &
  Readonly<{
    /** Whether no server was met yet. */
    isNew: () => boolean
    /** Meets the server of a transaction that does nothing else, because it is aborted if the user may not ask. */
    meet: (query: Query) => Promise<void>
    /** Meets the next server like the first one: the user may have lost the right to ask. Returns false if the user had none. */
    forgetRight: () => boolean
    /** Meets a server that is not in use. Returns whether it has replaced the one in use. */
    isReplacedBy: (query: Query) => Promise<boolean>
    /** A condition in SQL that holds on a primary, except on a former one. */
    condition: () => string
  }>

/**
 * @param options.onNewer called when a newer timeline or another system replaces the one known
 * @param options.onRefused called with a reason while a server is refused, and with undefined when one is accepted again
 */
export const timelineFence = ({
  onNewer,
  onRefused,
}: Readonly<{ onNewer: () => void; onRefused: (reason: string | undefined) => void }>): TimelineFence => {
  let mayAsk: boolean | 'unknown' = 'unknown'
  let current: Identity | undefined
  let refusal: Readonly<{ at: number }> | undefined

  const refuse = (error: OlderTimeline): never => {
    if (refusal === undefined) onRefused(error.message)
    refusal = { at: performance.now() }
    throw error
  }

  /** Connections to both servers may still alternate. */
  const accept = (): void => {
    if (refusal === undefined || performance.now() < refusal.at + QUIET_MS) return
    refusal = undefined
    onRefused(undefined)
  }

  const meet = async (query: Query, said?: string | null): Promise<void> => {
    const met = await identityBy(query)
    mayAsk = met !== 'hidden'
    if (met === 'hidden') return
    const isSame = current !== undefined && met.system === current.system
    if (current !== undefined && isSame && met.timeline < current.timeline)
      refuse(new OlderTimeline(met.timeline, current.timeline))
    // Behind a pooler, another server may have answered than the one just met.
    if (said !== undefined && said !== met.timeline) throw new OlderTimeline(said, met.timeline)
    if (current !== undefined && (!isSame || met.timeline > current.timeline)) onNewer()
    current = met
  }

  return {
    selected: () => (mayAsk === true ? SERVER : SERVER_WITHOUT_TIMELINE),
    expectPrimary: async (said, query) => {
      if (said?.[IN_RECOVERY] !== false) throw new Standby()
      if (mayAsk !== true) return
      if (said[TIMELINE] === current?.timeline) accept()
      else await meet(query, said[TIMELINE])
    },
    isNew: () => mayAsk === 'unknown',
    meet: (query) => meet(query),
    forgetRight: () => {
      if (mayAsk !== true) return false
      mayAsk = 'unknown'
      return true
    },
    isReplacedBy: async (query) => {
      const met = await identityBy(query)
      const isNewer =
        met !== 'hidden' &&
        current !== undefined &&
        met.system === current.system &&
        met.timeline > current.timeline
      if (isNewer) current = met
      return isNewer
    },
    condition: () =>
      mayAsk === true && current !== undefined
        ? `${TIMELINE_OF_PRIMARY} COLLATE "C" >= '${current.timeline}'`
        : 'true',
  }
}

type Identity = Readonly<{ system: string; timeline: string }>

/** In one statement, so that one server answers. It is hidden if the user may not ask, or the server does not tell. */
const identityBy = async (query: Query): Promise<Identity | 'hidden'> => {
  try {
    const { rows } = await query<Server & { system: string }>(IDENTITY)
    const timeline = rows[0]?.[TIMELINE]
    if (rows[0] === undefined || typeof timeline !== 'string') throw new Standby()
    return HEXADECIMAL.test(timeline) ? { system: rows[0].system, timeline } : 'hidden'
  } catch (error) {
    if (keepsConnection(error) && !/^(40|53|57|58)/.test(stateOf(error) ?? '')) return 'hidden'
    throw error
  }
}

const IDENTITY = `SELECT ${SERVER}, (SELECT system_identifier FROM pg_catalog.pg_control_system())::text AS system`

const HEXADECIMAL = /^[0-9A-F]{8}$/

const QUIET_MS = 1_000
