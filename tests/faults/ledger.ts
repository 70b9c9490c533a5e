/** A log entry as the command line prints it. */
export type Entry = Readonly<{
  position: number
  id: string
  type: string
  subject: Readonly<{ kind: string; id: string }>
  actor: Readonly<{ kind: string; id?: string }>
  request_id?: string
  data: Readonly<Record<string, unknown>>
}>

/** The expected log entry of a successful request. */
export type Effect = Readonly<{ type: string; subject: string }>

/** A request as its sender remembers it. */
type Remembered = {
  readonly effect: Effect | undefined
  fate: Fate | 'in flight'
  /** The position of its entry. */
  position: number | undefined
  settled: boolean
}

export type Fate = 'acknowledged' | 'refused' | 'unknown'

/**
 * An independent record of requests and responses, compared with the log. It knows one promise of the
 * service: each acknowledged change is in the log once, and a failed one changed nothing.
 */
export type Ledger = Readonly<{
  /** Records a request, and its effect if it has one. Returns the id to send. */
  ask: (effect?: Effect) => string
  /** Records the outcome. `unknown` means that it was sent and never answered. */
  hear: (requestId: string, fate: Fate) => void
  /** Reads new log entries, while no request is in flight. */
  read: (entries: ReadonlyArray<Entry>) => void
  /** The last position read. */
  position: () => number
  /** The log position of a request, if it was executed. */
  doneAt: (requestId: string) => number | undefined
  /** The number of requests with an acknowledged effect. */
  acknowledged: () => number
  /** All violations found. */
  problems: Array<string>
}>

export const ledger = (): Ledger => {
  const requests = new Map<string, Remembered>()
  const unsettled = new Map<string, Remembered>()
  const ids = new Set<string>()
  const problems: Array<string> = []
  let position = 0
  let acknowledged = 0

  const readOne = (entry: Entry): void => {
    const what = `entry ${entry.position} (${entry.type}, request ${entry.request_id})`
    if (entry.position !== position + 1) problems.push(`${what} comes after position ${position}`)
    position = entry.position
    if (ids.has(entry.id)) problems.push(`${what} has an id that was there before`)
    ids.add(entry.id)
    if (entry.type.endsWith('Refused') || entry.request_id === undefined) return
    const request = requests.get(entry.request_id)
    if (request === undefined) {
      problems.push(`${what} belongs to no request`)
      return
    }
    if (request.settled) problems.push(`${what} came later than it may`)
    if (request.fate === 'refused') problems.push(`${what} changed something and was refused`)
    if (request.position !== undefined) problems.push(`${what} is there already, at ${request.position}`)
    request.position = position
    if (entry.type !== request.effect?.type || entry.subject.id !== request.effect.subject)
      problems.push(`${what} is about ${entry.subject.id}, and was to be ${JSON.stringify(request.effect)}`)
  }

  return {
    ask: (effect) => {
      const id = `oracle-${requests.size + 1}-end` // no id is a prefix of another
      const request: Remembered = { effect, fate: 'in flight', position: undefined, settled: false }
      requests.set(id, request)
      unsettled.set(id, request)
      return id
    },
    hear: (requestId, fate) => {
      const request = requests.get(requestId)
      if (request === undefined) throw new Error(`unknown request ${requestId}`)
      request.fate = fate
      if (fate === 'acknowledged' && request.effect !== undefined) acknowledged += 1
    },
    read: (entries) => {
      for (const entry of entries) readOne(entry)
      for (const [id, request] of unsettled) {
        if (request.fate === 'in flight') throw new Error(`${id} is in flight`)
        if (request.fate === 'acknowledged' && request.effect !== undefined && request.position === undefined)
          problems.push(`${id} (${request.effect.type}) was acknowledged and is not in the log`)
        request.settled = true
      }
      unsettled.clear()
    },
    position: () => position,
    doneAt: (requestId) => requests.get(requestId)?.position,
    acknowledged: () => acknowledged,
    problems,
  }
}
