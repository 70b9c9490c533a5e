import { setTimeout as pause } from 'node:timers/promises'

/** An entry of the event log (docs/events.md). */
export type Entry = Readonly<{
  position: number
  id: string
  type: string
  at: string
  subject: Readonly<{ kind: string; id: string }>
  actor: Readonly<{ kind: string; id?: string }>
  data: Readonly<Record<string, unknown>>
}>

/**
 * Some entries, in the order of the log. Store `next` together with their effect, and begin there after a crash. If the page is a
 * restart, first discard the effect of all earlier entries.
 */
export type Page = Readonly<{ entries: ReadonlyArray<Entry>; next: string; isRestart: boolean }>

export type FeedSettings = Readonly<{
  portcullisUrl: string
  /** Keys of an application with the scope `events:read`. */
  keys: Readonly<{ public_api_key: string; private_api_key: string }>
  /** Learns why a request is repeated. */
  report: (why: string) => void
}>

/** Portcullis answers after 30 seconds at most. */
const TIMEOUT_MS = 60_000

/** Yields pages without end, and waits for new entries. It throws if repeating cannot help: wrong keys, or no scope. */
export async function* followEvents(
  { portcullisUrl, keys, report }: FeedSettings,
  from: string | undefined,
): AsyncGenerator<Page, never> {
  const first = `${portcullisUrl}/api/v1/events?limit=500&wait=30`
  let next = from
  let isRestart = from === undefined
  let token: string | undefined

  const send = async (url: URL | string, init: RequestInit): Promise<Response | undefined> => {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
      if (response.status !== 429 && response.status < 500) return response
      report(`Portcullis answered ${response.status}.`)
      await pause(1000 * Number(response.headers.get('Retry-After') ?? 5))
    } catch {
      report('Portcullis did not answer.')
      await pause(1000)
    }
    return undefined
  }

  const getToken = async (): Promise<string | undefined> => {
    const response = await send(`${portcullisUrl}/api/v1/auth/application/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(keys),
    })
    if (response === undefined) return undefined
    if (!response.ok) throw new Error(`Portcullis refused the API keys: ${response.status}`)
    return ((await response.json()) as { token: string }).token
  }

  for (;;) {
    token ??= await getToken()
    if (token === undefined) continue
    const url = next === undefined ? first : new URL(next, portcullisUrl)
    const response = await send(url, { headers: { Authorization: `Bearer ${token}` } })
    if (response === undefined) continue
    if (response.status === 401) {
      token = undefined // it has expired
    } else if (response.status === 410) {
      next = undefined
      isRestart = true
    } else if (response.ok) {
      const events = (await response.json()) as ReadonlyArray<{ data: Entry }>
      const [, target = ''] = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? []
      next = target
      yield { entries: events.map(({ data }) => data), next, isRestart }
      isRestart = false
    } else throw new Error(`Portcullis refused the request: ${response.status} ${await response.text()}`)
  }
}
