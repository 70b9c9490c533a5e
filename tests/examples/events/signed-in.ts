import { open, readFile, rename } from 'node:fs/promises'
import { type EventType, type LogEntry, portcullis } from 'portcullis-client'

/** A session by its id: the user, the application that signed the user in, and the time of its expiry. */
type Session = Readonly<{ user: string; application: string | undefined; expires_at: string }>

/** Who is signed in, and where to continue. `closed` are disabled and removed users and revoked applications. */
type State = { cursor: string | undefined; sessions: Record<string, Session>; closed: Record<string, true> }

const { PORTCULLIS_URL: url = 'http://127.0.0.1:8080', STATE_FILE = 'signed-in.json' } = process.env
const { PUBLIC_API_KEY: publicApiKey = '', PRIVATE_API_KEY: privateApiKey = '' } = process.env

const empty = (): State => ({ cursor: undefined, sessions: {}, closed: {} })

type Ends = (session: Session, id: string, entry: LogEntry) => boolean
const named: Ends = (_, id, { data }) => 'session_id' in data && id === data.session_id
const allOfUser: Ends = ({ user }, _, { subject }) => user === subject.id
const othersOfUser: Ends = (session, id, entry) => allOfUser(session, id, entry) && !named(session, id, entry)

/** The sessions that end, by the type of the entry. */
const ENDS: Readonly<Partial<Record<EventType, Ends>>> = {
  UserSignedOut: named,
  PasswordChanged: othersOfUser,
  OtherSessionsEnded: othersOfUser,
  PasswordSet: allOfUser,
  PasswordRecovered: allOfUser,
  SessionsEnded: allOfUser,
  UserDisabled: allOfUser,
  UserRemoved: allOfUser,
  ApplicationRevoked: ({ application }, _, { subject }) => application === subject.id,
}

const apply = ({ sessions, closed }: State, entry: LogEntry): void => {
  const { type, actor, data } = entry
  const { id: subject } = entry.subject
  const isOver = ENDS[type]
  if (isOver)
    for (const [id, session] of Object.entries(sessions)) if (isOver(session, id, entry)) delete sessions[id]

  if (['UserDisabled', 'UserRemoved', 'ApplicationRevoked'].includes(type)) closed[subject] = true
  if (type === 'UserEnabled') delete closed[subject]

  // A renewal is logged before the end of its session. A sign-in that overlaps the end of its user or application is logged after it.
  const isOpen = !closed[subject] && !closed[actor.id ?? '']
  if ((type === 'UserSignedIn' || type === 'SessionRenewed') && isOpen)
    sessions[data.session_id] = { user: subject, application: actor.id, expires_at: data.expires_at }
}

const dropExpired = ({ sessions }: State, now: string): void => {
  for (const [id, { expires_at }] of Object.entries(sessions)) if (expires_at <= now) delete sessions[id]
}

const load = async (): Promise<State> => {
  try {
    return JSON.parse(await readFile(STATE_FILE, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return empty()
    throw error
  }
}

/** Replaces the file in one step, so that list and cursor always belong together. */
const save = async (state: State): Promise<void> => {
  const file = await open(`${STATE_FILE}.new`, 'w', 0o600)
  await file.writeFile(JSON.stringify(state))
  await file.sync()
  await file.close()
  await rename(`${STATE_FILE}.new`, STATE_FILE)
}

const auth = portcullis({ url, publicApiKey, privateApiKey })
const onUnavailable = ({ message }: Error) => process.stderr.write(`${message}\n`)
let state = await load()
let saved = Promise.resolve()
let isSaving = false
/** Saves the state of the moment when the former save is done. So many events cause few saves. */
const saveSoon = (): void => {
  if (isSaving) return
  isSaving = true
  saved = saved.then(() => {
    isSaving = false
    return save(state)
  })
}
for (;;)
  try {
    for await (const { data, cursor } of auth.events({ after: state.cursor, onUnavailable })) {
      apply(state, data)
      dropExpired(state, new Date().toISOString())
      state.cursor = cursor
      saveSoon()
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'CursorEnded') throw error
    state = empty() // the log begins again
  }
