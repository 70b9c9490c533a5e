import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import { fileOf, mainOf, type Prepared } from './portcullis.ts'

/** A console in its own process, opened as a browser opens it. */
export type OpenedConsole = Readonly<{
  pid: number
  /** The time to read a page, in milliseconds. */
  timeOf: (page: string) => Promise<number>
  /** Starts the checks of `doctor`. */
  check: () => Promise<void>
  /** Whether they run. */
  isChecking: () => Promise<boolean>
  stop: () => Promise<void>
}>

/** Starts a console that can change things, so that it has all pages. */
export const openConsole = async ({ tree, folder, environment }: Prepared): Promise<OpenedConsole> => {
  const child = spawn(process.execPath, [mainOf(tree), 'console', '--write'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const exited = once(child, 'exit')
  const [url] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => Promise.reject(new Error(`The console ended: ${said}`))),
  ])
  const { origin } = new URL(url)
  const opened = await fetch(url, { redirect: 'manual' })
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
  const base = new URL(opened.headers.get('location') ?? '', url)
  const textOf = async (page: string): Promise<string> => {
    const response = await fetch(new URL(page, base), { headers: { cookie }, redirect: 'manual' })
    const text = await response.text()
    if (response.status >= 500) throw new Error(`${page}: ${response.status}`)
    return text
  }
  return {
    pid: child.pid ?? 0,
    timeOf: async (page) => {
      const began = performance.now()
      await textOf(page)
      return performance.now() - began
    },
    check: async () => {
      const headers = { cookie, origin, 'sec-fetch-site': 'same-origin' }
      await fetch(new URL('check', base), { method: 'POST', headers, redirect: 'manual' })
    },
    isChecking: async () => (await textOf('today')).includes('The checks run since'),
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Every screen, with each kind of search, in a store of `fill-log.ts`. */
export const pagesOf = (prepared: Prepared): ReadonlyArray<string> => {
  const db = new Database(fileOf(prepared), { readonly: true })
  const one = (sql: string): string => String(db.prepare(sql).pluck().get())
  const user = one('SELECT id FROM users ORDER BY created_at, id LIMIT 1')
  const middle = one('SELECT id FROM users ORDER BY id LIMIT 1 OFFSET (SELECT count(*) / 2 FROM users)')
  const application = one(
    "SELECT subject_id FROM log WHERE type = 'ApplicationRegistered' ORDER BY position LIMIT 1",
  )
  const epoch = one('SELECT epoch FROM log_epoch')
  const end = Number(one('SELECT max(position) FROM log'))
  const last = Date.parse(one('SELECT at FROM log ORDER BY position DESC LIMIT 1'))
  db.close()
  const time = (hours: number): string => new Date(last - hours * 3_600_000).toISOString().slice(0, 16)
  const day = time(24).slice(0, 10)
  const searches: ReadonlyArray<Readonly<Record<string, string>>> = [
    {},
    { user },
    { user: 'user-9@example.com' },
    { application },
    { application: 'application-9' },
    { application: 'no application' },
    ...['UserSignedIn', 'UserImported', 'SigningKeyCreated', 'ApplicationRegistered'].map((type) => ({
      type,
    })),
    { type: 'SignInRefused SecondFactorRefused RefusalsSummarized' },
    ...['wrong_password', 'counter_went_back', 'too_many_tokens'].map((reason) => ({ reason })),
    { since: time(24), until: time(23) },
    { since: day },
    { until: day },
    { since: '2001-01-01', until: '2001-01-02' },
    { since: time(24), type: 'UserImported' },
    { since: time(24), reason: 'counter_went_back' },
    { since: time(60), until: time(40), reason: 'wrong_password' },
    { user, type: 'UserSignedIn' },
    { user, type: 'UserImported' },
    { user, reason: 'counter_went_back' },
    { user, reason: 'token_ended' },
    { user, application },
    { user, application: 'application-9', type: 'UserImported' },
    { user, since: time(60), until: time(47) },
    { application, type: 'ApplicationTokenIssued' },
    { application, type: 'UserImported' },
    { application, reason: 'counter_went_back' },
    { application, reason: 'token_ended' },
    { application, since: time(60), until: time(47) },
    { application: 'application-9', reason: 'wrong_password', type: 'RecoveryRefused' },
    ...[0.9, 0.5, 0.1].map((share) => ({ before: `${epoch}:${Math.floor(end * share)}` })),
    { before: `${epoch}:${Math.floor(end / 2)}`, user },
    { before: `${epoch}:${Math.floor(end * 0.9)}`, type: 'SecondFactorRefused' },
    { follow: 'on' },
  ]
  return [
    'today',
    `today?day=${day}`,
    'today?day=2001-01-01',
    'people',
    'people?status=disabled',
    `people?after=${middle}`,
    `people?user=${user}`,
    'people?user=user-9@example.com',
    'people?user=nobody@example.com',
    `person?id=${user}`,
    `person?id=${middle}`,
    ...searches.map((search) => `events?${new URLSearchParams(search)}`),
    'applications',
    `applications?after=${application}`,
    `confirm?action=disable&id=${user}`,
    `confirm?action=rotate&id=${application}`,
  ]
}
