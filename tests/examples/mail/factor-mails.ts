import { setTimeout as pause } from 'node:timers/promises'
import { type LogEntry, type Portcullis, PortcullisUnavailable } from 'portcullis-client'

/** Where to continue, sign-ins that wait for a second factor by the id of their token, and when users got a warning. */
export type State = Readonly<{
  cursor: string | undefined
  waiting: Readonly<Record<string, Readonly<{ user: string; at: string; expires_at: string }>>>
  warned: Readonly<Record<string, string>>
}>

export type FactorMailSettings = Readonly<{
  /** A client with the keys of an application with the scope `events:read`. */
  auth: Portcullis
  /** What `save` stored last. */
  state: State | undefined
  /** Resolves when the state survives a crash. */
  save: (state: State) => Promise<void>
  /** All addresses of a user, from your database; none for a removed user. */
  addressesOf: (userId: string) => Promise<ReadonlyArray<string>>
  /** `factorsChanged` of mail.ts. It rejects if a mail was not sent. */
  tell: (addresses: ReadonlyArray<string>, what: string, at: Date) => Promise<unknown>
  /** Learns why a request is repeated. */
  report: (why: string) => void
}>

type Notice = Readonly<{ user: string; what: string; at: string }>

const WARNING = 'Your password was entered without the second factor'

const whatHappened = ({ type, data }: LogEntry): string | undefined => {
  switch (type) {
    case 'FactorEnrolled':
      return 'A second factor was added to your account'
    case 'FactorRemoved':
      return 'A second factor was removed from your account'
    case 'FactorsReset':
      return 'All second factors were removed from your account'
    case 'RecoveryCodesGenerated':
      return 'Your account has new recovery codes'
    case 'FactorUsed':
      return data.kind === 'recovery_codes'
        ? `A recovery code was used, ${data.codes_left} are left`
        : undefined
    default:
      return undefined
  }
}

const DAY_MS = 86_400_000
/** The clocks of the instances differ, and so does ours. */
const TOLERANCE_MS = 60_000

/** The next state, and what to mail before it is saved. */
const read = (state: State, entries: ReadonlyArray<LogEntry>) => {
  const since = new Date(Date.now() - DAY_MS).toISOString()
  const [waiting, notices] = [{ ...state.waiting }, [] as Array<Notice>]
  // Older entries cause no mail, so that the first start and a restart tell no old news.
  for (const entry of entries.filter(({ at }) => at > since)) {
    const { type, at, data, subject } = entry
    const [user, what] = [subject.id, whatHappened(entry)]
    if (what !== undefined) notices.push({ user, what, at })
    // With `amr`, an application vouched for the user, and no password was entered.
    if (type === 'SecondFactorRequested' && data.amr === undefined)
      waiting[data.token_id] = { user, at, expires_at: data.expires_at }
    if (type === 'UserSignedIn') delete waiting[data.token_id ?? '']
  }
  // Only at the end of the log, our clock says what has ended: a later entry may complete the sign-in.
  const now = new Date(
    Date.parse(entries.at(-1)?.at ?? new Date().toISOString()) - TOLERANCE_MS,
  ).toISOString()
  const warned = Object.fromEntries(Object.entries(state.warned).filter(([, at]) => at > since))
  for (const [token, { user, at, expires_at }] of Object.entries(waiting)) {
    if (expires_at > now) continue
    delete waiting[token]
    if (warned[user] !== undefined) continue // a thief of the password must not flood the mailbox
    warned[user] = at
    notices.push({ user, what: WARNING, at })
  }
  return { waiting, warned, notices }
}

/** The next page of the log, which is empty if nothing happens for a while. After an outage it asks again. */
const pageAfter = async ({ auth, report }: FactorMailSettings, after: string | undefined) => {
  for (;;)
    try {
      const page = await auth.readFeed({ after, limit: 500, wait: 30 })
      if (page.ok) return page
      const [{ message }] = page.problems
      if (page.refusal !== 'throttled') throw new Error(message)
      report(message)
      await pause(1000 * page.retryAfter)
    } catch (error) {
      if (!(error instanceof PortcullisUnavailable)) throw error
      report(error.message)
      await pause(1000 * (error.retryAfter ?? 1))
    }
}

/** Mails users what happens with their second factors. It ends with an error if a mail or the state cannot be written. */
export const sendFactorMails = async (settings: FactorMailSettings) => {
  const { save, addressesOf, tell } = settings
  let state: State = settings.state ?? { cursor: undefined, waiting: {}, warned: {} }
  for (;;)
    try {
      const { items, next } = await pageAfter(settings, state.cursor)
      const { notices, ...kept } = read(
        state,
        items.map(({ data }) => data),
      )
      for (const { user, what, at } of notices) await tell(await addressesOf(user), what, new Date(at))
      state = { ...kept, cursor: next }
      await save(state)
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'CursorEnded') throw error
      state = { ...state, cursor: undefined, waiting: {} } // the log begins again
    }
}
