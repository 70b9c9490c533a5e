import { open, readFile, rename } from 'node:fs/promises'
import { type Entry, followEvents } from './feed.ts'

/** A session by its id: the user, the application that signed the user in, and the time of its expiry. */
type Session = Readonly<{ user: string; application: string | undefined; expires_at: string }>

/** Who is signed in, and where to continue. `closed` are disabled and removed users and revoked applications. */
type State = { next: string | undefined; sessions: Record<string, Session>; closed: Record<string, true> }

const { PORTCULLIS_URL = 'http://127.0.0.1:8080', STATE_FILE = 'signed-in.json' } = process.env
const { PUBLIC_API_KEY = '', PRIVATE_API_KEY = '' } = process.env

const empty = (): State => ({ next: undefined, sessions: {}, closed: {} })

type Ends = (session: Session, id: string, entry: Entry) => boolean
const named: Ends = (_, id, { data }) => id === data.session_id
const allOfUser: Ends = ({ user }, _, { subject }) => user === subject.id
const othersOfUser: Ends = (session, id, entry) => allOfUser(session, id, entry) && !named(session, id, entry)

/** The sessions that end, by the type of the entry. */
const ENDS: Readonly<Record<string, Ends>> = {
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

/** They say until when a session lives. */
const OPENS = ['UserSignedIn', 'SessionRenewed']

const apply = ({ sessions, closed }: State, entry: Entry): void => {
  const { type, subject, actor, data } = entry
  const isOver = ENDS[type]
  if (isOver)
    for (const [id, session] of Object.entries(sessions)) if (isOver(session, id, entry)) delete sessions[id]

  if (['UserDisabled', 'UserRemoved', 'ApplicationRevoked'].includes(type)) closed[subject.id] = true
  if (type === 'UserEnabled') delete closed[subject.id]

  // A renewal is logged before the end of its session. A sign-in that overlaps the end of its user or application is logged after it.
  if (OPENS.includes(type) && !closed[subject.id] && !closed[actor.id ?? ''])
    sessions[String(data.session_id)] = {
      user: subject.id,
      application: actor.id,
      expires_at: String(data.expires_at),
    }
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

let state = await load()
const settings = {
  portcullisUrl: PORTCULLIS_URL,
  keys: { public_api_key: PUBLIC_API_KEY, private_api_key: PRIVATE_API_KEY },
  report: (why: string) => process.stderr.write(`${why}\n`),
}
for await (const { entries, next, isRestart } of followEvents(settings, state.next)) {
  if (isRestart) state = empty()
  for (const entry of entries) apply(state, entry)
  dropExpired(state, new Date().toISOString())
  state.next = next
  await save(state)
}
