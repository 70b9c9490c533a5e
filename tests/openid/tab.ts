import { Agent, request } from 'undici'
import { SAME_ORIGIN } from '../account-pages/browser-desk.ts'

/** What a browser shows in the end. */
export type Shown = Readonly<{ url: URL; status: number; html: string }>

/**
 * A browser that goes on wherever redirects and `Refresh` lead, also to other programs on this machine. As browsers do, it sends a cookie to every
 * port of the host that set it.
 */
export type Tab = Readonly<{
  open: (url: string) => Promise<Shown>
  /** Sends the first form of what is shown, with these values in its fields. */
  submit: (shown: Shown, fields?: Readonly<Record<string, string>>) => Promise<Shown>
  close: () => Promise<void>
}>

const MOST_STEPS = 20

export const newTab = (): Tab => {
  const dispatcher = new Agent()
  const jars = new Map<string, Map<string, string>>()

  const ask = async (url: URL, form?: URLSearchParams) => {
    const jar = jars.get(url.hostname) ?? new Map<string, string>()
    jars.set(url.hostname, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await request(url, {
      dispatcher,
      method: form === undefined ? 'GET' : 'POST',
      body: form?.toString() ?? null,
      headers: {
        accept: 'text/html', // other requests get 401 from some programs, instead of a way to sign in
        ...(cookie !== '' && { cookie }),
        ...(form !== undefined && { ...SAME_ORIGIN, 'content-type': 'application/x-www-form-urlencoded' }),
      },
    })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) keep(jar, line)
    const { location, refresh } = answer.headers
    const onward = location ?? /^0; ?url=(.*)$/i.exec(String(refresh))?.[1]
    return {
      shown: { url, status: answer.statusCode, html: await answer.body.text() },
      onward: onward === undefined ? undefined : new URL(String(onward), url),
    }
  }

  const follow = async (url: URL, form?: URLSearchParams): Promise<Shown> => {
    let step = await ask(url, form)
    for (let steps = 0; step.onward !== undefined; steps += 1) {
      if (steps === MOST_STEPS) throw new Error(`It leads round and round: ${step.onward}`)
      step = await ask(step.onward)
    }
    return step.shown
  }

  return {
    open: (url) => follow(new URL(url)),
    submit: ({ url, html }, fields = {}) => {
      const [, action = '', inside = ''] = /<form [^>]*?action="([^"]*)"[^>]*>(.*?)<\/form>/s.exec(html) ?? []
      const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" ?\/?>/g)].map(
        ([, name = '', value = '']): [string, string] => [name, plain(value)],
      )
      const form = new URLSearchParams([...hidden, ...Object.entries(fields)])
      return follow(new URL(plain(action), url), form)
    },
    close: () => dispatcher.close(),
  }
}

const keep = (jar: Map<string, string>, line: string): void => {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  const until = /; *expires=([^;]*)/i.exec(line)?.[1]
  const isGone =
    /; *max-age=(?:0|-\d+)(?:;|$)/i.test(line) || (until !== undefined && Date.parse(until) <= Date.now())
  if (isGone) jar.delete(name)
  else jar.set(name, value)
}

const plain = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
