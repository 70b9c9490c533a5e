import type { PageAnswer, PagesService } from './pages-service.ts'

type Headers = Readonly<Record<string, string>>

/** What browsers send with a form of the same page. */
export const SAME_ORIGIN: Headers = { 'sec-fetch-site': 'same-origin' }

/** A browser that keeps cookies, without one that shows pages. */
export type BrowserDesk = Readonly<{
  cookies: Map<string, string>
  /** Every `Set-Cookie` that came. */
  received: Array<string>
  get: (path: string, headers?: Headers) => Promise<PageAnswer>
  post: (path: string, form: Readonly<Record<string, string>>, headers?: Headers) => Promise<PageAnswer>
  /** Signs Ada in. */
  signIn: (more?: Readonly<Record<string, string>>) => Promise<PageAnswer>
}>

export const browserDesk = (pages: Pick<PagesService, 'get' | 'post' | 'ada'>): BrowserDesk => {
  const cookies = new Map<string, string>()
  const received: Array<string> = []
  const sent = (): Headers =>
    cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
  const kept = (answer: PageAnswer): PageAnswer => {
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      received.push(line)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0$/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }
  const post: BrowserDesk['post'] = async (path, form, headers) =>
    kept(await pages.post(path, form, { ...SAME_ORIGIN, ...sent(), ...headers }))
  return {
    cookies,
    received,
    get: async (path, headers) => kept(await pages.get(path, { ...sent(), ...headers })),
    post,
    signIn: (more) =>
      post('/account/sign-in', { email: pages.ada.email, password: pages.ada.password, ...more }),
  }
}

/** Where an answer leads. */
export const leadsTo = ({ status, headers }: PageAnswer) => [status, headers.location]

/** The value of a hidden input. */
export const hiddenIn = ({ html }: PageAnswer, name: string): string =>
  new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`).exec(html)?.[1] ?? ''

/** The hidden value that each form has once. */
export const onceIn = (page: PageAnswer): string => hiddenIn(page, 'once')
