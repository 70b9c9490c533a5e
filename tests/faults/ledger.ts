/** An entry of the log as the command line prints it. */
export type Entry = Readonly<{
  position: number
  id: string
  type: string
  subject: Readonly<{ kind: string; id: string }>
  actor: Readonly<{ kind: string; id?: string }>
  request_id?: string
  data: Readonly<Record<string, unknown>>
}>

/** What a request is to leave in the log when it succeeds. */
export type Effect = Readonly<{ type: string; subject: string }>

/** A request in the memory of the one who sent it. */
type Remembered = {
  readonly effect: Effect | undefined
  fate: Fate | 'in flight'
  /** Where its entry stands. */
  position: number | undefined
  settled: boolean
}

export type Fate = 'acknowledged' | 'refused' | 'unknown'

/**
 * The outside memory of what was asked for and what was answered, held against what the log says. It knows nothing of
 * the service but the promise that whatever it answered is in its log, once, and that whatever failed changed nothing.
 */
export type Ledger = Readonly<{
  /** Remembers a request, and what it changes if it changes something. Returns the id that it is sent with. */
  ask: (effect?: Effect) => string
  /** Remembers what became of it; unknown is what was sent and never answered. */
  hear: (requestId: string, fate: Fate) => void
  /** Reads on in the log, while nothing is in flight. */
  read: (entries: ReadonlyArray<Entry>) => void
  /** The last position that was read. */
  position: () => number
  /** Where the log says that a request was done, if it was. */
  doneAt: (requestId: string) => number | undefined
  /** How many requests had an acknowledged effect. */
  acknowledged: () => number
  /** Everything that should not be so. */
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
      const id = `oracle-${requests.size + 1}-end` // no id is the beginning of another
      const request: Remembered = { effect, fate: 'in flight', position: undefined, settled: false }
      requests.set(id, request)
      unsettled.set(id, request)
      return id
    },
    hear: (requestId, fate) => {
      const request = requests.get(requestId)
      if (request === undefined) throw new Error(`nobody asked ${requestId}`)
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
