/** A log entry as the command line prints it. */
export type Entry = Readonly<{
  position: number
  id: string
  type: string
  at: string
  subject: Readonly<{ kind: string; id: string }>
  actor: Readonly<{ kind: string; id?: string }>
  request_id?: string
  data: Readonly<Record<string, unknown>>
}>

/**
 * The expected log entry of a successful request. Without a subject, the response tells it. If `isCertain` is false, the request may also
 * succeed without an entry. `first` is an entry of the same change, right before it.
 */
export type Effect = Readonly<{ type: string; subject?: string; isCertain?: false; first?: string }>

export const isCertain = (effect: Effect | undefined): boolean =>
  effect !== undefined && effect.isCertain !== false

/** A request as its sender remembers it. */
type Remembered = {
  effect: Effect | undefined
  fate: Fate | 'in flight'
  /** The position of its entry. */
  position: number | undefined
  /** The position of the entry before it, if the change has two. */
  first: number | undefined
  /** The subject of its entry. */
  subject: string | undefined
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
  /** The subject of a request’s log entry, if it was executed. */
  subjectOf: (requestId: string) => string | undefined
  /** Records the subject that a response told. */
  expectSubject: (requestId: string, subject: string) => void
  /** The number of requests with an acknowledged and certain effect. */
  acknowledged: () => number
  /** The same for each type of event. */
  acknowledgedOf: () => Readonly<Record<string, number>>
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
  const acknowledgedOf: Record<string, number> = {}

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
    const { type, subject = entry.subject.id, first } = request.effect ?? {}
    if (first !== undefined && request.first === undefined && entry.type === first) {
      request.first = position
      if (entry.subject.id !== subject) problems.push(`${what} is about ${entry.subject.id}`)
      return
    }
    if (first !== undefined && request.first !== position - 1) problems.push(`${what} lacks its ${first}`)
    if (request.position !== undefined) problems.push(`${what} is there already, at ${request.position}`)
    request.position = position
    request.subject = entry.subject.id
    if (entry.type !== type || entry.subject.id !== subject)
      problems.push(`${what} is about ${entry.subject.id}, and was to be ${JSON.stringify(request.effect)}`)
  }

  return {
    ask: (effect) => {
      const id = `oracle-${requests.size + 1}-end` // no id is a prefix of another
      const request: Remembered = {
        effect,
        fate: 'in flight',
        position: undefined,
        first: undefined,
        subject: undefined,
        settled: false,
      }
      requests.set(id, request)
      unsettled.set(id, request)
      return id
    },
    hear: (requestId, fate) => {
      const request = requests.get(requestId)
      if (request === undefined) throw new Error(`unknown request ${requestId}`)
      request.fate = fate
      if (fate !== 'acknowledged' || request.effect === undefined || !isCertain(request.effect)) return
      acknowledged += 1
      for (const type of [request.effect.first, request.effect.type])
        if (type !== undefined) acknowledgedOf[type] = (acknowledgedOf[type] ?? 0) + 1
    },
    read: (entries) => {
      for (const entry of entries) readOne(entry)
      for (const [id, request] of unsettled) {
        if (request.fate === 'in flight') throw new Error(`${id} is in flight`)
        if (request.fate === 'acknowledged' && isCertain(request.effect) && request.position === undefined)
          problems.push(`${id} (${request.effect?.type}) was acknowledged and is not in the log`)
        if (request.first !== undefined && request.position === undefined)
          problems.push(`${id} is in the log without its ${request.effect?.type}`)
        request.settled = true
      }
      unsettled.clear()
    },
    position: () => position,
    doneAt: (requestId) => requests.get(requestId)?.position,
    subjectOf: (requestId) => requests.get(requestId)?.subject,
    expectSubject: (requestId, subject) => {
      const request = requests.get(requestId)
      if (request?.effect === undefined) throw new Error(`${requestId} has no effect`)
      request.effect = { ...request.effect, subject }
    },
    acknowledged: () => acknowledged,
    acknowledgedOf: () => acknowledgedOf,
    problems,
  }
}
